#pragma once

/// Of cuBLAS: its types, and numbers as it calculates with them.

#include "../data_types.hpp"
#include "../library.hpp"
#include "cuComplex.h"
#include "cuda_bf16.h"

#include <complex>
#include <type_traits>

// Headers of others ask for these before they use what is here.
#define CUBLAS_API_H_
#define CUBLAS_V2_H_

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73
};
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99
};
using cublasDataType_t = cudaDataType_t;

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasMath_t math;
};
using cublasHandle_t = cublasContext*;

namespace heddle_device::blas {

/// What an element is calculated as.
template <class T>
struct number {
  using type = T;
};
template <>
struct number<__half> {
  using type = float;
};
template <>
struct number<__nv_bfloat16> {
  using type = float;
};
template <>
struct number<signed char> {
  using type = int;
};
template <>
struct number<cuComplex> {
  using type = std::complex<float>;
};
template <>
struct number<cuDoubleComplex> {
  using type = std::complex<double>;
};
template <class T>
using number_t = typename number<T>::type;

template <class C, class T>
HEDDLE_INSIDE C loaded(const T& from) {
  if constexpr (std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>) {
    return C(from.x, from.y);
  } else if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<float>(from);
  } else {
    return static_cast<C>(from);
  }
}
template <class T, class C>
HEDDLE_INSIDE void stored(T& to, const C& what) {
  if constexpr (std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>) {
    to.x = what.real();
    to.y = what.imag();
  } else {
    to = static_cast<T>(what);
  }
}
template <class C>
HEDDLE_INSIDE C conjugate(const C& z) {
  if constexpr (std::is_arithmetic_v<C>) {
    return z;
  } else {
    return C(z.real(), -z.imag());
  }
}
template <class C>
HEDDLE_INSIDE C product(const C& a, const C& b) {
  if constexpr (std::is_arithmetic_v<C>) {
    return a * b;
  } else {
    // Without the standard's care for infinities.
    return C(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
}

/// What a library reads and writes is told as columns, and done without being watched.
template <class T>
void reads(const T* from, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t pitch) {
  for (std::ptrdiff_t j = 0; j < columns; ++j)
    if (rows > 0) library_reads(from + j * pitch, static_cast<size_t>(rows) * sizeof(T));
}
template <class T>
void writes(T* to, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t pitch) {
  for (std::ptrdiff_t j = 0; j < columns; ++j)
    if (rows > 0) library_writes(to + j * pitch, static_cast<size_t>(rows) * sizeof(T));
}

/// alpha and beta, where the handle says that they are.
template <class C>
class scalar_of_call {
 public:
  template <class T>
  scalar_of_call(cublasHandle_t handle, const T* at) : on_device_(nullptr) {
    static_assert(sizeof(T) == sizeof(C) || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>);
    if (at == nullptr) return;
    if (handle->pointers == CUBLAS_POINTER_MODE_HOST) {
      value_ = loaded<C>(*at);
    } else {
      on_device_ = at;
      read_ = [](const void* from) { return loaded<C>(*static_cast<const T*>(from)); };
    }
  }
  /// In a thread of the device.
  C get() const { return on_device_ == nullptr ? value_ : read_(on_device_); }

 private:
  C value_ = C();
  const void* on_device_;
  C (*read_)(const void*) = nullptr;
};

template <class F>
cublasStatus_t run(cublasHandle_t handle, const char* what, const F& f) {
  return run_library(what, 1, 1, handle->stream, f) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                   : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// A result that goes to the host, which waits for it, or to the device.
template <class R, class F>
cublasStatus_t result(cublasHandle_t handle, const char* what, R* to, const F& f) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) return run(handle, what, [f, to] { *to = f(); });
  const library_memory<R> own(1);
  R* const on_device = own.data();
  const cublasStatus_t status = run(handle, what, [f, on_device] { *on_device = f(); });
  if (status == CUBLAS_STATUS_SUCCESS &&
      cudaMemcpy(to, on_device, sizeof *to, cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  return status;
}

}  // namespace heddle_device::blas
