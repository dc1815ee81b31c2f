#pragma once
#pragma GCC system_header

/// Replacements of cuBLAS's functions. Matrices that are multiplied are watched as wholes.

#include "../names_begin.hpp"

#include <cmath>
#include <complex>
#include <type_traits>
// Not before the macros are put away.
#include "batched_factorisations.hpp"
#include "products.hpp"

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext{nullptr, CUBLAS_POINTER_MODE_HOST, CUBLAS_DEFAULT_MATH};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) {
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  *version = 130000;
  return CUBLAS_STATUS_SUCCESS;
}
inline const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, SUCCESS)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, NOT_INITIALIZED)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, ALLOC_FAILED)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, INVALID_VALUE)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, ARCH_MISMATCH)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, MAPPING_ERROR)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, EXECUTION_FAILED)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, INTERNAL_ERROR)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, NOT_SUPPORTED)
    HEDDLE_STATUS_NAME(CUBLAS_STATUS_, LICENSE_ERROR)
  }
  return "unknown";
}
inline const char* cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

namespace heddle_device::blas {
inline cublasStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
inline cublasStatus_t move(const char* function, int rows, int columns, int size, const void* from,
                           int from_pitch, void* to, int to_pitch, cudaMemcpyKind kind,
                           cudaStream_t stream = nullptr, bool is_async = false) {
  if (rows <= 0 || columns <= 0) return CUBLAS_STATUS_SUCCESS;
  const auto bytes = static_cast<size_t>(size);
  return status_of(copy_rows(function, to, static_cast<size_t>(to_pitch) * bytes, from,
                             static_cast<size_t>(from_pitch) * bytes, static_cast<size_t>(rows) * bytes,
                             static_cast<size_t>(columns), kind, stream, is_async));
}
}  // namespace heddle_device::blas

// Copies between the host and the device, each also on a stream.
#define HEDDLE_BLAS_MOVE(NAME, KIND)                                                                       \
  inline cublasStatus_t cublas##NAME##Matrix(int rows, int columns, int size, const void* a, int lda,      \
                                             void* b, int ldb) {                                           \
    return heddle_device::blas::move("cublas" #NAME "Matrix", rows, columns, size, a, lda, b, ldb, KIND);  \
  }                                                                                                        \
  inline cublasStatus_t cublas##NAME##MatrixAsync(int rows, int columns, int size, const void* a, int lda, \
                                                  void* b, int ldb, cudaStream_t stream) {                 \
    return heddle_device::blas::move("cublas" #NAME "MatrixAsync", rows, columns, size, a, lda, b, ldb,    \
                                     KIND, stream, true);                                                  \
  }                                                                                                        \
  inline cublasStatus_t cublas##NAME##Vector(int n, int size, const void* x, int step_x, void* y,          \
                                             int step_y) {                                                 \
    return heddle_device::blas::move("cublas" #NAME "Vector", 1, n, size, x, step_x, y, step_y, KIND);     \
  }                                                                                                        \
  inline cublasStatus_t cublas##NAME##VectorAsync(int n, int size, const void* x, int step_x, void* y,     \
                                                  int step_y, cudaStream_t stream) {                       \
    return heddle_device::blas::move("cublas" #NAME "VectorAsync", 1, n, size, x, step_x, y, step_y, KIND, \
                                     stream, true);                                                        \
  }
HEDDLE_BLAS_MOVE(Set, cudaMemcpyHostToDevice)
HEDDLE_BLAS_MOVE(Get, cudaMemcpyDeviceToHost)
#undef HEDDLE_BLAS_MOVE

// L is the letter of a type, and R that of its real numbers.
#define HEDDLE_BLAS(L, T, LOWER)                                                                             \
  inline cublasStatus_t cublas##L##axpy(cublasHandle_t h, int n, const T* alpha, const T* x, int incx, T* y, \
                                        int incy) {                                                          \
    return heddle_device::blas::axpy(h, n, alpha, x, incx, y, incy);                                         \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##scal(cublasHandle_t h, int n, const T* alpha, T* x, int incx) {           \
    return heddle_device::blas::scal(h, n, alpha, x, incx);                                                  \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##copy(cublasHandle_t h, int n, const T* x, int incx, T* y, int incy) {     \
    return heddle_device::blas::copy(h, n, x, incx, y, incy);                                                \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##swap(cublasHandle_t h, int n, T* x, int incx, T* y, int incy) {           \
    return heddle_device::blas::swap(h, n, x, incx, y, incy);                                                \
  }                                                                                                          \
  inline cublasStatus_t cublasI##LOWER##amax(cublasHandle_t h, int n, const T* x, int incx, int* result) {   \
    return heddle_device::blas::extreme(h, "cublasamax", n, x, incx, result, true);                          \
  }                                                                                                          \
  inline cublasStatus_t cublasI##LOWER##amin(cublasHandle_t h, int n, const T* x, int incx, int* result) {   \
    return heddle_device::blas::extreme(h, "cublasamin", n, x, incx, result, false);                         \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n,                \
                                        const T* alpha, const T* a, int lda, const T* x, int incx,           \
                                        const T* beta, T* y, int incy) {                                     \
    return heddle_device::blas::gemv(h, op, m, n, alpha, a, lda, x, incx, beta, y, incy);                    \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b,    \
                                        int m, int n, const T* alpha, const T* a, int lda, const T* beta,    \
                                        const T* b, int ldb, T* c, int ldc) {                                \
    return heddle_device::blas::geam(h, of_a, of_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);              \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T* a,   \
                                        int lda, const T* x, int incx, T* c, int ldc) {                      \
    return heddle_device::blas::dgmm(h, side, m, n, a, lda, x, incx, c, ldc);                                \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##syrk(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,       \
                                        int n, int k, const T* alpha, const T* a, int lda, const T* beta,    \
                                        T* c, int ldc) {                                                     \
    return heddle_device::blas::syrk(h, fill, op, n, k, alpha, a, lda, beta, c, ldc, false);                 \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,      \
                                        cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,       \
                                        const T* alpha, const T* a, int lda, T* b, int ldb) {                \
    return heddle_device::blas::trsm(h, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb);              \
  }
#define HEDDLE_BLAS_PRODUCT(L, T)                                                                            \
  inline cublasStatus_t cublas##L##gemm(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b,    \
                                        int m, int n, int k, const T* alpha, const T* a, int lda,            \
                                        const T* b, int ldb, const T* beta, T* c, int ldc) {                 \
    return heddle_device::blas::gemm_call<heddle_device::blas::number_t<T>>(                                 \
        "cublas" #L "gemm", h, of_a, of_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);        \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##gemmStridedBatched(                                                       \
      cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, const T* alpha, \
      const T* a, int lda, long long step_a, const T* b, int ldb, long long step_b, const T* beta, T* c,     \
      int ldc, long long step_c, int count) {                                                                \
    return heddle_device::blas::gemm_call<heddle_device::blas::number_t<T>>(                                 \
        "cublas" #L "gemmStridedBatched", h, of_a, of_b, m, n, k, alpha, a, lda, step_a, b, ldb, step_b,     \
        beta, c, ldc, step_c, count);                                                                        \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##gemmBatched(cublasHandle_t h, cublasOperation_t of_a,                     \
                                               cublasOperation_t of_b, int m, int n, int k, const T* alpha,  \
                                               const T* const* a, int lda, const T* const* b, int ldb,       \
                                               const T* beta, T* const* c, int ldc, int count) {             \
    return heddle_device::blas::gemm_of_pointers<heddle_device::blas::number_t<T>>(                          \
        "cublas" #L "gemmBatched", h, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);      \
  }
#define HEDDLE_BLAS_REAL(L, T)                                                                               \
  inline cublasStatus_t cublas##L##dot(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy,  \
                                       T* result) {                                                          \
    return heddle_device::blas::dot(h, n, x, incx, y, incy, result, false);                                  \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##ger(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int incx, \
                                       const T* y, int incy, T* a, int lda) {                                \
    return heddle_device::blas::ger(h, m, n, alpha, x, incx, y, incy, a, lda, false);                        \
  }
#define HEDDLE_BLAS_COMPLEX(L, T, R)                                                                         \
  inline cublasStatus_t cublas##L##dotu(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy, \
                                        T* result) {                                                         \
    return heddle_device::blas::dot(h, n, x, incx, y, incy, result, false);                                  \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##dotc(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy, \
                                        T* result) {                                                         \
    return heddle_device::blas::dot(h, n, x, incx, y, incy, result, true);                                   \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##geru(cublasHandle_t h, int m, int n, const T* alpha, const T* x,          \
                                        int incx, const T* y, int incy, T* a, int lda) {                     \
    return heddle_device::blas::ger(h, m, n, alpha, x, incx, y, incy, a, lda, false);                        \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##gerc(cublasHandle_t h, int m, int n, const T* alpha, const T* x,          \
                                        int incx, const T* y, int incy, T* a, int lda) {                     \
    return heddle_device::blas::ger(h, m, n, alpha, x, incx, y, incy, a, lda, true);                         \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##herk(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,       \
                                        int n, int k, const R* alpha, const T* a, int lda, const R* beta,    \
                                        T* c, int ldc) {                                                     \
    return heddle_device::blas::syrk(h, fill, op, n, k, alpha, a, lda, beta, c, ldc, true);                  \
  }
#define HEDDLE_BLAS_NORMS(PREFIX, T, R)                                                                  \
  inline cublasStatus_t cublas##PREFIX##nrm2(cublasHandle_t h, int n, const T* x, int incx, R* result) { \
    return heddle_device::blas::nrm2(h, n, x, incx, result);                                             \
  }                                                                                                      \
  inline cublasStatus_t cublas##PREFIX##asum(cublasHandle_t h, int n, const T* x, int incx, R* result) { \
    return heddle_device::blas::asum(h, n, x, incx, result);                                             \
  }
HEDDLE_BLAS(S, float, s)
HEDDLE_BLAS(D, double, d)
HEDDLE_BLAS(C, cuComplex, c)
HEDDLE_BLAS(Z, cuDoubleComplex, z)
HEDDLE_BLAS_PRODUCT(S, float)
HEDDLE_BLAS_PRODUCT(D, double)
HEDDLE_BLAS_PRODUCT(C, cuComplex)
HEDDLE_BLAS_PRODUCT(Z, cuDoubleComplex)
HEDDLE_BLAS_PRODUCT(H, __half)
HEDDLE_BLAS_REAL(S, float)
HEDDLE_BLAS_REAL(D, double)
HEDDLE_BLAS_COMPLEX(C, cuComplex, float)
HEDDLE_BLAS_COMPLEX(Z, cuDoubleComplex, double)
HEDDLE_BLAS_NORMS(S, float, float)
HEDDLE_BLAS_NORMS(D, double, double)
HEDDLE_BLAS_NORMS(Sc, cuComplex, float)
HEDDLE_BLAS_NORMS(Dz, cuDoubleComplex, double)
#undef HEDDLE_BLAS
#undef HEDDLE_BLAS_PRODUCT
#undef HEDDLE_BLAS_REAL
#undef HEDDLE_BLAS_COMPLEX
#undef HEDDLE_BLAS_NORMS

namespace heddle_device::blas {
/// Types of elements that a product takes and gives; others are not supported by the library either.
template <class F>
cublasStatus_t by_types(cudaDataType_t from, cudaDataType_t to, const F& f) {
  if (from == CUDA_R_32F && to == CUDA_R_32F) return f(float(), float(), float());
  if (from == CUDA_R_64F && to == CUDA_R_64F) return f(double(), double(), double());
  if (from == CUDA_R_16F && to == CUDA_R_16F) return f(__half(), __half(), float());
  if (from == CUDA_R_16F && to == CUDA_R_32F) return f(__half(), float(), float());
  if (from == CUDA_R_16BF && to == CUDA_R_16BF) return f(__nv_bfloat16(), __nv_bfloat16(), float());
  if (from == CUDA_R_16BF && to == CUDA_R_32F) return f(__nv_bfloat16(), float(), float());
  if (from == CUDA_R_8I && to == CUDA_R_32I) return f(static_cast<signed char>(0), int(), int());
  if (from == CUDA_C_32F && to == CUDA_C_32F) return f(cuComplex(), cuComplex(), std::complex<float>());
  if (from == CUDA_C_64F && to == CUDA_C_64F)
    return f(cuDoubleComplex(), cuDoubleComplex(), std::complex<double>());
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
inline cublasStatus_t gemm_of_types(const char* what, cublasHandle_t h, cublasOperation_t of_a,
                                    cublasOperation_t of_b, int m, int n, int k, const void* alpha,
                                    const void* a, cudaDataType_t type_a, int lda, long long step_a,
                                    const void* b, cudaDataType_t type_b, int ldb, long long step_b,
                                    const void* beta, void* c, cudaDataType_t type_c, int ldc,
                                    long long step_c, int count, cublasComputeType_t compute) {
  if (type_a != type_b) return CUBLAS_STATUS_NOT_SUPPORTED;
  return by_types(type_a, type_c, [&](auto from, auto to, auto as) {
    using A = decltype(from);
    using D = decltype(to);
    using C = decltype(as);
    const auto call = [&](auto factor) {
      using S = decltype(factor);
      return gemm_call<C>(what, h, of_a, of_b, m, n, k, static_cast<const S*>(alpha),
                          static_cast<const A*>(a), lda, step_a, static_cast<const A*>(b), ldb, step_b,
                          static_cast<const S*>(beta), static_cast<D*>(c), ldc, step_c, count);
    };
    // The factors are of the type that is calculated in.
    if constexpr (std::is_same_v<A, __half> && std::is_same_v<D, __half>) {
      if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) return call(__half());
    }
    if constexpr (std::is_same_v<C, std::complex<float>>) {
      return call(cuComplex());
    } else if constexpr (std::is_same_v<C, std::complex<double>>) {
      return call(cuDoubleComplex());
    } else {
      return call(C());
    }
  });
}
/// Of elements of one type, which the result has too; calculated in the type that suits them.
inline cublasStatus_t dot_of_types(cublasHandle_t h, int n, const void* x, cudaDataType_t type_x, int step_x,
                                   const void* y, cudaDataType_t type_y, int step_y, void* to,
                                   cudaDataType_t type, bool conjugates) {
  if (type_x != type_y || type_x != type) return CUBLAS_STATUS_NOT_SUPPORTED;
  return by_types(type, type, [&](auto from, auto, auto) {
    using T = decltype(from);
    return dot(h, n, static_cast<const T*>(x), step_x, static_cast<const T*>(y), step_y, static_cast<T*>(to),
               conjugates);
  });
}
inline cublasComputeType_t compute_type_of(cudaDataType_t type) {
  return type == CUDA_R_16F ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F;
}
inline cublasComputeType_t compute_type_of(cublasComputeType_t type) {
  return type;
}
}  // namespace heddle_device::blas
inline cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void* x, cudaDataType_t type_x, int step_x,
                                  const void* y, cudaDataType_t type_y, int step_y, void* result,
                                  cudaDataType_t type, cudaDataType_t) {
  return heddle_device::blas::dot_of_types(h, n, x, type_x, step_x, y, type_y, step_y, result, type, false);
}
inline cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void* x, cudaDataType_t type_x, int step_x,
                                   const void* y, cudaDataType_t type_y, int step_y, void* result,
                                   cudaDataType_t type, cudaDataType_t) {
  return heddle_device::blas::dot_of_types(h, n, x, type_x, step_x, y, type_y, step_y, result, type, true);
}
template <class Compute>
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                            int k, const void* alpha, const void* a, cudaDataType_t type_a, int lda,
                            const void* b, cudaDataType_t type_b, int ldb, const void* beta, void* c,
                            cudaDataType_t type_c, int ldc, Compute compute, cublasGemmAlgo_t) {
  return heddle_device::blas::gemm_of_types("cublasGemmEx", h, of_a, of_b, m, n, k, alpha, a, type_a, lda, 0,
                                            b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1,
                                            heddle_device::blas::compute_type_of(compute));
}
template <class Compute>
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b,
                                          int m, int n, int k, const void* alpha, const void* a,
                                          cudaDataType_t type_a, int lda, long long step_a, const void* b,
                                          cudaDataType_t type_b, int ldb, long long step_b, const void* beta,
                                          void* c, cudaDataType_t type_c, int ldc, long long step_c,
                                          int count, Compute compute, cublasGemmAlgo_t) {
  return heddle_device::blas::gemm_of_types("cublasGemmStridedBatchedEx", h, of_a, of_b, m, n, k, alpha, a,
                                            type_a, lda, step_a, b, type_b, ldb, step_b, beta, c, type_c, ldc,
                                            step_c, count, heddle_device::blas::compute_type_of(compute));
}
#include "../names_end.hpp"

#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
#define cublasSgemm_v2 cublasSgemm
#define cublasDgemm_v2 cublasDgemm
