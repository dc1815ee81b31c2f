#pragma once

/// Of cuFFT: one transform over several devices. Its calls wait for the devices, and the host calculates.

#include "plans.hpp"

#define MAX_CUDA_DESCRIPTOR_GPUS 64
enum libFormat_t { LIB_FORMAT_CUFFT = 0, LIB_FORMAT_UNDEFINED = 1 };
using libFormat = libFormat_t;
struct cudaXtDesc_t {
  int version, nGPUs;
  int GPUs[MAX_CUDA_DESCRIPTOR_GPUS];
  void* data[MAX_CUDA_DESCRIPTOR_GPUS];
  size_t size[MAX_CUDA_DESCRIPTOR_GPUS];
  void* cudaXtState;
};
using cudaXtDesc = cudaXtDesc_t;
struct cudaLibXtDesc_t {
  int version;
  cudaXtDesc* descriptor;
  libFormat library;
  int subFormat;
  void* libDescriptor;
};
using cudaLibXtDesc = cudaLibXtDesc_t;

enum cufftXtSubFormat_t {
  CUFFT_XT_FORMAT_INPUT = 0,
  CUFFT_XT_FORMAT_OUTPUT = 1,
  CUFFT_XT_FORMAT_INPLACE = 2,
  CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3
};
using cufftXtSubFormat = cufftXtSubFormat_t;
enum cufftXtCopyType_t { CUFFT_COPY_HOST_TO_DEVICE, CUFFT_COPY_DEVICE_TO_HOST, CUFFT_COPY_DEVICE_TO_DEVICE };
using cufftXtCopyType = cufftXtCopyType_t;

namespace heddle_device::fft {

/// How all elements are spread: `outer` rows of `pieces` pieces of so many bytes, in natural order. Each
/// device has some of the pieces of every row; in natural order there is one row.
struct spread {
  u64 outer, pieces, bytes;
  int devices;

  u64 first(int device) const { return pieces * static_cast<u64>(device) / static_cast<u64>(devices); }
  u64 count(int device) const { return first(device + 1) - first(device); }
  u64 bytes_of(int device) const { return outer * count(device) * bytes; }
};
inline size_t bytes_of(const plan& p, bool is_input) {
  return dense_layout(p, is_input, true).distance * p.count * p.of.bytes(is_input);
}
/// Parts of the first axis, or whole transforms, or where there is one axis alone, elements. After a
/// transform of several axes parts of the second one.
inline spread spread_of(const plan& p, bool is_shuffled) {
  const elements complex{transform_kind::complex_to_complex, p.of.precision};
  const u64 all = bytes_of(p, true) > bytes_of(p, false) ? bytes_of(p, true) : bytes_of(p, false);
  if (p.count > 1) return {1, p.count, all / p.count, p.device_count};
  if (p.axes == 1) return {1, all / complex.bytes(true), complex.bytes(true), p.device_count};
  const u64 first = p.lengths[3 - p.axes];
  if (!is_shuffled) return {1, first, all / first, p.device_count};
  const u64 second = p.axes == 3                                       ? p.lengths[1]
                     : p.of.kind == transform_kind::complex_to_complex ? p.lengths[2]
                                                                       : p.lengths[2] / 2 + 1;
  return {first, second, all / first / second, p.device_count};
}
inline bool is_shuffled(const cudaLibXtDesc& d) {
  return d.subFormat == CUFFT_XT_FORMAT_OUTPUT || d.subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
}
/// A descriptor's data beside the host's, in natural order, to there or from there.
inline cudaError_t copy(const plan& p, const cudaLibXtDesc& d, char* natural, bool to_devices) {
  const spread s = spread_of(p, is_shuffled(d));
  for (int i = 0; i < s.devices; ++i) {
    char* const host = natural + s.first(i) * s.bytes;
    const size_t width = s.count(i) * s.bytes, pitch = s.pieces * s.bytes;
    if (width == 0) continue;
    void* const there = d.descriptor->data[i];
    const cudaError_t error =
        to_devices ? cudaMemcpy2D(there, width, host, pitch, width, s.outer, cudaMemcpyHostToDevice)
                   : cudaMemcpy2D(host, pitch, there, width, width, s.outer, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
inline void set_format(const plan& p, cudaLibXtDesc& d, int format) {
  d.subFormat = format;
  const spread s = spread_of(p, is_shuffled(d));
  for (int i = 0; i < s.devices; ++i) d.descriptor->size[i] = s.bytes_of(i);
}
/// Waits for a plan's devices.
inline cudaError_t wait_for_devices(const plan& p) {
  int before = 0;
  cudaGetDevice(&before);
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < p.device_count && error == cudaSuccess; ++i) {
    cudaSetDevice(p.devices[i]);
    error = cudaDeviceSynchronize();
  }
  cudaSetDevice(before);
  return error;
}
inline bool is_of(const plan& p, const cudaLibXtDesc* d) {
  return d != nullptr && d->descriptor != nullptr && d->descriptor->nGPUs == p.device_count;
}

inline cufftResult execute_on_devices(cufftHandle handle, const elements* e, cudaLibXtDesc* from,
                                      cudaLibXtDesc* to, int direction) {
  const plan* const p = plans().find(handle);
  if (p == nullptr || !p->is_made || p->device_count == 0) return CUFFT_INVALID_PLAN;
  if (e != nullptr && (p->of.kind != e->kind || p->of.precision != e->precision)) return CUFFT_INVALID_TYPE;
  if (!is_of(*p, from) || !is_of(*p, to)) return CUFFT_INVALID_VALUE;
  if (wait_for_devices(*p) != cudaSuccess) return CUFFT_EXEC_FAILED;
  const bool was_shuffled = is_shuffled(*from);
  transform_request what = request_of(*p, nullptr, nullptr, direction == CUFFT_INVERSE, true);
  const size_t most = bytes_of(*p, true) > bytes_of(*p, false) ? bytes_of(*p, true) : bytes_of(*p, false);
  const library_numbers<char> before(static_cast<long long>(most)), after(static_cast<long long>(most));
  if (copy(*p, *from, before.data(), false) != cudaSuccess) return CUFFT_EXEC_FAILED;
  what.from = before.data();
  what.to = after.data();
  transform_unwatched(what);
  const bool is_in_place = from == to;
  set_format(*p, *to,
             is_in_place ? (was_shuffled ? CUFFT_XT_FORMAT_INPLACE : CUFFT_XT_FORMAT_INPLACE_SHUFFLED)
                         : (was_shuffled ? CUFFT_XT_FORMAT_INPUT : CUFFT_XT_FORMAT_OUTPUT));
  return copy(*p, *to, after.data(), true) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

}  // namespace heddle_device::fft

inline cufftResult cufftXtSetGPUs(cufftHandle handle, int nGPUs, int* whichGPUs) {
  heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr || p->is_made) return CUFFT_INVALID_PLAN;
  if (whichGPUs == nullptr || nGPUs < 1) return CUFFT_INVALID_VALUE;
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (nGPUs > devices || nGPUs > heddle_device::fft::plan::most_devices) return CUFFT_INVALID_DEVICE;
  for (int i = 0; i < nGPUs; ++i) {
    if (whichGPUs[i] < 0 || whichGPUs[i] >= devices) return CUFFT_INVALID_DEVICE;
    for (int j = 0; j < i; ++j)
      if (whichGPUs[i] == whichGPUs[j]) return CUFFT_INVALID_DEVICE;
    p->devices[i] = whichGPUs[i];
  }
  p->device_count = nGPUs;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftXtFree(cudaLibXtDesc* d) {
  if (d == nullptr) return CUFFT_INVALID_VALUE;
  cufftResult result = CUFFT_SUCCESS;
  for (int i = 0; i < d->descriptor->nGPUs; ++i)
    if (cudaFree(d->descriptor->data[i]) != cudaSuccess) result = CUFFT_INTERNAL_ERROR;
  delete d->descriptor;
  delete d;
  return result;
}
inline cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc** descriptor, cufftXtSubFormat format) {
  using namespace heddle_device::fft;
  const plan* const p = plans().find(handle);
  if (p == nullptr || !p->is_made || p->device_count == 0) return CUFFT_INVALID_PLAN;
  if (descriptor == nullptr || format < CUFFT_XT_FORMAT_INPUT || format > CUFFT_XT_FORMAT_INPLACE_SHUFFLED)
    return CUFFT_INVALID_VALUE;
  auto* const made = new cudaLibXtDesc{1, new cudaXtDesc{}, LIB_FORMAT_CUFFT, format, nullptr};
  made->descriptor->version = 1;
  made->descriptor->nGPUs = p->device_count;
  int before = 0;
  cudaGetDevice(&before);
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < p->device_count && error == cudaSuccess; ++i) {
    const size_t natural = spread_of(*p, false).bytes_of(i), shuffled = spread_of(*p, true).bytes_of(i);
    made->descriptor->GPUs[i] = p->devices[i];
    cudaSetDevice(p->devices[i]);
    error = cudaMalloc(&made->descriptor->data[i], natural > shuffled ? natural : shuffled);
  }
  cudaSetDevice(before);
  set_format(*p, *made, format);
  if (error != cudaSuccess) {
    (void)cufftXtFree(made);
    return CUFFT_ALLOC_FAILED;
  }
  *descriptor = made;
  return CUFFT_SUCCESS;
}
/// In natural order on the host, and on devices that are copied to.
inline cufftResult cufftXtMemcpy(cufftHandle handle, void* to, void* from, cufftXtCopyType type) {
  using namespace heddle_device::fft;
  const plan* const p = plans().find(handle);
  if (p == nullptr || !p->is_made || p->device_count == 0) return CUFFT_INVALID_PLAN;
  if (to == nullptr || from == nullptr) return CUFFT_INVALID_VALUE;
  if (wait_for_devices(*p) != cudaSuccess) return CUFFT_EXEC_FAILED;
  cudaLibXtDesc* const target = type == CUFFT_COPY_DEVICE_TO_HOST ? nullptr : static_cast<cudaLibXtDesc*>(to);
  const cudaLibXtDesc* const source =
      type == CUFFT_COPY_HOST_TO_DEVICE ? nullptr : static_cast<cudaLibXtDesc*>(from);
  if ((target != nullptr && !is_of(*p, target)) || (source != nullptr && !is_of(*p, source)))
    return CUFFT_INVALID_VALUE;
  const size_t most = bytes_of(*p, true) > bytes_of(*p, false) ? bytes_of(*p, true) : bytes_of(*p, false);
  const heddle_device::library_numbers<char> between(
      static_cast<long long>(source != nullptr && target != nullptr ? most : 0));
  char* const host = target == nullptr   ? static_cast<char*>(to)
                     : source == nullptr ? static_cast<char*>(from)
                                         : between.data();
  if (source != nullptr && copy(*p, *source, host, false) != cudaSuccess) return CUFFT_INTERNAL_ERROR;
  if (target == nullptr) return CUFFT_SUCCESS;
  if (is_shuffled(*target))
    set_format(*p, *target,
               target->subFormat == CUFFT_XT_FORMAT_OUTPUT ? CUFFT_XT_FORMAT_INPUT : CUFFT_XT_FORMAT_INPLACE);
  return copy(*p, *target, host, true) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_INTERNAL_ERROR;
}

#define HEDDLE_FFT_ON_DEVICES(L, KIND, PRECISION, PARAMETER, DIRECTION)                      \
  inline cufftResult cufftXtExecDescriptor##L(cufftHandle handle, cudaLibXtDesc* from,       \
                                              cudaLibXtDesc* to PARAMETER) {                 \
    constexpr heddle_device::fft::elements e{heddle_device::transform_kind::KIND,            \
                                             heddle_device::transform_precision::PRECISION}; \
    return heddle_device::fft::execute_on_devices(handle, &e, from, to, DIRECTION);          \
  }
#define HEDDLE_FFT_NONE
#define HEDDLE_FFT_DIRECTION , int direction
HEDDLE_FFT_ON_DEVICES(C2C, complex_to_complex, f32, HEDDLE_FFT_DIRECTION, direction)
HEDDLE_FFT_ON_DEVICES(Z2Z, complex_to_complex, f64, HEDDLE_FFT_DIRECTION, direction)
HEDDLE_FFT_ON_DEVICES(R2C, real_to_complex, f32, HEDDLE_FFT_NONE, CUFFT_FORWARD)
HEDDLE_FFT_ON_DEVICES(D2Z, real_to_complex, f64, HEDDLE_FFT_NONE, CUFFT_FORWARD)
HEDDLE_FFT_ON_DEVICES(C2R, complex_to_real, f32, HEDDLE_FFT_NONE, CUFFT_INVERSE)
HEDDLE_FFT_ON_DEVICES(Z2D, complex_to_real, f64, HEDDLE_FFT_NONE, CUFFT_INVERSE)
#undef HEDDLE_FFT_ON_DEVICES
#undef HEDDLE_FFT_NONE
#undef HEDDLE_FFT_DIRECTION
inline cufftResult cufftXtExecDescriptor(cufftHandle handle, cudaLibXtDesc* from, cudaLibXtDesc* to,
                                         int direction) {
  return heddle_device::fft::execute_on_devices(handle, nullptr, from, to, direction);
}
