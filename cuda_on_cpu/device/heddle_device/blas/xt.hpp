#pragma once
#pragma GCC system_header

/// Replacements of cublasXt: products of matrices that the host has, for which it waits. The first of the
/// selected devices calculates them.

#include "../names_begin.hpp"

#include <climits>
#include <initializer_list>
#include <vector>
// Not before the macros are put away.
#include "blas.hpp"

struct cublasXtContext {
  std::vector<int> devices{0};
  int block = 2048;
};
using cublasXtHandle_t = cublasXtContext*;
enum cublasXtPinnedMemMode_t { CUBLASXT_PINNING_DISABLED, CUBLASXT_PINNING_ENABLED };

inline cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasXtContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  int present = 0;
  cudaGetDeviceCount(&present);
  if (count < 1 || devices == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  for (int i = 0; i < count; ++i)
    if (devices[i] < 0 || devices[i] >= present) return CUBLAS_STATUS_INVALID_VALUE;
  handle->devices.assign(devices, devices + count);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (block < 1) return CUBLAS_STATUS_INVALID_VALUE;
  handle->block = block;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* block) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (block == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *block = handle->block;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t) {
  return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}

namespace heddle_device::blas {

/// A copy of a matrix on the present device, of columns without gaps.
template <class T>
class matrix_there {
 public:
  matrix_there(size_t rows, size_t columns) : rows_(rows), columns_(columns), own_(rows * columns) {}
  matrix_there(size_t rows, size_t columns, const T* from, size_t pitch) : matrix_there(rows, columns) {
    is_there_ = copied(own_.data(), rows, from, pitch);
  }
  bool copy_back(T* to, size_t pitch) const { return copied(to, pitch, own_.data(), rows_); }
  bool is_there() const { return is_there_; }
  T* data() const { return own_.data(); }
  int pitch() const { return rows_ > 1 ? static_cast<int>(rows_) : 1; }

 private:
  bool copied(T* to, size_t to_pitch, const T* from, size_t from_pitch) const {
    return rows_ == 0 || columns_ == 0 ||
           cudaMemcpy2D(to, to_pitch * sizeof(T), from, from_pitch * sizeof(T), rows_ * sizeof(T), columns_,
                        cudaMemcpyDefault) == cudaSuccess;
  }
  size_t rows_, columns_;
  library_memory<T> own_;
  bool is_there_ = true;
};

/// Calls f with a handle of cuBLAS on the device that calculates; sizes are those that f takes as int.
template <class F>
cublasStatus_t on_first_device(cublasXtHandle_t h, std::initializer_list<size_t> sizes, const F& f) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (program_runtime() == nullptr) return CUBLAS_STATUS_INTERNAL_ERROR;
  for (const size_t size : sizes)
    if (size > INT_MAX)
      program_runtime()->libraries().refuse(
          "cublasXt: matrices of 2147483648 rows or columns are not supported");
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(h->devices[0]);
  cublasContext own{};
  own.math = CUBLAS_DEFAULT_MATH;
  const cublasStatus_t status = f(&own);
  cudaSetDevice(before);
  return status;
}
template <class T>
bool is_zero_number(const T& x) {
  return loaded<number_t<T>>(x) == number_t<T>();
}

template <class T, class Gemm>
cublasStatus_t xt_gemm(cublasXtHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, size_t m, size_t n,
                       size_t k, const T* alpha, const T* a, size_t lda, const T* b, size_t ldb,
                       const T* beta, T* c, size_t ldc, Gemm gemm) {
  return on_first_device(h, {m, n, k}, [&](cublasHandle_t own) {
    const bool turns_a = of_a != CUBLAS_OP_N, turns_b = of_b != CUBLAS_OP_N;
    if (lda < (turns_a ? k : m) || ldb < (turns_b ? n : k) || ldc < m) return CUBLAS_STATUS_INVALID_VALUE;
    const matrix_there<T> there_a(turns_a ? k : m, turns_a ? m : k, a, lda),
        there_b(turns_b ? n : k, turns_b ? k : n, b, ldb);
    const bool keeps = !is_zero_number(*beta);
    const matrix_there<T> there_c = keeps ? matrix_there<T>(m, n, c, ldc) : matrix_there<T>(m, n);
    if (!there_a.is_there() || !there_b.is_there() || !there_c.is_there()) return CUBLAS_STATUS_MAPPING_ERROR;
    const cublasStatus_t status = gemm(
        own, of_a, of_b, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), alpha, there_a.data(),
        there_a.pitch(), there_b.data(), there_b.pitch(), beta, there_c.data(), there_c.pitch());
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    return there_c.copy_back(c, ldc) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
  });
}
/// Of syrk and herk, whose factors may be of another type; the other triangle of C stays as it is.
template <class T, class S, class Syrk>
cublasStatus_t xt_syrk(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op, size_t n, size_t k,
                       const S* alpha, const T* a, size_t lda, const S* beta, T* c, size_t ldc, Syrk syrk) {
  return on_first_device(h, {n, k}, [&](cublasHandle_t own) {
    const bool turns = op != CUBLAS_OP_N;
    if (lda < (turns ? k : n) || ldc < n) return CUBLAS_STATUS_INVALID_VALUE;
    const matrix_there<T> there_a(turns ? k : n, turns ? n : k, a, lda), there_c(n, n, c, ldc);
    if (!there_a.is_there() || !there_c.is_there()) return CUBLAS_STATUS_MAPPING_ERROR;
    const cublasStatus_t status =
        syrk(own, fill, op, static_cast<int>(n), static_cast<int>(k), alpha, there_a.data(), there_a.pitch(),
             beta, there_c.data(), there_c.pitch());
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    return there_c.copy_back(c, ldc) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
  });
}
template <class T, class Trsm>
cublasStatus_t xt_trsm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
                       cublasDiagType_t diagonal, size_t m, size_t n, const T* alpha, const T* a, size_t lda,
                       T* b, size_t ldb, Trsm trsm) {
  return on_first_device(h, {m, n}, [&](cublasHandle_t own) {
    const size_t size = side == CUBLAS_SIDE_LEFT ? m : n;
    if (lda < size || ldb < m) return CUBLAS_STATUS_INVALID_VALUE;
    const matrix_there<T> there_a(size, size, a, lda), there_b(m, n, b, ldb);
    if (!there_a.is_there() || !there_b.is_there()) return CUBLAS_STATUS_MAPPING_ERROR;
    const cublasStatus_t status =
        trsm(own, side, fill, op, diagonal, static_cast<int>(m), static_cast<int>(n), alpha, there_a.data(),
             there_a.pitch(), there_b.data(), there_b.pitch());
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    return there_b.copy_back(b, ldb) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
  });
}

}  // namespace heddle_device::blas

#define HEDDLE_XT_RANK(NAME, T, S)                                                                      \
  inline cublasStatus_t cublasXt##NAME(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op, \
                                       size_t n, size_t k, const S* alpha, const T* a, size_t lda,      \
                                       const S* beta, T* c, size_t ldc) {                               \
    return heddle_device::blas::xt_syrk(h, fill, op, n, k, alpha, a, lda, beta, c, ldc, cublas##NAME);  \
  }
#define HEDDLE_XT(L, T)                                                                                     \
  inline cublasStatus_t cublasXt##L##gemm(                                                                  \
      cublasXtHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, size_t m, size_t n, size_t k,     \
      const T* alpha, const T* a, size_t lda, const T* b, size_t ldb, const T* beta, T* c, size_t ldc) {    \
    return heddle_device::blas::xt_gemm(h, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,        \
                                        cublas##L##gemm);                                                   \
  }                                                                                                         \
  inline cublasStatus_t cublasXt##L##trsm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, \
                                          cublasOperation_t op, cublasDiagType_t diagonal, size_t m,        \
                                          size_t n, const T* alpha, const T* a, size_t lda, T* b,           \
                                          size_t ldb) {                                                     \
    return heddle_device::blas::xt_trsm(h, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb,           \
                                        cublas##L##trsm);                                                   \
  }                                                                                                         \
  HEDDLE_XT_RANK(L##syrk, T, T)
HEDDLE_XT(S, float)
HEDDLE_XT(D, double)
HEDDLE_XT(C, cuComplex)
HEDDLE_XT(Z, cuDoubleComplex)
HEDDLE_XT_RANK(Cherk, cuComplex, float)
HEDDLE_XT_RANK(Zherk, cuDoubleComplex, double)
#undef HEDDLE_XT
#undef HEDDLE_XT_RANK
#include "../names_end.hpp"
