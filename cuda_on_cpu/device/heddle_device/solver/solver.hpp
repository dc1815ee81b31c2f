#pragma once
#pragma GCC system_header

/// Replacements of cuSOLVER's functions of dense matrices. Matrices are watched as wholes.

#include "../names_begin.hpp"

// Not before the macros are put away.
#include "../blas/blas.hpp"
#include "status.hpp"

#define CUSOLVERDN_H_

HEDDLE_SOLVER_CONTEXT(Dn)

namespace heddle_device::solver {

using blas::most, blas::reads, blas::writes;

/// How many elements of a buffer a factorisation of n columns asks for here.
inline int buffer_of(int n) {
  return 32 * most(n);
}
inline cusolverStatus_t tell_buffer(cusolverDnHandle_t h, bool is_right, int n, int* size) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_right || size == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *size = buffer_of(n);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class F>
cusolverStatus_t run(cusolverDnHandle_t h, bool is_right, const char* what, const F& f) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_right) return CUSOLVER_STATUS_INVALID_VALUE;
  return run_library(what, 1, 1, h->stream, f) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                              : CUSOLVER_STATUS_EXECUTION_FAILED;
}

template <class T>
cusolverStatus_t potrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n, T* a, int lda, T* buffer, int size,
                       int* info) {
  return run(h, n >= 0 && lda >= most(n) && size >= buffer_of(n), "cusolverDnpotrf", [=] {
    writes(buffer, buffer_of(n), 1, 1);
    reads(a, n, n, lda);
    writes(a, n, n, lda);
    *info = blas::factor_cholesky(fill == CUBLAS_FILL_MODE_LOWER, n, a, lda);
  });
}
template <class T>
cusolverStatus_t potrs(cusolverDnHandle_t h, cublasFillMode_t fill, int n, int columns, const T* a, int lda,
                       T* b, int ldb, int* info) {
  return run(h, n >= 0 && columns >= 0 && lda >= most(n) && ldb >= most(n), "cusolverDnpotrs", [=] {
    reads(a, n, n, lda);
    reads(b, n, columns, ldb);
    writes(b, n, columns, ldb);
    const bool is_lower = fill == CUBLAS_FILL_MODE_LOWER;
    for (int j = 0; j < columns; ++j) {
      T* const x = b + std::ptrdiff_t{j} * ldb;
      blas::solve_triangle(is_lower, is_lower ? CUBLAS_OP_N : CUBLAS_OP_C, false, n, a, lda, x);
      blas::solve_triangle(is_lower, is_lower ? CUBLAS_OP_C : CUBLAS_OP_N, false, n, a, lda, x);
    }
    *info = 0;
  });
}
template <class T>
cusolverStatus_t getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* buffer, int* pivots, int* info) {
  return run(h, m >= 0 && n >= 0 && lda >= most(m), "cusolverDngetrf", [=] {
    writes(buffer, buffer_of(n), 1, 1);
    reads(a, m, n, lda);
    writes(a, m, n, lda);
    if (pivots != nullptr) writes(pivots, m < n ? m : n, 1, 1);
    *info = blas::factor_lu(m, n, a, lda, pivots);
  });
}
template <class T>
cusolverStatus_t getrs(cusolverDnHandle_t h, cublasOperation_t op, int n, int columns, const T* a, int lda,
                       const int* pivots, T* b, int ldb, int* info) {
  return run(h, n >= 0 && columns >= 0 && lda >= most(n) && ldb >= most(n), "cusolverDngetrs", [=] {
    reads(a, n, n, lda);
    if (pivots != nullptr) reads(pivots, n, 1, 1);
    reads(b, n, columns, ldb);
    writes(b, n, columns, ldb);
    blas::solve_lu(op, n, columns, a, lda, pivots, b, ldb);
    *info = 0;
  });
}
template <class T>
cusolverStatus_t geqrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* tau, T* buffer, int size,
                       int* info) {
  return run(h, m >= 0 && n >= 0 && lda >= most(m) && size >= buffer_of(n), "cusolverDngeqrf", [=] {
    writes(buffer, buffer_of(n), 1, 1);
    reads(a, m, n, lda);
    writes(a, m, n, lda);
    writes(tau, m < n ? m : n, 1, 1);
    blas::factor_qr(m, n, a, lda, tau);
    *info = 0;
  });
}
/// c becomes op(q) c or c op(q), of k reflectors.
template <class T>
cusolverStatus_t ormqr(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,
                       const T* a, int lda, const T* tau, T* c, int ldc, T* buffer, int size, int* info) {
  const bool is_left = side == CUBLAS_SIDE_LEFT;
  const int rows = is_left ? m : n;
  const bool is_right =
      m >= 0 && n >= 0 && k >= 0 && k <= rows && lda >= most(rows) && ldc >= most(m) && size >= buffer_of(n);
  return run(h, is_right, "cusolverDnormqr", [=] {
    writes(buffer, buffer_of(n), 1, 1);
    reads(a, rows, k, lda);
    reads(tau, k, 1, 1);
    reads(c, m, n, ldc);
    writes(c, m, n, ldc);
    if (is_left) {
      blas::multiply_by_q(op, m, n, k, a, lda, tau, c, ldc);
    } else {
      // The adjoint of op(q)* c*.
      const library_numbers<T> own(static_cast<long long>(m) * n);
      blas::set_adjoint(n, m, c, ldc, own.data(), n);
      blas::multiply_by_q(op == CUBLAS_OP_N ? CUBLAS_OP_C : CUBLAS_OP_N, n, m, k, a, lda, tau, own.data(), n);
      blas::set_adjoint(m, n, own.data(), n, c, ldc);
    }
    *info = 0;
  });
}
/// The n columns of a become the first ones of q.
template <class T>
cusolverStatus_t orgqr(cusolverDnHandle_t h, int m, int n, int k, T* a, int lda, const T* tau, T* buffer,
                       int size, int* info) {
  const bool is_right = n >= 0 && m >= n && k >= 0 && k <= n && lda >= most(m) && size >= buffer_of(n);
  return run(h, is_right, "cusolverDnorgqr", [=] {
    writes(buffer, buffer_of(n), 1, 1);
    reads(a, m, k, lda);
    reads(tau, k, 1, 1);
    writes(a, m, n, lda);
    const library_numbers<T> own(static_cast<long long>(m) * n);
    blas::set_identity(m, n, own.data(), m);
    blas::multiply_by_q(CUBLAS_OP_N, m, n, k, a, lda, tau, own.data(), m);
    blas::copy_columns(m, n, own.data(), m, a, lda);
    *info = 0;
  });
}

}  // namespace heddle_device::solver

// Q is "or" of real matrices and "un" of complex ones.
#define HEDDLE_SOLVER(L, T, Q)                                                                               \
  inline cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t, int n, T*, \
                                                          int lda, int* size) {                              \
    return heddle_device::solver::tell_buffer(h, n >= 0 && lda >= n, n, size);                               \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n, T* a,     \
                                               int lda, T* buffer, int size, int* info) {                    \
    return heddle_device::solver::potrf(h, fill, n, a, lda, buffer, size, info);                             \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t h, cublasFillMode_t fill, int n,           \
                                               int columns, const T* a, int lda, T* b, int ldb, int* info) { \
    return heddle_device::solver::potrs(h, fill, n, columns, a, lda, b, ldb, info);                          \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*, int lda,   \
                                                          int* size) {                                       \
    return heddle_device::solver::tell_buffer(h, m >= 0 && n >= 0 && lda >= m, n, size);                     \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* buffer, \
                                               int* pivots, int* info) {                                     \
    return heddle_device::solver::getrf(h, m, n, a, lda, buffer, pivots, info);                              \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n,            \
                                               int columns, const T* a, int lda, const int* pivots, T* b,    \
                                               int ldb, int* info) {                                         \
    return heddle_device::solver::getrs(h, op, n, columns, a, lda, pivots, b, ldb, info);                    \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*, int lda,   \
                                                          int* size) {                                       \
    return heddle_device::solver::tell_buffer(h, m >= 0 && n >= 0 && lda >= m, n, size);                     \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* tau,    \
                                               T* buffer, int size, int* info) {                             \
    return heddle_device::solver::geqrf(h, m, n, a, lda, tau, buffer, size, info);                           \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##Q##mqr_bufferSize(cusolverDnHandle_t h, cublasSideMode_t,           \
                                                           cublasOperation_t, int m, int n, int k, const T*, \
                                                           int, const T*, const T*, int, int* size) {        \
    return heddle_device::solver::tell_buffer(h, m >= 0 && n >= 0 && k >= 0, n, size);                       \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##Q##mqr(                                                             \
      cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, const T* a,    \
      int lda, const T* tau, T* c, int ldc, T* buffer, int size, int* info) {                                \
    return heddle_device::solver::ormqr(h, side, op, m, n, k, a, lda, tau, c, ldc, buffer, size, info);      \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##Q##gqr_bufferSize(cusolverDnHandle_t h, int m, int n, int k,        \
                                                           const T*, int, const T*, int* size) {             \
    return heddle_device::solver::tell_buffer(h, m >= 0 && n >= 0 && k >= 0, n, size);                       \
  }                                                                                                          \
  inline cusolverStatus_t cusolverDn##L##Q##gqr(cusolverDnHandle_t h, int m, int n, int k, T* a, int lda,    \
                                                const T* tau, T* buffer, int size, int* info) {              \
    return heddle_device::solver::orgqr(h, m, n, k, a, lda, tau, buffer, size, info);                        \
  }
HEDDLE_SOLVER(S, float, or)
HEDDLE_SOLVER(D, double, or)
HEDDLE_SOLVER(C, cuComplex, un)
HEDDLE_SOLVER(Z, cuDoubleComplex, un)
#undef HEDDLE_SOLVER
#include "../names_end.hpp"
