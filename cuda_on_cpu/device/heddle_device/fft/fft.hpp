#pragma once
#pragma GCC system_header

/// Replacements of cuFFT's functions. What they read and write is watched; Heddle's own transforms calculate
/// it.

#include "../names_begin.hpp"

// Not before the macros are put away.
#include "callbacks.hpp"
#include "several_devices.hpp"

namespace heddle_device::fft {

inline bool elements_of_type(cufftType type, elements& e) {
  switch (type) {
    case CUFFT_C2C:
      e = {transform_kind::complex_to_complex, transform_precision::f32};
      return true;
    case CUFFT_R2C:
      e = {transform_kind::real_to_complex, transform_precision::f32};
      return true;
    case CUFFT_C2R:
      e = {transform_kind::complex_to_real, transform_precision::f32};
      return true;
    case CUFFT_Z2Z:
      e = {transform_kind::complex_to_complex, transform_precision::f64};
      return true;
    case CUFFT_D2Z:
      e = {transform_kind::real_to_complex, transform_precision::f64};
      return true;
    case CUFFT_Z2D:
      e = {transform_kind::complex_to_real, transform_precision::f64};
      return true;
  }
  return false;
}
inline bool elements_of_data(cudaDataType from, cudaDataType to, elements& e) {
  struct number {
    cudaDataType real, complex;
    transform_precision precision;
  };
  constexpr number numbers[] = {{CUDA_R_16F, CUDA_C_16F, transform_precision::f16},
                                {CUDA_R_16BF, CUDA_C_16BF, transform_precision::bf16},
                                {CUDA_R_32F, CUDA_C_32F, transform_precision::f32},
                                {CUDA_R_64F, CUDA_C_64F, transform_precision::f64}};
  for (const number& n : numbers) {
    if (from == n.complex && to == n.complex) {
      e = {transform_kind::complex_to_complex, n.precision};
    } else if (from == n.real && to == n.complex) {
      e = {transform_kind::real_to_complex, n.precision};
    } else if (from == n.complex && to == n.real) {
      e = {transform_kind::complex_to_real, n.precision};
    } else {
      continue;
    }
    return true;
  }
  return false;
}

/// How lengths, rooms and steps of a plan are given.
template <class I>
struct plan_shape {
  int axes;
  const I* lengths;
  const I *from_embedding, *to_embedding;
  I from_stride, from_distance, to_stride, to_distance, count;
};

/// What a plan of this shape is, but for its stream and its memory.
template <class I>
cufftResult design(plan& p, const plan_shape<I>& s, const elements& e) {
  if (s.axes < 1 || s.axes > 3) return CUFFT_INVALID_VALUE;
  if (s.lengths == nullptr) return CUFFT_INVALID_VALUE;
  if (s.count < 1) return CUFFT_INVALID_SIZE;
  p.of = e;
  p.axes = s.axes;
  p.count = static_cast<u64>(s.count);
  for (u64& length : p.lengths) length = 1;
  // Numbers of 16 bits take powers of two.
  const bool is_half = e.precision == transform_precision::f16 || e.precision == transform_precision::bf16;
  for (int i = 0; i < s.axes; ++i) {
    if (s.lengths[i] < 1) return CUFFT_INVALID_SIZE;
    if (is_half && (s.lengths[i] & (s.lengths[i] - 1)) != 0) return CUFFT_NOT_SUPPORTED;
    p.lengths[3 - s.axes + i] = static_cast<u64>(s.lengths[i]);
  }
  p.is_dense = s.from_embedding == nullptr || s.to_embedding == nullptr;
  if (!p.is_dense) {
    if (s.from_stride < 1 || s.to_stride < 1 || s.from_distance < 0 || s.to_distance < 0)
      return CUFFT_INVALID_VALUE;
    p.from = layout_of(p, true, s.from_embedding, static_cast<u64>(s.from_stride),
                       static_cast<u64>(s.from_distance));
    p.to =
        layout_of(p, false, s.to_embedding, static_cast<u64>(s.to_stride), static_cast<u64>(s.to_distance));
    for (int i = 1; i < 3; ++i) {
      if (p.from.embedding[i] < p.from.lengths[i] || p.to.embedding[i] < p.to.lengths[i])
        return CUFFT_INVALID_SIZE;
    }
  }
  const elements complex{transform_kind::complex_to_complex, e.precision};
  p.work_bytes = p.lengths[0] * p.lengths[1] * p.lengths[2] * p.count * complex.bytes(true);
  return CUFFT_SUCCESS;
}
template <class I>
cufftResult estimate(const plan_shape<I>& s, const elements& e, size_t* bytes) {
  if (bytes == nullptr) return CUFFT_INVALID_VALUE;
  plan p;
  const cufftResult result = design(p, s, e);
  if (result == CUFFT_SUCCESS) *bytes = p.work_bytes;
  return result;
}
template <class I>
cufftResult estimate(const plan_shape<I>& s, cufftType type, size_t* bytes) {
  elements e{};
  return elements_of_type(type, e) ? estimate(s, e, bytes) : CUFFT_INVALID_TYPE;
}
template <class I>
cufftResult make(cufftHandle handle, const plan_shape<I>& s, const elements& e, size_t* bytes) {
  plan* const p = plans().find(handle);
  if (p == nullptr || p->is_made) return CUFFT_INVALID_PLAN;
  const cufftResult result = design(*p, s, e);
  if (result != CUFFT_SUCCESS) return result;
  if (p->device_count > 1 && (!p->is_dense || (p->count > 1 && p->count < static_cast<u64>(p->device_count))))
    return CUFFT_NOT_SUPPORTED;
  if (p->allocates && p->device_count <= 1 &&
      allocate(memory_kind::device, &p->own_work, 1, named<char>(memory_of_libraries)) != cudaSuccess)
    return CUFFT_ALLOC_FAILED;
  p->is_made = true;
  for (int i = 0; bytes != nullptr && i < (p->device_count > 1 ? p->device_count : 1); ++i)
    bytes[i] = p->work_bytes;
  return CUFFT_SUCCESS;
}
template <class I>
cufftResult make(cufftHandle handle, const plan_shape<I>& s, cufftType type, size_t* bytes) {
  elements e{};
  return elements_of_type(type, e) ? make(handle, s, e, bytes) : CUFFT_INVALID_TYPE;
}
/// A plan that is there with its handle, or not at all.
template <class I>
cufftResult create(cufftHandle* handle, const plan_shape<I>& s, cufftType type) {
  if (handle == nullptr) return CUFFT_INVALID_VALUE;
  if (program_runtime() == nullptr) return CUFFT_SETUP_FAILED;
  const cufftHandle made = plans().add();
  const cufftResult result = make(made, s, type, nullptr);
  if (result == CUFFT_SUCCESS) {
    *handle = made;
  } else {
    plans().remove(made);
  }
  return result;
}

inline plan_shape<int> dense(int axes, const int* lengths, int count) {
  return {axes, lengths, nullptr, nullptr, 1, 0, 1, 0, count};
}

/// Puts a transform on the plan's stream.
inline cufftResult execute(const char* name, const plan& p, const void* from, void* to, bool is_inverse) {
  const transform_request what = request_of(p, from, to, is_inverse, from == to);
  void* const work = p.work != nullptr ? p.work : p.own_work;
  const size_t work_bytes = p.work != nullptr ? p.work_bytes : 1;
  if (p.load.function != nullptr || p.store.function != nullptr) {
    const auto run = [what, work, work_bytes, load = p.load, store = p.store] {
      if (work != nullptr) library_writes(work, work_bytes);
      if (what.precision == transform_precision::f64) {
        transform_by_callbacks_of<cufftDoubleReal, cufftDoubleComplex>(what, load, store);
      } else {
        transform_by_callbacks_of<cufftReal, cufftComplex>(what, load, store);
      }
    };
    return run_library(name, 1, 1, p.stream, run) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
  }
  const size_t from_bytes = p.of.bytes(true), to_bytes = p.of.bytes(false);
  const auto run = [what, work, work_bytes, from_bytes, to_bytes]() __attribute__((no_sanitize("thread"))) {
    tell_reads(what.from, what.from_layout, what.count, from_bytes);
    if (work != nullptr) library_writes(work, work_bytes);
    if (what.overwrites_input)
      tell_writes(const_cast<void*>(what.from), what.from_layout, what.count, from_bytes);
    tell_writes(what.to, what.to_layout, what.count, to_bytes);
    program_runtime()->libraries().transform(what);
  };
  return run_library(name, 1, 1, p.stream, run) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}
inline cufftResult execute(const char* name, cufftHandle handle, const elements* e, const void* from,
                           void* to, int direction) {
  const plan* const p = plans().find(handle);
  if (p == nullptr || !p->is_made || p->device_count > 1) return CUFFT_INVALID_PLAN;
  if (e != nullptr && (p->of.kind != e->kind || p->of.precision != e->precision)) return CUFFT_INVALID_TYPE;
  if (from == nullptr || to == nullptr) return CUFFT_INVALID_VALUE;
  if (p->of.kind == transform_kind::complex_to_complex && direction != CUFFT_FORWARD &&
      direction != CUFFT_INVERSE)
    return CUFFT_INVALID_VALUE;
  if (p->work == nullptr && p->own_work == nullptr) return CUFFT_NO_WORKSPACE;
  return execute(name, *p, from, to, direction == CUFFT_INVERSE);
}

}  // namespace heddle_device::fft

inline cufftResult cufftCreate(cufftHandle* handle) {
  if (handle == nullptr) return CUFFT_INVALID_VALUE;
  if (heddle_device::program_runtime() == nullptr) return CUFFT_SETUP_FAILED;
  *handle = heddle_device::fft::plans().add();
  return CUFFT_SUCCESS;
}
inline cufftResult cufftDestroy(cufftHandle handle) {
  const heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr) return CUFFT_INVALID_PLAN;
  if (p->own_work != nullptr && heddle_device::program_runtime() != nullptr)
    (void)heddle_device::program_runtime()->release("cufftDestroy", heddle_device::memory_kind::device,
                                                    p->own_work);
  heddle_device::fft::plans().remove(handle);
  return CUFFT_SUCCESS;
}
inline cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr) return CUFFT_INVALID_PLAN;
  p->stream = stream;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr || p->is_made) return CUFFT_INVALID_PLAN;
  p->allocates = allocates != 0;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftSetWorkArea(cufftHandle handle, void* work) {
  heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr) return CUFFT_INVALID_PLAN;
  p->work = work;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftXtSetWorkAreaPolicy(cufftHandle handle, cufftXtWorkAreaPolicy, size_t*) {
  const heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  return p == nullptr || p->is_made ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
inline cufftResult cufftGetSize(cufftHandle handle, size_t* bytes) {
  const heddle_device::fft::plan* const p = heddle_device::fft::plans().find(handle);
  if (p == nullptr || !p->is_made) return CUFFT_INVALID_PLAN;
  if (bytes == nullptr) return CUFFT_INVALID_VALUE;
  *bytes = p->work_bytes;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUFFT_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION:
      *value = CUFFT_VER_MAJOR;
      return CUFFT_SUCCESS;
    case MINOR_VERSION:
      *value = CUFFT_VER_MINOR;
      return CUFFT_SUCCESS;
    case PATCH_LEVEL:
      *value = CUFFT_VER_PATCH;
      return CUFFT_SUCCESS;
  }
  return CUFFT_INVALID_TYPE;
}

// Of one to three axes without gaps; D is the name's end, the rest are the parameters and the lengths.
#define HEDDLE_FFT_DENSE(D, AXES, PARAMETERS, COUNT, ...)                                                  \
  inline cufftResult cufftPlan##D(cufftHandle* handle, HEDDLE_FFT_LIST PARAMETERS) {                       \
    const int lengths[] = {__VA_ARGS__};                                                                   \
    return heddle_device::fft::create(handle, heddle_device::fft::dense(AXES, lengths, COUNT), type);      \
  }                                                                                                        \
  inline cufftResult cufftMakePlan##D(cufftHandle handle, HEDDLE_FFT_LIST PARAMETERS, size_t* bytes) {     \
    const int lengths[] = {__VA_ARGS__};                                                                   \
    return heddle_device::fft::make(handle, heddle_device::fft::dense(AXES, lengths, COUNT), type, bytes); \
  }                                                                                                        \
  inline cufftResult cufftEstimate##D(HEDDLE_FFT_LIST PARAMETERS, size_t* bytes) {                         \
    const int lengths[] = {__VA_ARGS__};                                                                   \
    return heddle_device::fft::estimate(heddle_device::fft::dense(AXES, lengths, COUNT), type, bytes);     \
  }                                                                                                        \
  inline cufftResult cufftGetSize##D(cufftHandle, HEDDLE_FFT_LIST PARAMETERS, size_t* bytes) {             \
    const int lengths[] = {__VA_ARGS__};                                                                   \
    return heddle_device::fft::estimate(heddle_device::fft::dense(AXES, lengths, COUNT), type, bytes);     \
  }
#define HEDDLE_FFT_LIST(...) __VA_ARGS__
HEDDLE_FFT_DENSE(1d, 1, (int nx, cufftType type, int batch), batch, nx)
HEDDLE_FFT_DENSE(2d, 2, (int nx, int ny, cufftType type), 1, nx, ny)
HEDDLE_FFT_DENSE(3d, 3, (int nx, int ny, int nz, cufftType type), 1, nx, ny, nz)
#undef HEDDLE_FFT_LIST
#undef HEDDLE_FFT_DENSE

// The same with rooms and steps of the program's own; I is the type of numbers.
#define HEDDLE_FFT_PARAMETERS(I) \
  int rank, I *n, I *inembed, I istride, I idist, I *onembed, I ostride, I odist, cufftType type, I batch
#define HEDDLE_FFT_SHAPE(I)                                          \
  heddle_device::fft::plan_shape<I> {                                \
    rank, n, inembed, onembed, istride, idist, ostride, odist, batch \
  }
inline cufftResult cufftPlanMany(cufftHandle* handle, HEDDLE_FFT_PARAMETERS(int)) {
  return heddle_device::fft::create(handle, HEDDLE_FFT_SHAPE(int), type);
}
inline cufftResult cufftMakePlanMany(cufftHandle handle, HEDDLE_FFT_PARAMETERS(int), size_t* bytes) {
  return heddle_device::fft::make(handle, HEDDLE_FFT_SHAPE(int), type, bytes);
}
inline cufftResult cufftMakePlanMany64(cufftHandle handle, HEDDLE_FFT_PARAMETERS(long long int),
                                       size_t* bytes) {
  return heddle_device::fft::make(handle, HEDDLE_FFT_SHAPE(long long int), type, bytes);
}
inline cufftResult cufftEstimateMany(HEDDLE_FFT_PARAMETERS(int), size_t* bytes) {
  return heddle_device::fft::estimate(HEDDLE_FFT_SHAPE(int), type, bytes);
}
inline cufftResult cufftGetSizeMany(cufftHandle, HEDDLE_FFT_PARAMETERS(int), size_t* bytes) {
  return heddle_device::fft::estimate(HEDDLE_FFT_SHAPE(int), type, bytes);
}
inline cufftResult cufftGetSizeMany64(cufftHandle, HEDDLE_FFT_PARAMETERS(long long int), size_t* bytes) {
  return heddle_device::fft::estimate(HEDDLE_FFT_SHAPE(long long int), type, bytes);
}
inline cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long int* n, long long int* inembed,
                                       long long int istride, long long int idist, cudaDataType from,
                                       long long int* onembed, long long int ostride, long long int odist,
                                       cudaDataType to, long long int batch, size_t* bytes, cudaDataType) {
  heddle_device::fft::elements e{};
  if (!heddle_device::fft::elements_of_data(from, to, e)) return CUFFT_INVALID_TYPE;
  return heddle_device::fft::make(handle, HEDDLE_FFT_SHAPE(long long int), e, bytes);
}
inline cufftResult cufftXtGetSizeMany(cufftHandle, int rank, long long int* n, long long int* inembed,
                                      long long int istride, long long int idist, cudaDataType from,
                                      long long int* onembed, long long int ostride, long long int odist,
                                      cudaDataType to, long long int batch, size_t* bytes, cudaDataType) {
  heddle_device::fft::elements e{};
  if (!heddle_device::fft::elements_of_data(from, to, e)) return CUFFT_INVALID_TYPE;
  return heddle_device::fft::estimate(HEDDLE_FFT_SHAPE(long long int), e, bytes);
}
#undef HEDDLE_FFT_PARAMETERS
#undef HEDDLE_FFT_SHAPE

#define HEDDLE_FFT_EXECUTE(L, FROM, TO, KIND, PRECISION, PARAMETER, DIRECTION)               \
  inline cufftResult cufftExec##L(cufftHandle handle, FROM* from, TO* to PARAMETER) {        \
    constexpr heddle_device::fft::elements e{heddle_device::transform_kind::KIND,            \
                                             heddle_device::transform_precision::PRECISION}; \
    return heddle_device::fft::execute("cufftExec" #L, handle, &e, from, to, DIRECTION);     \
  }
#define HEDDLE_FFT_NONE
#define HEDDLE_FFT_DIRECTION , int direction
HEDDLE_FFT_EXECUTE(C2C, cufftComplex, cufftComplex, complex_to_complex, f32, HEDDLE_FFT_DIRECTION, direction)
HEDDLE_FFT_EXECUTE(Z2Z, cufftDoubleComplex, cufftDoubleComplex, complex_to_complex, f64, HEDDLE_FFT_DIRECTION,
                   direction)
HEDDLE_FFT_EXECUTE(R2C, cufftReal, cufftComplex, real_to_complex, f32, HEDDLE_FFT_NONE, CUFFT_FORWARD)
HEDDLE_FFT_EXECUTE(D2Z, cufftDoubleReal, cufftDoubleComplex, real_to_complex, f64, HEDDLE_FFT_NONE,
                   CUFFT_FORWARD)
HEDDLE_FFT_EXECUTE(C2R, cufftComplex, cufftReal, complex_to_real, f32, HEDDLE_FFT_NONE, CUFFT_INVERSE)
HEDDLE_FFT_EXECUTE(Z2D, cufftDoubleComplex, cufftDoubleReal, complex_to_real, f64, HEDDLE_FFT_NONE,
                   CUFFT_INVERSE)
#undef HEDDLE_FFT_EXECUTE
#undef HEDDLE_FFT_NONE
#undef HEDDLE_FFT_DIRECTION
inline cufftResult cufftXtExec(cufftHandle handle, void* from, void* to, int direction) {
  return heddle_device::fft::execute("cufftXtExec", handle, nullptr, from, to, direction);
}
#include "../names_end.hpp"
