#pragma once

/// Of cuSPARSE: from one format to another, and into order.

#include "entries.hpp"

namespace heddle_device::sparse {

inline cusparseStatus_t check_conversion(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse,
                                         cusparseConstDnMatDescr_t dense) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (sparse == nullptr || dense == nullptr || sparse->rows != dense->rows ||
      sparse->columns != dense->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}
inline size_t conversion_bytes(const cusparseDnMatDescr& m) {
  return 8 * static_cast<size_t>(m.rows + m.columns + 1);
}
inline cusparseStatus_t tell_conversion_bytes(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse,
                                              cusparseConstDnMatDescr_t dense, size_t* bytes) {
  const cusparseStatus_t status = check_conversion(handle, sparse, dense);
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (status == CUSPARSE_STATUS_SUCCESS) *bytes = conversion_bytes(*dense);
  return status;
}

/// Calls f(line, across, value) for each element that is not zero, by rows, or by columns where the format
/// is.
template <class F>
void for_nonzeros(const cusparseDnMatDescr& m, bool by_columns, const F& f) {
  const long long lines = by_columns ? m.columns : m.rows, length = by_columns ? m.rows : m.columns;
  for (long long line = 0; line < lines; ++line) {
    for (long long across = 0; across < length; ++across) {
      const number value = by_columns ? get(m, across, line) : get(m, line, across);
      if (value.real() != 0 || value.imag() != 0) f(line, across, value);
    }
  }
}
/// Writes offsets of lines of which `counts` has the number of entries behind each line's begin.
inline void write_offsets(void* to, cusparseIndexType_t type, long long base,
                          const library_numbers<long long>& counts) {
  long long begin = base;
  for (long long i = 0; i < counts.size(); ++i) {
    set_index(to, type, i, begin);
    begin += counts.get(i);
  }
}

/// Puts pairs of indices in order: of those that begin `first` behind the beginning, by `major` and then by
/// `minor`; permutes `order` alike where it is there.
inline void sort_pairs(int* major, int* minor, int* order, long long n) {
  library_numbers<u64> keys(n), places(n), majors(n), minors(n), orders(n);
  for (long long i = 0; i < n; ++i) {
    majors.set(i, static_cast<u64>(static_cast<unsigned>(major[i])));
    minors.set(i, static_cast<u64>(static_cast<unsigned>(minor[i])));
    orders.set(i, order != nullptr ? static_cast<u64>(static_cast<unsigned>(order[i])) : 0);
    keys.set(i, majors.get(i) << 32 | minors.get(i));
    places.set(i, static_cast<u64>(i));
  }
  places.sort_by(keys, 0, n);
  for (long long i = 0; i < n; ++i) {
    const auto from = static_cast<long long>(places.get(i));
    major[i] = static_cast<int>(majors.get(from));
    minor[i] = static_cast<int>(minors.get(from));
    if (order != nullptr) order[i] = static_cast<int>(orders.get(from));
  }
}
/// The same of the indices of each line.
inline void sort_lines(long long lines, long long entries, int base, const int* offsets, int* indices,
                       int* order) {
  library_numbers<u64> keys(entries), places(entries), values(entries), orders(entries);
  for (long long line = 0; line < lines; ++line) {
    const long long begin = offsets[line] - base, end = offsets[line + 1] - base;
    for (long long i = begin; i < end; ++i) {
      const auto value = static_cast<u64>(static_cast<unsigned>(indices[i]));
      const u64 old = order != nullptr ? static_cast<u64>(static_cast<unsigned>(order[i])) : 0;
      if (!keys.has(i)) continue;
      keys.set(i, value);
      values.set(i, value);
      orders.set(i, old);
      places.set(i, static_cast<u64>(i));
    }
    if (begin < 0 || end > entries || begin >= end) continue;
    places.sort_by(keys, begin, end - begin);
    for (long long i = begin; i < end; ++i) {
      const auto from = static_cast<long long>(places.get(i));
      indices[i] = static_cast<int>(values.get(from));
      if (order != nullptr) order[i] = static_cast<int>(orders.get(from));
    }
  }
}
inline size_t sort_bytes(int entries) {
  return 16 * static_cast<size_t>(entries) + 16;
}

}  // namespace heddle_device::sparse

inline cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                         cusparseConstSpMatDescr_t matA,
                                                         cusparseDnMatDescr_t matB,
                                                         cusparseSparseToDenseAlg_t, size_t* bytes) {
  return heddle_device::sparse::tell_conversion_bytes(handle, matA, matB, bytes);
}
inline cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                              cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t,
                                              void* buffer) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_conversion(handle, matA, matB);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return run(handle, "cusparseSparseToDense", [buffer, from = *matA, to = *matB] {
    use_buffer(buffer, conversion_bytes(to));
    for (long long i = 0; i < to.rows; ++i)
      for (long long j = 0; j < to.columns; ++j) put(to, i, j, {});
    for_entries(from, [&](long long row, long long column, long long at) {
      put(to, row, column, get(from.values, from.value_type, at));
    });
  });
}
inline cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                         cusparseConstDnMatDescr_t matA,
                                                         cusparseSpMatDescr_t matB,
                                                         cusparseDenseToSparseAlg_t, size_t* bytes) {
  return heddle_device::sparse::tell_conversion_bytes(handle, matB, matA, bytes);
}
/// Leaves the number of entries in the descriptor.
inline cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                       cusparseConstDnMatDescr_t matA,
                                                       cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
                                                       void* buffer) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_conversion(handle, matB, matA);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return run_for(handle, "cusparseDenseToSparse_analysis", &matB->entries, [buffer, from = *matA] {
    use_buffer(buffer, conversion_bytes(from));
    long long count = 0;
    for_nonzeros(from, false, [&](long long, long long, const number&) { ++count; });
    return count;
  });
}
inline cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                                      cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
                                                      void* buffer) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_conversion(handle, matB, matA);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (matB->format == CUSPARSE_FORMAT_BSR) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return run(handle, "cusparseDenseToSparse_convert", [buffer, from = *matA, to = *matB] {
    use_buffer(buffer, conversion_bytes(from));
    const bool is_coo = to.format == CUSPARSE_FORMAT_COO, by_columns = to.format == CUSPARSE_FORMAT_CSC;
    heddle_device::library_numbers<long long> counts((by_columns ? to.columns : to.rows) + 1);
    long long at = 0;
    for_nonzeros(from, by_columns, [&](long long line, long long across, const number& value) {
      counts.add(line, 1);
      if (is_coo) set_index(to.offsets, to.offset_type, at, line + to.base);
      set_index(to.indices, to.index_type, at, across + to.base);
      put(to.values, to.value_type, at, value);
      ++at;
    });
    if (!is_coo) write_offsets(to.offsets, to.offset_type, to.base, counts);
  });
}

inline cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                                      const void*, const int*, const int*, void*, int*, int*,
                                                      cudaDataType, cusparseAction_t, cusparseIndexBase_t,
                                                      cusparseCsr2CscAlg_t, size_t* bytes) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnz < 0 || bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *bytes = heddle_device::sparse::sort_bytes(nnz);
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                                           const int* csrRowPtr, const int* csrColInd, void* cscVal,
                                           int* cscColPtr, int* cscRowInd, cudaDataType type,
                                           cusparseAction_t action, cusparseIndexBase_t base,
                                           cusparseCsr2CscAlg_t, void* buffer) {
  using namespace heddle_device::sparse;
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (action == CUSPARSE_ACTION_NUMERIC && !is_supported(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return run(handle, "cusparseCsr2cscEx2", [=] {
    use_buffer(buffer, sort_bytes(nnz));
    heddle_device::library_numbers<long long> counts(n + 1LL), next(n + 1LL);
    for (int i = 0; i < nnz; ++i) {
      const int column = csrColInd[i] - base;
      if (column >= 0 && column < n) counts.add(column, 1);
    }
    write_offsets(cscColPtr, CUSPARSE_INDEX_32I, base, counts);
    for (int j = 0; j < n; ++j) next.set(j + 1, next.get(j) + counts.get(j));
    for (int row = 0; row < m; ++row) {
      for (int i = csrRowPtr[row] - base; i < csrRowPtr[row + 1] - base; ++i) {
        const int column = csrColInd[i] - base;
        if (column < 0 || column >= n) {
          touch(cscColPtr, CUDA_R_32I, column);
          continue;
        }
        const long long to = next.get(column);
        next.add(column, 1);
        cscRowInd[to] = row + base;
        if (action == CUSPARSE_ACTION_NUMERIC) put(cscVal, type, to, get(csrVal, type, i));
      }
    }
  });
}
inline cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows, int nnz, int m,
                                         int* offsets, cusparseIndexBase_t base) {
  using namespace heddle_device::sparse;
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (nnz < 0 || m < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseXcoo2csr", [=] {
    heddle_device::library_numbers<long long> counts(m + 1LL);
    for (int i = 0; i < nnz; ++i) {
      const int row = rows[i] - base;
      if (row >= 0 && row < m) {
        counts.add(row, 1);
      } else {
        touch(offsets, CUDA_R_32I, row + 1LL);
      }
    }
    write_offsets(offsets, CUSPARSE_INDEX_32I, base, counts);
  });
}
inline cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int nnz, int m,
                                         int* rows, cusparseIndexBase_t base) {
  using namespace heddle_device::sparse;
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (nnz < 0 || m < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseXcsr2coo", [=] {
    for (int row = 0; row < m; ++row)
      for (int i = offsets[row] - base; i < offsets[row + 1] - base; ++i) rows[i] = row + base;
  });
}
inline cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (n < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return heddle_device::sparse::run(handle, "cusparseCreateIdentityPermutation", [=] {
    for (int i = 0; i < n; ++i) p[i] = i;
  });
}

// Sizes of buffers to sort by; of all formats alike.
#define HEDDLE_SPARSE_SORT_BYTES(WHAT)                                                         \
  inline cusparseStatus_t cusparseX##WHAT##sort_bufferSizeExt(                                 \
      cusparseHandle_t handle, int m, int n, int nnz, const int*, const int*, size_t* bytes) { \
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                             \
    if (m < 0 || n < 0 || nnz < 0 || bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;   \
    *bytes = heddle_device::sparse::sort_bytes(nnz);                                           \
    return CUSPARSE_STATUS_SUCCESS;                                                            \
  }
HEDDLE_SPARSE_SORT_BYTES(coo)
HEDDLE_SPARSE_SORT_BYTES(csr)
HEDDLE_SPARSE_SORT_BYTES(csc)
#undef HEDDLE_SPARSE_SORT_BYTES
inline cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int* rows,
                                              int* columns, int* order, void* buffer) {
  using namespace heddle_device::sparse;
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseXcoosortByRow", [=] {
    use_buffer(buffer, sort_bytes(nnz));
    sort_pairs(rows, columns, order, nnz);
  });
}
inline cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int* rows,
                                                 int* columns, int* order, void* buffer) {
  using namespace heddle_device::sparse;
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseXcoosortByColumn", [=] {
    use_buffer(buffer, sort_bytes(nnz));
    sort_pairs(columns, rows, order, nnz);
  });
}
inline cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                         cusparseMatDescr_t descrA, const int* offsets, int* columns,
                                         int* order, void* buffer) {
  using namespace heddle_device::sparse;
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnz < 0 || descrA == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseXcsrsort", [=, base = descrA->base] {
    use_buffer(buffer, sort_bytes(nnz));
    sort_lines(m, nnz, base, offsets, columns, order);
  });
}
inline cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                         cusparseMatDescr_t descrA, const int* offsets, int* rows, int* order,
                                         void* buffer) {
  return cusparseXcsrsort(handle, n, m, nnz, descrA, offsets, rows, order, buffer);
}
