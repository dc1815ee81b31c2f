#pragma once

/// Of cuSPARSE: products of two sparse matrices.

#include "products.hpp"

namespace heddle_device::sparse {

inline cusparseStatus_t check_sparse_product(cusparseHandle_t handle, cusparseOperation_t of_a,
                                             cusparseOperation_t of_b, cusparseConstSpMatDescr_t a,
                                             cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
                                             cusparseSpGEMMDescr_t descr) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || b == nullptr || c == nullptr || descr == nullptr || a->columns != b->rows ||
      c->rows != a->rows || c->columns != b->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (of_a != CUSPARSE_OPERATION_NON_TRANSPOSE || of_b != CUSPARSE_OPERATION_NON_TRANSPOSE ||
      a->format != CUSPARSE_FORMAT_CSR || b->format != CUSPARSE_FORMAT_CSR ||
      c->format != CUSPARSE_FORMAT_CSR)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return CUSPARSE_STATUS_SUCCESS;
}

/// Calls f(row, number of the row's columns, those columns in order, the sums by column) for each row of ab.
template <class F>
void for_rows_of_product(const cusparseSpMatDescr& a, const cusparseSpMatDescr& b, bool reads_values,
                         const F& f) {
  constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const rows_of_entries of_a(a, as_it_is), of_b(b, as_it_is);
  sums values(b.columns);
  library_numbers<u64> columns(b.columns), seen_in(b.columns);
  for (long long row = 0; row < a.rows; ++row) {
    long long count = 0;
    for (long long i = of_a.begin(row); i < of_a.begin(row + 1); ++i) {
      const long long k = of_a.column(i);
      if (k < 0 || k >= b.rows) {
        touch(b.offsets, b.offset_type == CUSPARSE_INDEX_64I ? CUDA_R_64F : CUDA_R_32I, k);
        continue;
      }
      const number by = reads_values ? get(a.values, a.value_type, of_a.place(i)) : number();
      for (long long l = of_b.begin(k); l < of_b.begin(k + 1); ++l) {
        const long long column = of_b.column(l);
        if (!values.has(column)) continue;
        if (seen_in.get(column) != static_cast<u64>(row) + 1) {
          seen_in.set(column, static_cast<u64>(row) + 1);
          columns.set(count++, static_cast<u64>(column));
          values.clear(column);
        }
        if (reads_values) values.add(column, product(by, get(b.values, b.value_type, of_b.place(l))));
      }
    }
    columns.sort_by(columns, 0, count);
    f(row, count, columns, values);
  }
}

/// The number of entries of ab.
inline cusparseStatus_t count_product(cusparseHandle_t handle, const char* what, const cusparseSpMatDescr& a,
                                      const cusparseSpMatDescr& b, cusparseSpMatDescr_t c, void* buffer,
                                      size_t bytes) {
  return run_for(handle, what, &c->entries, [a, b, buffer, bytes] {
    use_buffer(buffer, bytes);
    long long count = 0;
    for_rows_of_product(a, b, false, [&](long long, long long n, const auto&, const auto&) { count += n; });
    return count;
  });
}
/// Writes offsets, columns or values of alpha ab + beta c, or several of them. Where offsets are not written,
/// c has them.
inline cusparseStatus_t write_product(cusparseHandle_t handle, const char* what, const cusparseSpMatDescr& a,
                                      const cusparseSpMatDescr& b, const cusparseSpMatDescr& c,
                                      bool writes_structure, const factor* alpha, const factor* beta) {
  const bool writes_values = alpha != nullptr;
  const factor none(CUDA_C_64F), by = writes_values ? *alpha : none, kept_by = writes_values ? *beta : none;
  return run(handle, what, [=] {
    const number factor = writes_values ? by.get() : number(),
                 kept = writes_values ? kept_by.get() : number();
    long long at = 0;
    if (writes_structure) set_index(c.offsets, c.offset_type, 0, c.base);
    for_rows_of_product(
        a, b, writes_values, [&](long long row, long long n, const auto& columns, const auto& values) {
          for (long long i = 0; i < n; ++i, ++at) {
            const auto column = static_cast<long long>(columns.get(i));
            if (writes_structure) set_index(c.indices, c.index_type, at, column + c.base);
            if (writes_values)
              put(c.values, c.value_type, at,
                  updated(factor, values.get(column), kept, [&] { return get(c.values, c.value_type, at); }));
          }
          if (writes_structure) set_index(c.offsets, c.offset_type, row + 1, at + c.base);
        });
  });
}
/// Says how large a buffer is to be, or uses it.
inline cusparseStatus_t ask_or_fill(cusparseHandle_t handle, const char* what, const cusparseSpMatDescr& a,
                                    size_t* bytes, void* buffer) {
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (buffer != nullptr) return fill_buffer(handle, what, buffer, *bytes);
  *bytes = buffer_bytes(a);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace heddle_device::sparse

inline cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descr) {
  if (descr == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *descr = new cusparseSpGEMMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}

#define HEDDLE_SPARSE_PRODUCT                                                                   \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, \
      cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,         \
      cusparseSpMatDescr_t matC, cudaDataType type, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr
#define HEDDLE_SPARSE_CHECK                                                                   \
  const cusparseStatus_t status =                                                             \
      heddle_device::sparse::check_sparse_product(handle, opA, opB, matA, matB, matC, descr); \
  if (status != CUSPARSE_STATUS_SUCCESS) return status
inline cusparseStatus_t cusparseSpGEMM_workEstimation(HEDDLE_SPARSE_PRODUCT, size_t* bytes, void* buffer) {
  HEDDLE_SPARSE_CHECK;
  (void)type;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return heddle_device::sparse::ask_or_fill(handle, "cusparseSpGEMM_workEstimation", *matA, bytes, buffer);
}
inline cusparseStatus_t cusparseSpGEMM_compute(HEDDLE_SPARSE_PRODUCT, size_t* bytes, void* buffer) {
  HEDDLE_SPARSE_CHECK;
  (void)type;
  if (alpha == nullptr || beta == nullptr || bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (buffer == nullptr) {
    *bytes = heddle_device::sparse::buffer_bytes(*matA);
    return CUSPARSE_STATUS_SUCCESS;
  }
  return heddle_device::sparse::count_product(handle, "cusparseSpGEMM_compute", *matA, *matB, matC, buffer,
                                              *bytes);
}
inline cusparseStatus_t cusparseSpGEMM_copy(HEDDLE_SPARSE_PRODUCT) {
  HEDDLE_SPARSE_CHECK;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const heddle_device::sparse::factor by(handle, alpha, type), none(type);
  return heddle_device::sparse::write_product(handle, "cusparseSpGEMM_copy", *matA, *matB, *matC, true, &by,
                                              &none);
}
#undef HEDDLE_SPARSE_PRODUCT

#define HEDDLE_SPARSE_PRODUCT                                                                                \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, cusparseConstSpMatDescr_t matA, \
      cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t,                        \
      cusparseSpGEMMDescr_t descr
inline cusparseStatus_t cusparseSpGEMMreuse_workEstimation(HEDDLE_SPARSE_PRODUCT, size_t* bytes,
                                                           void* buffer) {
  HEDDLE_SPARSE_CHECK;
  return heddle_device::sparse::ask_or_fill(handle, "cusparseSpGEMMreuse_workEstimation", *matA, bytes,
                                            buffer);
}
inline cusparseStatus_t cusparseSpGEMMreuse_nnz(HEDDLE_SPARSE_PRODUCT, size_t* bytes2, void* buffer2,
                                                size_t* bytes3, void* buffer3, size_t* bytes4,
                                                void* buffer4) {
  HEDDLE_SPARSE_CHECK;
  if (bytes2 == nullptr || bytes3 == nullptr || bytes4 == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (buffer2 == nullptr || buffer3 == nullptr || buffer4 == nullptr) {
    *bytes2 = *bytes3 = *bytes4 = heddle_device::sparse::buffer_bytes(*matA);
    return CUSPARSE_STATUS_SUCCESS;
  }
  constexpr char what[] = "cusparseSpGEMMreuse_nnz";
  heddle_device::sparse::fill_buffer(handle, what, buffer2, *bytes2);
  heddle_device::sparse::fill_buffer(handle, what, buffer3, *bytes3);
  return heddle_device::sparse::count_product(handle, what, *matA, *matB, matC, buffer4, *bytes4);
}
inline cusparseStatus_t cusparseSpGEMMreuse_copy(HEDDLE_SPARSE_PRODUCT, size_t* bytes, void* buffer) {
  HEDDLE_SPARSE_CHECK;
  constexpr char what[] = "cusparseSpGEMMreuse_copy";
  const cusparseStatus_t asked = heddle_device::sparse::ask_or_fill(handle, what, *matA, bytes, buffer);
  if (asked != CUSPARSE_STATUS_SUCCESS || buffer == nullptr) return asked;
  return heddle_device::sparse::write_product(handle, what, *matA, *matB, *matC, true, nullptr, nullptr);
}
#undef HEDDLE_SPARSE_PRODUCT
inline cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opA,
                                                    cusparseOperation_t opB, const void* alpha,
                                                    cusparseConstSpMatDescr_t matA,
                                                    cusparseConstSpMatDescr_t matB, const void* beta,
                                                    cusparseSpMatDescr_t matC, cudaDataType type,
                                                    cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr) {
  HEDDLE_SPARSE_CHECK;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const heddle_device::sparse::factor by(handle, alpha, type), kept(handle, beta, type);
  return heddle_device::sparse::write_product(handle, "cusparseSpGEMMreuse_compute", *matA, *matB, *matC,
                                              false, &by, &kept);
}
#undef HEDDLE_SPARSE_CHECK
