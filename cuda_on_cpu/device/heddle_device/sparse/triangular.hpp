#pragma once

/// Of cuSPARSE: systems of equations whose matrices are triangular.

#include "products.hpp"

namespace heddle_device::sparse {

/// Solves op(a) y = alpha x for one right side: element(i) gives alpha x, known(i) gives y, solved(i, value)
/// sets it. Of a the triangle counts that its attributes say.
template <class Element, class Known, class Solved>
void solve(const cusparseSpMatDescr& a, cusparseOperation_t op, const rows_of_entries& rows,
           const Element& element, const Known& known, const Solved& solved) {
  const bool is_lower = (a.fill == CUSPARSE_FILL_MODE_LOWER) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
  for (long long step = 0; step < a.rows; ++step) {
    const long long row = is_lower ? step : a.rows - 1 - step;
    number sum = element(row), diagonal = a.diagonal == CUSPARSE_DIAG_TYPE_UNIT ? 1 : 0;
    for (long long i = rows.begin(row); i < rows.begin(row + 1); ++i) {
      const long long column = rows.column(i);
      if (column == row ? a.diagonal == CUSPARSE_DIAG_TYPE_UNIT : (column < row) != is_lower) continue;
      const number value = with(op, get(a.values, a.value_type, rows.place(i)));
      if (column == row) {
        diagonal += value;
      } else {
        sum -= product(value, known(column));
      }
    }
    solved(row, sum / diagonal);
  }
}

inline cusparseStatus_t check_system(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                     cusparseConstDnVecDescr_t y, cudaDataType type,
                                     cusparseSpSVDescr_t descr) {
  (void)op;
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || a == nullptr || x == nullptr || y == nullptr || descr == nullptr ||
      a->rows != a->columns || x->size != a->rows || y->size != a->rows)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return is_supported(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
inline cusparseStatus_t check_system(cusparseHandle_t handle, cusparseOperation_t of_b, const void* alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                     cusparseConstDnMatDescr_t c, cudaDataType type,
                                     cusparseSpSMDescr_t descr) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || a == nullptr || b == nullptr || c == nullptr || descr == nullptr ||
      a->rows != a->columns || c->rows != a->rows || rows_of(*b, of_b) != a->rows ||
      columns_of(*b, of_b) != c->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return is_supported(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
/// Reads the matrix, and keeps the buffer for the solution.
template <class D>
cusparseStatus_t analyse(cusparseStatus_t status, cusparseHandle_t handle, const char* what,
                         cusparseConstSpMatDescr_t a, D descr, void* buffer) {
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  descr->buffer = buffer;
  return run(handle, what, [=, matrix = *a] {
    use_buffer(buffer, buffer_bytes(matrix));
    for_entries(matrix,
                [&](long long, long long, long long at) { (void)get(matrix.values, matrix.value_type, at); });
  });
}

}  // namespace heddle_device::sparse

#define HEDDLE_SPARSE_DESCRIPTOR(L)                                                \
  inline cusparseStatus_t cusparse##L##_createDescr(cusparse##L##Descr_t* descr) { \
    if (descr == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                    \
    *descr = new cusparse##L##Descr{nullptr};                                      \
    return CUSPARSE_STATUS_SUCCESS;                                                \
  }                                                                                \
  inline cusparseStatus_t cusparse##L##_destroyDescr(cusparse##L##Descr_t descr) { \
    delete descr;                                                                  \
    return CUSPARSE_STATUS_SUCCESS;                                                \
  }
HEDDLE_SPARSE_DESCRIPTOR(SpSV)
HEDDLE_SPARSE_DESCRIPTOR(SpSM)
#undef HEDDLE_SPARSE_DESCRIPTOR

#define HEDDLE_SPARSE_SYSTEM                                                                           \
  cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t matA, \
      cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY, cudaDataType type, cusparseSpSVAlg_t, \
      cusparseSpSVDescr_t descr
#define HEDDLE_SPARSE_CHECK \
  heddle_device::sparse::check_system(handle, opA, alpha, matA, vecX, vecY, type, descr)
inline cusparseStatus_t cusparseSpSV_bufferSize(HEDDLE_SPARSE_SYSTEM, size_t* bytes) {
  return heddle_device::sparse::tell_buffer(HEDDLE_SPARSE_CHECK, matA, bytes);
}
inline cusparseStatus_t cusparseSpSV_analysis(HEDDLE_SPARSE_SYSTEM, void* buffer) {
  return heddle_device::sparse::analyse(HEDDLE_SPARSE_CHECK, handle, "cusparseSpSV_analysis", matA, descr,
                                        buffer);
}
inline cusparseStatus_t cusparseSpSV_solve(HEDDLE_SPARSE_SYSTEM) {
  using namespace heddle_device::sparse;
  if (const cusparseStatus_t status = HEDDLE_SPARSE_CHECK; status != CUSPARSE_STATUS_SUCCESS) return status;
  const factor by(handle, alpha, type);
  return run(handle, "cusparseSpSV_solve", [=, a = *matA, x = *vecX, y = *vecY, buffer = descr->buffer] {
    const number factor = by.get();
    use_buffer(buffer, buffer_bytes(a));
    solve(
        a, opA, rows_of_entries(a, opA),
        [&](long long i) { return product(factor, get(x.values, x.value_type, i)); },
        [&](long long i) { return get(y.values, y.value_type, i); },
        [&](long long i, const number& value) { put(y.values, y.value_type, i, value); });
  });
}
#undef HEDDLE_SPARSE_CHECK
#undef HEDDLE_SPARSE_SYSTEM

#define HEDDLE_SPARSE_SYSTEM                                                                     \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,  \
      cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC, \
      cudaDataType type, cusparseSpSMAlg_t, cusparseSpSMDescr_t descr
#define HEDDLE_SPARSE_CHECK \
  heddle_device::sparse::check_system(handle, opB, alpha, matA, matB, matC, type, descr)
inline cusparseStatus_t cusparseSpSM_bufferSize(HEDDLE_SPARSE_SYSTEM, size_t* bytes) {
  (void)opA;
  return heddle_device::sparse::tell_buffer(HEDDLE_SPARSE_CHECK, matA, bytes);
}
inline cusparseStatus_t cusparseSpSM_analysis(HEDDLE_SPARSE_SYSTEM, void* buffer) {
  (void)opA;
  return heddle_device::sparse::analyse(HEDDLE_SPARSE_CHECK, handle, "cusparseSpSM_analysis", matA, descr,
                                        buffer);
}
inline cusparseStatus_t cusparseSpSM_solve(HEDDLE_SPARSE_SYSTEM) {
  using namespace heddle_device::sparse;
  if (const cusparseStatus_t status = HEDDLE_SPARSE_CHECK; status != CUSPARSE_STATUS_SUCCESS) return status;
  const factor by(handle, alpha, type);
  return run(handle, "cusparseSpSM_solve", [=, a = *matA, b = *matB, c = *matC, buffer = descr->buffer] {
    const number factor = by.get();
    use_buffer(buffer, buffer_bytes(a));
    const rows_of_entries rows(a, opA);
    for (long long j = 0; j < c.columns; ++j)
      solve(
          a, opA, rows, [&](long long i) { return product(factor, get(b, opB, i, j)); },
          [&](long long i) { return get(c, i, j); },
          [&](long long i, const number& value) { put(c, i, j, value); });
  });
}
#undef HEDDLE_SPARSE_CHECK
#undef HEDDLE_SPARSE_SYSTEM
