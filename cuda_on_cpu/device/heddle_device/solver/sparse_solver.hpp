#pragma once
#pragma GCC system_header

/// Replacements of cuSOLVER's functions of sparse matrices: solutions in one call, orderings, many systems of
/// one pattern.

#include "../names_begin.hpp"

#include <complex>
#include <cstdint>
// Not before the macros are put away.
#include "factors_in_steps.hpp"

#define CUSOLVERSP_H_
#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_

namespace heddle_device::solver {

/// x with a x = b; the first pivot that is not larger than the tolerance, or -1.
template <class T, class R>
cusolverStatus_t solve_at_once(cusolverSpHandle_t handle, bool on_device, const char* what,
                               sparse_method method, const compressed_rows& a, const T* values, const T* b,
                               R tolerance, int reorder, T* x, int* singularity) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (a.is_wrong() || values == nullptr || b == nullptr || x == nullptr || singularity == nullptr ||
      reorder < 0 || reorder > 3)
    return CUSOLVER_STATUS_INVALID_VALUE;
  kept_factors factors;
  kept_factors* const made = &factors;
  const cusolverStatus_t status = run_and_wait(on_device, what, handle->stream, [=] {
    made->make(matrix_copy(a, values).view(), {method});
    made->solve(b, a.rows, x, a.columns);
  });
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  if (!factors.are_made()) return CUSOLVER_STATUS_EXECUTION_FAILED;
  *singularity = factors.first_small_pivot(tolerance);
  return CUSOLVER_STATUS_SUCCESS;
}

inline cusolverStatus_t order(cusolverSpHandle_t handle, const compressed_rows& a, sparse_order how, int* p) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (a.is_wrong() || p == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (program_runtime() == nullptr) return CUSOLVER_STATUS_INTERNAL_ERROR;
  library_numbers<long long> permutation(a.rows);
  program_runtime()->libraries().order(matrix_copy(a).view(), how, permutation.data());
  for (int i = 0; i < a.rows; ++i) p[i] = static_cast<int>(permutation.get(i));
  return CUSOLVER_STATUS_SUCCESS;
}

/// Whether each entry of a pattern has one at the transposed place.
inline bool is_symmetric(const compressed_rows& a) {
  const matrix_copy copy(a);
  for (long long i = 0; i < copy.rows(); ++i) {
    for (long long k = copy.begin(i); k < copy.begin(i + 1); ++k) {
      const long long j = copy.column(k);
      if (j < 0 || j >= copy.rows()) return false;
      bool is_there = false;
      for (long long l = copy.begin(j); l < copy.begin(j + 1) && !is_there; ++l)
        is_there = copy.column(l) == i;
      if (!is_there) return false;
    }
  }
  return true;
}

/// In place of a comes a(p, q), with the columns of each row in order; map follows the entries.
inline void permute(const compressed_rows& a, int* offsets, int* indices, const int* p, const int* q,
                    int* map) {
  const matrix_copy copy(a);
  library_numbers<int> new_column(a.columns);
  library_numbers<int> old_map(a.entries);
  for (int j = 0; j < a.columns; ++j) {
    const int from = q[j];
    if (new_column.has(from)) new_column.set(from, j);
  }
  for (int k = 0; k < a.entries; ++k) old_map.set(k, map[k]);
  int at = 0;
  for (int i = 0; i < a.rows; ++i) {
    const int row = p[i], first = at;
    offsets[i] = at + a.base;
    if (row < 0 || row >= a.rows) continue;
    for (long long k = copy.begin(row); k < copy.begin(row + 1); ++k) {
      if (!new_column.has(copy.column(k))) continue;
      const int column = new_column.get(copy.column(k)) + a.base, from = old_map.get(copy.place(k));
      int to = at++;
      for (; to > first && indices[to - 1] > column; --to) {
        indices[to] = indices[to - 1];
        map[to] = map[to - 1];
      }
      indices[to] = column;
      map[to] = from;
    }
  }
  offsets[a.rows] = at + a.base;
}

}  // namespace heddle_device::solver

#define HEDDLE_SPARSE_MATRIX                                                                          \
  cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, \
      const int *csrColIndA
#define HEDDLE_SPARSE_ORDER(NAME, HOW)                                                      \
  inline cusolverStatus_t cusolverSpXcsr##NAME##Host(HEDDLE_SPARSE_MATRIX, int* p) {        \
    return heddle_device::solver::order(                                                    \
        handle, heddle_device::solver::rows_at(n, n, nnzA, descrA, csrRowPtrA, csrColIndA), \
        heddle_device::sparse_order::HOW, p);                                               \
  }
HEDDLE_SPARSE_ORDER(symrcm, small_bandwidth)
HEDDLE_SPARSE_ORDER(symmdq, minimum_degree)
HEDDLE_SPARSE_ORDER(symamd, minimum_degree)
#undef HEDDLE_SPARSE_ORDER
/// Minimum degree, whatever METIS's options say.
inline cusolverStatus_t cusolverSpXcsrmetisndHost(HEDDLE_SPARSE_MATRIX, const int64_t*, int* p) {
  return cusolverSpXcsrsymamdHost(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p);
}
#undef HEDDLE_SPARSE_MATRIX

inline cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA,
                                                const cusparseMatDescr_t descrA, const int* csrRowPtrA,
                                                const int* csrEndPtrA, const int* csrColIndA, int* issym) {
  heddle_device::solver::compressed_rows a =
      heddle_device::solver::rows_at(m, m, nnzA, descrA, csrRowPtrA, csrColIndA);
  a.ends = csrEndPtrA;
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (a.is_wrong() || csrEndPtrA == nullptr || issym == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *issym = heddle_device::solver::is_symmetric(a) ? 1 : 0;
  return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                                          const cusparseMatDescr_t, const int*, const int*,
                                                          const int*, const int*, size_t* bytes) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnzA < 0 || bytes == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *bytes = sizeof(int) * (static_cast<size_t>(nnzA) + static_cast<size_t>(n) + 4);
  return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                               const cusparseMatDescr_t descrA, int* csrRowPtrA,
                                               int* csrColIndA, const int* p, const int* q, int* map,
                                               void* buffer) {
  const heddle_device::solver::compressed_rows a =
      heddle_device::solver::rows_at(m, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (a.is_wrong() || p == nullptr || q == nullptr || map == nullptr || buffer == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  heddle_device::solver::permute(a, csrRowPtrA, csrColIndA, p, q, map);
  return CUSOLVER_STATUS_SUCCESS;
}

#define HEDDLE_SPARSE_SOLUTION(NAME, ON_DEVICE, METHOD, T, R)                                                \
  inline cusolverStatus_t NAME(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA,   \
                               const T* csrVal, const int* csrRowPtr, const int* csrColInd, const T* b,      \
                               R tol, int reorder, T* x, int* singularity) {                                 \
    return heddle_device::solver::solve_at_once(                                                             \
        handle, ON_DEVICE, #NAME, heddle_device::sparse_method::METHOD,                                      \
        heddle_device::solver::rows_at(n, n, nnz, descrA, csrRowPtr, csrColInd), csrVal, b, tol, reorder, x, \
        singularity);                                                                                        \
  }
#define HEDDLE_SPARSE_SOLUTIONS(L, T, R)                                  \
  HEDDLE_SPARSE_SOLUTION(cusolverSp##L##csrlsvluHost, false, lu, T, R)    \
  HEDDLE_SPARSE_SOLUTION(cusolverSp##L##csrlsvqr, true, qr, T, R)         \
  HEDDLE_SPARSE_SOLUTION(cusolverSp##L##csrlsvqrHost, false, qr, T, R)    \
  HEDDLE_SPARSE_SOLUTION(cusolverSp##L##csrlsvchol, true, cholesky, T, R) \
  HEDDLE_SPARSE_SOLUTION(cusolverSp##L##csrlsvcholHost, false, cholesky, T, R)
HEDDLE_SPARSE_SOLUTIONS(S, float, float)
HEDDLE_SPARSE_SOLUTIONS(D, double, double)
HEDDLE_SPARSE_SOLUTIONS(C, cuComplex, float)
HEDDLE_SPARSE_SOLUTIONS(Z, cuDoubleComplex, double)
#undef HEDDLE_SPARSE_SOLUTIONS
#undef HEDDLE_SPARSE_SOLUTION
#include "../names_end.hpp"
