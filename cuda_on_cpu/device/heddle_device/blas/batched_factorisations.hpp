#pragma once

/// Of cuBLAS: factors of many small matrices, and what is solved with them.

#include "factorisations.hpp"

namespace heddle_device::blas {

inline int most(int x) {
  return x > 1 ? x : 1;
}
/// Tells the caller that its i-th argument is wrong, and whether one is.
inline bool tell_wrong(int* info, int argument) {
  if (info != nullptr) *info = argument == 0 ? 0 : -argument;
  return argument != 0;
}

template <class T>
cublasStatus_t getrf_batched(cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info,
                             int count) {
  if (h == nullptr || n < 0 || lda < most(n) || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  return run(h, "cublasgetrfBatched", [=] {
    for (int i = 0; i < count; ++i) {
      T* const of = a[i];
      int* const own = pivots == nullptr ? nullptr : pivots + std::ptrdiff_t{i} * n;
      reads(of, n, n, lda);
      writes(of, n, n, lda);
      if (own != nullptr) writes(own, n, 1, n);
      info[i] = factor_lu(n, n, of, lda, own);
    }
  });
}

template <class T>
cublasStatus_t getrs_batched(cublasHandle_t h, cublasOperation_t op, int n, int columns, const T* const* a,
                             int lda, const int* pivots, T* const* b, int ldb, int* info, int count) {
  const int wrong = n < 0 ? 3 : columns < 0 ? 4 : lda < most(n) ? 6 : ldb < most(n) ? 9 : count < 0 ? 11 : 0;
  if (h == nullptr || tell_wrong(info, wrong)) return CUBLAS_STATUS_INVALID_VALUE;
  return run(h, "cublasgetrsBatched", [=] {
    for (int i = 0; i < count; ++i) {
      const T* const of = a[i];
      T* const x = b[i];
      const int* const own = pivots == nullptr ? nullptr : pivots + std::ptrdiff_t{i} * n;
      reads(of, n, n, lda);
      if (own != nullptr) reads(own, n, 1, n);
      reads(x, n, columns, ldb);
      writes(x, n, columns, ldb);
      solve_lu(op, n, columns, of, lda, own, x, ldb);
    }
  });
}

/// inverse becomes that of the matrix with these factors.
template <class T>
void invert(std::ptrdiff_t n, const T* factors, std::ptrdiff_t lda, const int* pivots, T* inverse,
            std::ptrdiff_t pitch) {
  writes(inverse, n, n, pitch);
  set_identity(n, n, inverse, pitch);
  solve_lu(CUBLAS_OP_N, n, n, factors, lda, pivots, inverse, pitch);
}

template <class T>
cublasStatus_t getri_batched(cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots,
                             T* const* inverse, int pitch, int* info, int count) {
  if (h == nullptr || n < 0 || lda < most(n) || pitch < most(n) || count < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  return run(h, "cublasgetriBatched", [=] {
    for (int i = 0; i < count; ++i) {
      const T* const of = a[i];
      const int* const own = pivots == nullptr ? nullptr : pivots + std::ptrdiff_t{i} * n;
      reads(of, n, n, lda);
      if (own != nullptr) reads(own, n, 1, n);
      const int singular = first_zero_of_diagonal(n, of, lda);
      if (singular == 0) invert(n, of, lda, own, inverse[i], pitch);
      info[i] = singular;
    }
  });
}

template <class T>
cublasStatus_t matinv_batched(cublasHandle_t h, int n, const T* const* a, int lda, T* const* inverse,
                              int pitch, int* info, int count) {
  // As documented, of matrices of up to 32 rows.
  if (h == nullptr || n < 0 || n > 32 || lda < most(n) || pitch < most(n) || count < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  return run(h, "cublasmatinvBatched", [=] {
    for (int i = 0; i < count; ++i) {
      const T* const of = a[i];
      const library_numbers<T> own(std::ptrdiff_t{n} * n);
      const library_numbers<int> pivots(n);
      reads(of, n, n, lda);
      copy_columns(n, n, of, lda, own.data(), n);
      const int singular = factor_lu(n, n, own.data(), n, pivots.data());
      if (singular == 0) invert(n, own.data(), n, pivots.data(), inverse[i], pitch);
      info[i] = singular;
    }
  });
}

template <class T>
cublasStatus_t geqrf_batched(cublasHandle_t h, int m, int n, T* const* a, int lda, T* const* tau, int* info,
                             int count) {
  const int wrong = m < 0 ? 2 : n < 0 ? 3 : lda < most(m) ? 5 : count < 0 ? 8 : 0;
  if (h == nullptr || tell_wrong(info, wrong)) return CUBLAS_STATUS_INVALID_VALUE;
  return run(h, "cublasgeqrfBatched", [=] {
    for (int i = 0; i < count; ++i) {
      T* const of = a[i];
      T* const factors = tau[i];
      reads(of, m, n, lda);
      writes(of, m, n, lda);
      writes(factors, m < n ? m : n, 1, 1);
      factor_qr(m, n, of, lda, factors);
    }
  });
}

/// The first n rows of c become the least squares of a x = c, and a its factors by geqrf.
template <class T>
cublasStatus_t gels_batched(cublasHandle_t h, cublasOperation_t op, int m, int n, int columns, T* const* a,
                            int lda, T* const* c, int ldc, int* info, int* of_each, int count) {
  // As documented, without a transposed matrix, and with as many rows as columns at least.
  if (op != CUBLAS_OP_N || m < n) return CUBLAS_STATUS_NOT_SUPPORTED;
  const int wrong = n < 0 ? 4 : columns < 0 ? 5 : lda < most(m) ? 7 : ldc < most(m) ? 9 : count < 0 ? 12 : 0;
  if (h == nullptr || tell_wrong(info, wrong)) return CUBLAS_STATUS_INVALID_VALUE;
  return run(h, "cublasgelsBatched", [=] {
    for (int i = 0; i < count; ++i) {
      T* const of = a[i];
      T* const x = c[i];
      const library_numbers<T> tau(n);
      reads(of, m, n, lda);
      reads(x, m, columns, ldc);
      writes(of, m, n, lda);
      writes(x, m, columns, ldc);
      factor_qr(m, n, of, lda, tau.data());
      const int singular = first_zero_of_diagonal(n, of, lda);
      if (of_each != nullptr) of_each[i] = singular;
      if (singular != 0) continue;
      multiply_by_q(CUBLAS_OP_C, m, columns, n, of, lda, tau.data(), x, ldc);
      for (int j = 0; j < columns; ++j)
        solve_triangle(false, CUBLAS_OP_N, false, n, of, lda, x + std::ptrdiff_t{j} * ldc);
    }
  });
}

}  // namespace heddle_device::blas

#define HEDDLE_BLAS_FACTORS(L, T)                                                                            \
  inline cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T* const a[], int lda, int* pivots, \
                                                int* info, int count) {                                      \
    return heddle_device::blas::getrf_batched(h, n, a, lda, pivots, info, count);                            \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##getrsBatched(cublasHandle_t h, cublasOperation_t op, int n, int columns,  \
                                                const T* const a[], int lda, const int* pivots,              \
                                                T* const b[], int ldb, int* info, int count) {               \
    return heddle_device::blas::getrs_batched(h, op, n, columns, a, lda, pivots, b, ldb, info, count);       \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, const T* const a[], int lda,        \
                                                const int* pivots, T* const inverse[], int pitch, int* info, \
                                                int count) {                                                 \
    return heddle_device::blas::getri_batched(h, n, a, lda, pivots, inverse, pitch, info, count);            \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##matinvBatched(cublasHandle_t h, int n, const T* const a[], int lda,       \
                                                 T* const inverse[], int pitch, int* info, int count) {      \
    return heddle_device::blas::matinv_batched(h, n, a, lda, inverse, pitch, info, count);                   \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##geqrfBatched(cublasHandle_t h, int m, int n, T* const a[], int lda,       \
                                                T* const tau[], int* info, int count) {                      \
    return heddle_device::blas::geqrf_batched(h, m, n, a, lda, tau, info, count);                            \
  }                                                                                                          \
  inline cublasStatus_t cublas##L##gelsBatched(cublasHandle_t h, cublasOperation_t op, int m, int n,         \
                                               int columns, T* const a[], int lda, T* const c[], int ldc,    \
                                               int* info, int* of_each, int count) {                         \
    return heddle_device::blas::gels_batched(h, op, m, n, columns, a, lda, c, ldc, info, of_each, count);    \
  }
HEDDLE_BLAS_FACTORS(S, float)
HEDDLE_BLAS_FACTORS(D, double)
HEDDLE_BLAS_FACTORS(C, cuComplex)
HEDDLE_BLAS_FACTORS(Z, cuDoubleComplex)
#undef HEDDLE_BLAS_FACTORS
