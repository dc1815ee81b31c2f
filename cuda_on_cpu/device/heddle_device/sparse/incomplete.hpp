#pragma once

/// Of cuSPARSE: incomplete factors in the entries that a matrix has, and what a dense matrix has of nonzeros.

#include "../blas/types.hpp"
#include "products.hpp"

enum cusparseSolvePolicy_t { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL };

/// Of one matrix: the row of the first pivot that is 0, once it is factored; null before.
struct csrilu02Info {
  int* first_zero = nullptr;  // on the device; -1 for none
};
using csrilu02Info_t = csrilu02Info*;

inline cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info) {
  if (info == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *info = new csrilu02Info;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) {
  if (info != nullptr && info->first_zero != nullptr) cudaFree(info->first_zero);
  delete info;
  return CUSPARSE_STATUS_SUCCESS;
}

namespace heddle_device::sparse {

/// a becomes l and u in the places of its own entries, with l's diagonal of ones left out.
template <class T>
void factor_incompletely(int n, int base, T* values, const int* offsets, const int* columns,
                         int* first_zero) {
  using C = blas::number_t<T>;
  *first_zero = -1;
  for (int row = 0; row < n; ++row) {
    const int first = offsets[row] - base, last = offsets[row + 1] - base;
    for (int i = first; i < last && columns[i] - base < row; ++i) {
      const int above = columns[i] - base;
      const int end_above = offsets[above + 1] - base;
      int j = offsets[above] - base;
      while (j < end_above && columns[j] - base < above) ++j;
      // Without a pivot nothing is divided.
      if (j == end_above || columns[j] - base != above) continue;
      const C by = blas::loaded<C>(values[i]) / blas::loaded<C>(values[j]);
      blas::stored(values[i], by);
      for (int to = i + 1; to < last; ++to) {
        while (j < end_above && columns[j] < columns[to]) ++j;
        if (j < end_above && columns[j] == columns[to])
          blas::stored(values[to],
                       blas::loaded<C>(values[to]) - blas::product(by, blas::loaded<C>(values[j])));
      }
    }
    bool has_pivot = false;
    for (int i = first; i < last; ++i)
      has_pivot |= columns[i] - base == row && !(blas::loaded<C>(values[i]) == C());
    if (!has_pivot && *first_zero < 0) *first_zero = row + base;
  }
}
inline size_t incomplete_bytes(int n, int nnz) {
  return (static_cast<size_t>(n) + static_cast<size_t>(nnz)) * sizeof(int);
}
inline cusparseStatus_t check_incomplete(cusparseHandle_t handle, int n, int nnz, cusparseMatDescr_t descr,
                                         csrilu02Info_t info) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return n < 0 || nnz < 0 || descr == nullptr || info == nullptr ? CUSPARSE_STATUS_INVALID_VALUE
                                                                 : CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t analyse_incomplete(cusparseHandle_t handle, int n, int nnz, cusparseMatDescr_t descr,
                                    const T* values, const int* offsets, const int* columns,
                                    csrilu02Info_t info, void* buffer) {
  const cusparseStatus_t status = check_incomplete(handle, n, nnz, descr, info);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (info->first_zero == nullptr && cudaMalloc(&info->first_zero, sizeof(int)) != cudaSuccess)
    return CUSPARSE_STATUS_ALLOC_FAILED;
  return run(handle, "cusparsecsrilu02_analysis", [=, none = info->first_zero] {
    *none = -1;
    use_buffer(buffer, incomplete_bytes(n, nnz));
    const auto entries = static_cast<size_t>(nnz);
    library_reads(offsets, (static_cast<size_t>(n) + 1) * sizeof(int));
    library_reads(columns, entries * sizeof(int));
    library_reads(values, entries * sizeof(T));
  });
}
template <class T>
cusparseStatus_t factor_incompletely(cusparseHandle_t handle, int n, int nnz, cusparseMatDescr_t descr,
                                     T* values, const int* offsets, const int* columns, csrilu02Info_t info,
                                     void* buffer) {
  const cusparseStatus_t status = check_incomplete(handle, n, nnz, descr, info);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (info->first_zero == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparsecsrilu02", [=, base = static_cast<int>(descr->base), to = info->first_zero] {
    use_buffer(buffer, incomplete_bytes(n, nnz));
    factor_incompletely(n, base, values, offsets, columns, to);
  });
}

template <class T>
cusparseStatus_t count_nonzeros(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                                cusparseMatDescr_t descr, const T* a, int lda, int* counts, int* total) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || lda < m || descr == nullptr || total == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const bool is_on_device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  const library_memory<int> own(1);
  int* const sum = is_on_device ? total : own.data();
  const cusparseStatus_t status = run(handle, "cusparsennz", [=] {
    int all = 0;
    const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
    for (int i = 0; i < (by_rows ? m : n); ++i) {
      int count = 0;
      for (int j = 0; j < (by_rows ? n : m); ++j) {
        const std::ptrdiff_t at = by_rows ? i + std::ptrdiff_t{j} * lda : j + std::ptrdiff_t{i} * lda;
        using C = blas::number_t<T>;
        if (!(blas::loaded<C>(a[at]) == C())) ++count;
      }
      counts[i] = count;
      all += count;
    }
    *sum = all;
  });
  if (status != CUSPARSE_STATUS_SUCCESS || is_on_device) return status;
  return status_of(cudaMemcpy(total, sum, sizeof *total, cudaMemcpyDeviceToHost) == cudaSuccess);
}

}  // namespace heddle_device::sparse

/// Waits for the factors.
inline cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                                    int* position) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (info == nullptr || info->first_zero == nullptr || position == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  int first = -1;
  if (cudaMemcpy(&first, info->first_zero, sizeof first, cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUSPARSE_STATUS_EXECUTION_FAILED;
  *position = first;
  return first < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

#define HEDDLE_SPARSE_INCOMPLETE(L, T)                                                                       \
  inline cusparseStatus_t cusparse##L##csrilu02_bufferSize(cusparseHandle_t handle, int m, int nnz,          \
                                                           cusparseMatDescr_t descr, T*, const int*,         \
                                                           const int*, csrilu02Info_t info, int* bytes) {    \
    const cusparseStatus_t status = heddle_device::sparse::check_incomplete(handle, m, nnz, descr, info);    \
    if (status != CUSPARSE_STATUS_SUCCESS) return status;                                                    \
    return heddle_device::sparse::status_of(heddle_device::sparse::tell(                                     \
        bytes, static_cast<int>(heddle_device::sparse::incomplete_bytes(m, nnz))));                          \
  }                                                                                                          \
  inline cusparseStatus_t cusparse##L##csrilu02_analysis(                                                    \
      cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, const T* values,                    \
      const int* offsets, const int* columns, csrilu02Info_t info, cusparseSolvePolicy_t, void* buffer) {    \
    return heddle_device::sparse::analyse_incomplete(handle, m, nnz, descr, values, offsets, columns, info,  \
                                                     buffer);                                                \
  }                                                                                                          \
  inline cusparseStatus_t cusparse##L##csrilu02(                                                             \
      cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, T* values, const int* offsets,      \
      const int* columns, csrilu02Info_t info, cusparseSolvePolicy_t, void* buffer) {                        \
    return heddle_device::sparse::factor_incompletely(handle, m, nnz, descr, values, offsets, columns, info, \
                                                      buffer);                                               \
  }                                                                                                          \
  inline cusparseStatus_t cusparse##L##nnz(cusparseHandle_t handle, cusparseDirection_t direction, int m,    \
                                           int n, cusparseMatDescr_t descr, const T* a, int lda,             \
                                           int* counts, int* total) {                                        \
    return heddle_device::sparse::count_nonzeros(handle, direction, m, n, descr, a, lda, counts, total);     \
  }
HEDDLE_SPARSE_INCOMPLETE(S, float)
HEDDLE_SPARSE_INCOMPLETE(D, double)
HEDDLE_SPARSE_INCOMPLETE(C, cuComplex)
HEDDLE_SPARSE_INCOMPLETE(Z, cuDoubleComplex)
#undef HEDDLE_SPARSE_INCOMPLETE
