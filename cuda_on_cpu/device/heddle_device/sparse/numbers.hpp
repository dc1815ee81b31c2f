#pragma once

/// Of cuSPARSE: numbers and indices whose types are known at run time. Everything is calculated in double
/// precision, of complex numbers, and every access is watched.

#include "../half_bits.hpp"
#include "types.hpp"

#include <complex>

namespace heddle_device::sparse {

using number = std::complex<double>;

inline size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_C_16F:
    case CUDA_C_16BF:
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_C_32F:
    case CUDA_R_64F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 0;
  }
}
inline bool is_supported(cudaDataType type) {
  return bytes_of(type) != 0;
}
inline bool is_complex(cudaDataType type) {
  return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

inline number get(const void* from, cudaDataType type, long long i) {
  switch (type) {
    case CUDA_R_8I:
      return static_cast<double>(static_cast<const signed char*>(from)[i]);
    case CUDA_R_32I:
      return static_cast<double>(static_cast<const int*>(from)[i]);
    case CUDA_R_16F:
      return half_to_float(static_cast<const unsigned short*>(from)[i]);
    case CUDA_R_16BF:
      return bfloat16_to_float(static_cast<const unsigned short*>(from)[i]);
    case CUDA_R_32F:
      return static_cast<double>(static_cast<const float*>(from)[i]);
    case CUDA_R_64F:
      return static_cast<const double*>(from)[i];
    case CUDA_C_16F: {
      const unsigned short* const at = static_cast<const unsigned short*>(from) + 2 * i;
      return {half_to_float(at[0]), half_to_float(at[1])};
    }
    case CUDA_C_16BF: {
      const unsigned short* const at = static_cast<const unsigned short*>(from) + 2 * i;
      return {bfloat16_to_float(at[0]), bfloat16_to_float(at[1])};
    }
    case CUDA_C_32F: {
      const cuComplex at = static_cast<const cuComplex*>(from)[i];
      return {at.x, at.y};
    }
    case CUDA_C_64F: {
      const cuDoubleComplex at = static_cast<const cuDoubleComplex*>(from)[i];
      return {at.x, at.y};
    }
    default:
      return {};
  }
}
inline void put(void* to, cudaDataType type, long long i, const number& z) {
  const auto re = static_cast<float>(z.real()), im = static_cast<float>(z.imag());
  switch (type) {
    case CUDA_R_8I:
      static_cast<signed char*>(to)[i] = static_cast<signed char>(z.real());
      return;
    case CUDA_R_32I:
      static_cast<int*>(to)[i] = static_cast<int>(z.real());
      return;
    case CUDA_R_16F:
      static_cast<unsigned short*>(to)[i] = float_to_half(re);
      return;
    case CUDA_R_16BF:
      static_cast<unsigned short*>(to)[i] = float_to_bfloat16(re);
      return;
    case CUDA_R_32F:
      static_cast<float*>(to)[i] = re;
      return;
    case CUDA_R_64F:
      static_cast<double*>(to)[i] = z.real();
      return;
    case CUDA_C_16F:
      static_cast<unsigned short*>(to)[2 * i] = float_to_half(re);
      static_cast<unsigned short*>(to)[2 * i + 1] = float_to_half(im);
      return;
    case CUDA_C_16BF:
      static_cast<unsigned short*>(to)[2 * i] = float_to_bfloat16(re);
      static_cast<unsigned short*>(to)[2 * i + 1] = float_to_bfloat16(im);
      return;
    case CUDA_C_32F:
      static_cast<cuComplex*>(to)[i] = {re, im};
      return;
    case CUDA_C_64F:
      static_cast<cuDoubleComplex*>(to)[i] = {z.real(), z.imag()};
      return;
    default:
      return;
  }
}
/// Without the standard's care for infinities.
inline number product(const number& a, const number& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline number with(cusparseOperation_t op, const number& z) {
  return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(z) : z;
}

inline size_t bytes_of(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}
inline long long index(const void* from, cusparseIndexType_t type, long long i) {
  if (type == CUSPARSE_INDEX_64I) return static_cast<const long long*>(from)[i];
  if (type == CUSPARSE_INDEX_32I) return static_cast<const int*>(from)[i];
  return static_cast<const unsigned short*>(from)[i];
}
inline void set_index(void* to, cusparseIndexType_t type, long long i, long long value) {
  if (type == CUSPARSE_INDEX_64I) {
    static_cast<long long*>(to)[i] = value;
  } else if (type == CUSPARSE_INDEX_32I) {
    static_cast<int*>(to)[i] = static_cast<int>(value);
  } else {
    static_cast<unsigned short*>(to)[i] = static_cast<unsigned short>(value);
  }
}

/// alpha, beta and results, where the handle says that they are, of the type that is calculated in.
struct factor {
  number value;
  const void* on_device;
  cudaDataType type;

  /// Zero.
  explicit factor(cudaDataType as) : value(), on_device(nullptr), type(as) {}
  factor(cusparseHandle_t handle, const void* at, cudaDataType as) : value(), on_device(nullptr), type(as) {
    if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) {
      on_device = at;
    } else {
      value = sparse::get(at, as, 0);
    }
  }
  /// In a thread of the device.
  number get() const { return on_device == nullptr ? value : sparse::get(on_device, type, 0); }
};

/// What numbers of a type are multiplied in.
inline cudaDataType calculated_type(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return CUDA_R_32F;
    case CUDA_C_16F:
    case CUDA_C_16BF:
      return CUDA_C_32F;
    case CUDA_R_8I:
      return CUDA_R_32I;
    default:
      return type;
  }
}

template <class F>
cusparseStatus_t run(cusparseHandle_t handle, const char* what, const F& f) {
  return run_library(what, 1, 1, handle->stream, f) == cudaSuccess ? CUSPARSE_STATUS_SUCCESS
                                                                   : CUSPARSE_STATUS_EXECUTION_FAILED;
}
/// Waits for what the stream has calculated.
inline cusparseStatus_t to_host(cusparseHandle_t handle, void* to, const void* from, size_t bytes) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, handle->stream) == cudaSuccess &&
                 cudaStreamSynchronize(handle->stream) == cudaSuccess
             ? CUSPARSE_STATUS_SUCCESS
             : CUSPARSE_STATUS_EXECUTION_FAILED;
}
/// Runs f() on the device, which gives a number that the host waits for.
template <class R, class F>
cusparseStatus_t run_for(cusparseHandle_t handle, const char* what, R* result, const F& f) {
  const library_memory<R> own(1);
  R* const on_device = own.data();
  const cusparseStatus_t status = run(handle, what, [f, on_device] { *on_device = f(); });
  return status == CUSPARSE_STATUS_SUCCESS ? to_host(handle, result, on_device, sizeof *result) : status;
}
/// The calls of a stream use a buffer one after another; those of two streams at once do not.
inline void use_buffer(void* buffer, size_t bytes) {
  if (buffer != nullptr && bytes != 0) library_writes(buffer, bytes);
}

inline cusparseStatus_t fill_buffer(cusparseHandle_t handle, const char* what, void* buffer, size_t bytes) {
  return run(handle, what, [=] { use_buffer(buffer, bytes); });
}

}  // namespace heddle_device::sparse
