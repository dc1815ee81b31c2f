#pragma once

/// Of cuSPARSE: products of sparse with dense vectors and matrices.

#include "entries.hpp"

namespace heddle_device::sparse {

inline size_t buffer_bytes(const cusparseSpMatDescr& m) {
  return 16 * static_cast<size_t>(m.rows + m.columns + 1);
}
inline bool is_zero(const number& z) {
  return z.real() == 0 && z.imag() == 0;
}
/// What becomes of an old element, which is read where that matters.
template <class Get>
number updated(const number& alpha, const number& sum, const number& beta, const Get& old) {
  const number fresh = product(alpha, sum);
  return is_zero(beta) ? fresh : fresh + product(beta, old());
}

/// How many bytes a buffer has to have for a call whose check gives `status`.
inline cusparseStatus_t tell_buffer(cusparseStatus_t status, cusparseConstSpMatDescr_t matrix,
                                    size_t* bytes) {
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (status == CUSPARSE_STATUS_SUCCESS) *bytes = buffer_bytes(*matrix);
  return status;
}
inline cusparseStatus_t prepare(cusparseStatus_t status, cusparseHandle_t handle, const char* what,
                                cusparseConstSpMatDescr_t matrix, void* buffer) {
  return status == CUSPARSE_STATUS_SUCCESS ? fill_buffer(handle, what, buffer, buffer_bytes(*matrix))
                                           : status;
}

inline cusparseStatus_t check_product(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                      cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                      const void* beta, cusparseConstDnVecDescr_t y, cudaDataType type) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || a == nullptr || x == nullptr || beta == nullptr || y == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (x->size != columns_of(*a, op) || y->size != rows_of(*a, op)) return CUSPARSE_STATUS_INVALID_VALUE;
  // Real numbers have no conjugates: cuSPARSE refuses the operation there.
  if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !is_complex(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return is_supported(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
/// y becomes alpha op(a) x + beta y.
inline cusparseStatus_t multiply(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                 cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                 cusparseConstDnVecDescr_t y, cudaDataType type, void* buffer) {
  const cusparseStatus_t status = check_product(handle, op, alpha, a, x, beta, y, type);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const factor by(handle, alpha, type), kept_by(handle, beta, type);
  return run(handle, "cusparseSpMV", [=, a = *a, x = *x, y = *y] {
    const number factor = by.get(), kept = kept_by.get();
    use_buffer(buffer, buffer_bytes(a));
    sums of_rows(y.size);
    for_entries(a, op, [&](long long row, long long column, long long at) {
      const number term =
          product(with(op, get(a.values, a.value_type, at)), get(x.values, x.value_type, column));
      if (of_rows.has(row)) {
        of_rows.add(row, term);
      } else {
        touch(y.values, y.value_type, row);
      }
    });
    for (long long i = 0; i < y.size; ++i)
      put(y.values, y.value_type, i,
          updated(factor, of_rows.get(i), kept, [&] { return get(y.values, y.value_type, i); }));
  });
}

inline cusparseStatus_t check_product(cusparseHandle_t handle, cusparseOperation_t of_a,
                                      cusparseOperation_t of_b, const void* alpha,
                                      cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                      const void* beta, cusparseConstDnMatDescr_t c, cudaDataType type) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || a == nullptr || b == nullptr || beta == nullptr || c == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (columns_of(*a, of_a) != rows_of(*b, of_b) || c->rows != rows_of(*a, of_a) ||
      c->columns != columns_of(*b, of_b))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if ((a->count > 1 && a->count != c->count) || (b->count > 1 && b->count != c->count))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return is_supported(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
/// c becomes alpha op(a) op(b) + beta c, of a sparse matrix a.
inline void multiply(cusparseOperation_t of_a, cusparseOperation_t of_b, const number& alpha,
                     const cusparseSpMatDescr& a, const cusparseDnMatDescr& b, const number& beta,
                     const cusparseDnMatDescr& c) {
  sums elements(c.rows * c.columns);
  for_entries(a, of_a, [&](long long row, long long column, long long at) {
    const number value = with(of_a, get(a.values, a.value_type, at));
    if (row < 0 || row >= c.rows)
      touch(c.values, c.value_type, c.order == CUSPARSE_ORDER_COL ? row : row * c.pitch);
    for (long long j = 0; j < c.columns; ++j) {
      const number term = product(value, get(b, of_b, column, j));
      if (row >= 0 && row < c.rows) elements.add(row * c.columns + j, term);
    }
  });
  for (long long i = 0; i < c.rows; ++i)
    for (long long j = 0; j < c.columns; ++j)
      put(c, i, j, updated(alpha, elements.get(i * c.columns + j), beta, [&] { return get(c, i, j); }));
}
inline cusparseStatus_t multiply(cusparseHandle_t handle, cusparseOperation_t of_a, cusparseOperation_t of_b,
                                 const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                 const void* beta, cusparseConstDnMatDescr_t c, cudaDataType type,
                                 void* buffer) {
  const cusparseStatus_t status = check_product(handle, of_a, of_b, alpha, a, b, beta, c, type);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const factor by(handle, alpha, type), kept_by(handle, beta, type);
  return run(handle, "cusparseSpMM", [=, a = *a, b = *b, c = *c] {
    const number factor = by.get(), kept = kept_by.get();
    use_buffer(buffer, buffer_bytes(a));
    for (int i = 0; i < c.count; ++i)
      multiply(of_a, of_b, factor, number_of(a, i), number_of(b, i), kept, number_of(c, i));
  });
}

inline cusparseStatus_t check_sampled(cusparseHandle_t handle, cusparseOperation_t of_a,
                                      cusparseOperation_t of_b, const void* alpha,
                                      cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                      const void* beta, cusparseConstSpMatDescr_t c, cudaDataType type) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || a == nullptr || b == nullptr || beta == nullptr || c == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (columns_of(*a, of_a) != rows_of(*b, of_b) || c->rows != rows_of(*a, of_a) ||
      c->columns != columns_of(*b, of_b))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return is_supported(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
/// The entries of c become those of alpha op(a) op(b) + beta c.
inline cusparseStatus_t multiply_sampled(cusparseHandle_t handle, cusparseOperation_t of_a,
                                         cusparseOperation_t of_b, const void* alpha,
                                         cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseConstSpMatDescr_t c, cudaDataType type,
                                         void* buffer) {
  const cusparseStatus_t status = check_sampled(handle, of_a, of_b, alpha, a, b, beta, c, type);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const factor by(handle, alpha, type), kept_by(handle, beta, type);
  return run(handle, "cusparseSDDMM", [=, a = *a, b = *b, c = *c] {
    const number factor = by.get(), kept = kept_by.get();
    use_buffer(buffer, buffer_bytes(c));
    const long long terms = columns_of(a, of_a);
    for (int i = 0; i < c.count; ++i) {
      const cusparseDnMatDescr left = number_of(a, i), right = number_of(b, i);
      const cusparseSpMatDescr to = number_of(c, i);
      for_entries(to, [&](long long row, long long column, long long at) {
        number sum{};
        for (long long k = 0; k < terms; ++k)
          sum += product(get(left, of_a, row, k), get(right, of_b, k, column));
        put(to.values, to.value_type, at,
            updated(factor, sum, kept, [&] { return get(to.values, to.value_type, at); }));
      });
    }
  });
}

inline long long position(const cusparseSpVecDescr& x, long long i) {
  return index(x.indices, x.index_type, i) - x.base;
}
inline cusparseStatus_t check_vectors(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                      cusparseConstDnVecDescr_t y) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (x == nullptr || y == nullptr || x->size != y->size) return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace heddle_device::sparse

#define HEDDLE_SPARSE_PRODUCT                                                                          \
  cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t matA, \
      cusparseConstDnVecDescr_t vecX, const void *beta, cusparseDnVecDescr_t vecY, cudaDataType type,  \
      cusparseSpMVAlg_t
inline cusparseStatus_t cusparseSpMV_bufferSize(HEDDLE_SPARSE_PRODUCT, size_t* bytes) {
  return heddle_device::sparse::tell_buffer(
      heddle_device::sparse::check_product(handle, opA, alpha, matA, vecX, beta, vecY, type), matA, bytes);
}
inline cusparseStatus_t cusparseSpMV_preprocess(HEDDLE_SPARSE_PRODUCT, void* buffer) {
  return heddle_device::sparse::prepare(
      heddle_device::sparse::check_product(handle, opA, alpha, matA, vecX, beta, vecY, type), handle,
      "cusparseSpMV_preprocess", matA, buffer);
}
inline cusparseStatus_t cusparseSpMV(HEDDLE_SPARSE_PRODUCT, void* buffer) {
  return heddle_device::sparse::multiply(handle, opA, alpha, matA, vecX, beta, vecY, type, buffer);
}
#undef HEDDLE_SPARSE_PRODUCT

#define HEDDLE_SPARSE_PRODUCT                                                                   \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, \
      cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,         \
      cusparseDnMatDescr_t matC, cudaDataType type, cusparseSpMMAlg_t
inline cusparseStatus_t cusparseSpMM_bufferSize(HEDDLE_SPARSE_PRODUCT, size_t* bytes) {
  return heddle_device::sparse::tell_buffer(
      heddle_device::sparse::check_product(handle, opA, opB, alpha, matA, matB, beta, matC, type), matA,
      bytes);
}
inline cusparseStatus_t cusparseSpMM_preprocess(HEDDLE_SPARSE_PRODUCT, void* buffer) {
  return heddle_device::sparse::prepare(
      heddle_device::sparse::check_product(handle, opA, opB, alpha, matA, matB, beta, matC, type), handle,
      "cusparseSpMM_preprocess", matA, buffer);
}
inline cusparseStatus_t cusparseSpMM(HEDDLE_SPARSE_PRODUCT, void* buffer) {
  return heddle_device::sparse::multiply(handle, opA, opB, alpha, matA, matB, beta, matC, type, buffer);
}
#undef HEDDLE_SPARSE_PRODUCT

#define HEDDLE_SPARSE_PRODUCT                                                                   \
  cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha, \
      cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,         \
      cusparseSpMatDescr_t matC, cudaDataType type, cusparseSDDMMAlg_t
inline cusparseStatus_t cusparseSDDMM_bufferSize(HEDDLE_SPARSE_PRODUCT, size_t* bytes) {
  return heddle_device::sparse::tell_buffer(
      heddle_device::sparse::check_sampled(handle, opA, opB, alpha, matA, matB, beta, matC, type), matC,
      bytes);
}
inline cusparseStatus_t cusparseSDDMM_preprocess(HEDDLE_SPARSE_PRODUCT, void* buffer) {
  return heddle_device::sparse::prepare(
      heddle_device::sparse::check_sampled(handle, opA, opB, alpha, matA, matB, beta, matC, type), handle,
      "cusparseSDDMM_preprocess", matC, buffer);
}
inline cusparseStatus_t cusparseSDDMM(HEDDLE_SPARSE_PRODUCT, void* buffer) {
  return heddle_device::sparse::multiply_sampled(handle, opA, opB, alpha, matA, matB, beta, matC, type,
                                                 buffer);
}
#undef HEDDLE_SPARSE_PRODUCT

inline cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha,
                                      cusparseConstSpVecDescr_t vecX, const void* beta,
                                      cusparseDnVecDescr_t vecY) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_vectors(handle, vecX, vecY);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const cudaDataType type = calculated_type(vecY->value_type);
  const factor by(handle, alpha, type), kept_by(handle, beta, type);
  return run(handle, "cusparseAxpby", [=, x = *vecX, y = *vecY] {
    const number factor = by.get(), kept = kept_by.get();
    if (kept != number(1)) {
      for (long long i = 0; i < y.size; ++i)
        put(y.values, y.value_type, i,
            is_zero(kept) ? number() : product(kept, get(y.values, y.value_type, i)));
    }
    for (long long i = 0; i < x.entries; ++i) {
      const long long at = position(x, i);
      put(y.values, y.value_type, at,
          get(y.values, y.value_type, at) + product(factor, get(x.values, x.value_type, i)));
    }
  });
}
inline cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                       cusparseSpVecDescr_t vecX) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_vectors(handle, vecX, vecY);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return run(handle, "cusparseGather", [x = *vecX, y = *vecY] {
    for (long long i = 0; i < x.entries; ++i)
      put(x.values, x.value_type, i, get(y.values, y.value_type, position(x, i)));
  });
}
inline cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                        cusparseDnVecDescr_t vecY) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_vectors(handle, vecX, vecY);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return run(handle, "cusparseScatter", [x = *vecX, y = *vecY] {
    for (long long i = 0; i < x.entries; ++i)
      put(y.values, y.value_type, position(x, i), get(x.values, x.value_type, i));
  });
}
inline cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c_coeff, const void* s_coeff,
                                    cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_vectors(handle, vecX, vecY);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (c_coeff == nullptr || s_coeff == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const cudaDataType type = calculated_type(vecY->value_type);
  const factor of_c(handle, c_coeff, type), of_s(handle, s_coeff, type);
  return run(handle, "cusparseRot", [=, x = *vecX, y = *vecY] {
    const number c = of_c.get(), s = of_s.get();
    for (long long i = 0; i < x.entries; ++i) {
      const long long at = position(x, i);
      const number a = get(x.values, x.value_type, i), b = get(y.values, y.value_type, at);
      put(x.values, x.value_type, i, product(c, a) + product(s, b));
      put(y.values, y.value_type, at, product(c, b) - product(s, a));
    }
  });
}
inline cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                                cusparseConstSpVecDescr_t vecX,
                                                cusparseConstDnVecDescr_t vecY, const void*, cudaDataType,
                                                size_t* bytes) {
  const cusparseStatus_t status = heddle_device::sparse::check_vectors(handle, vecX, vecY);
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (status == CUSPARSE_STATUS_SUCCESS) *bytes = 16;
  return status;
}
inline cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                                     cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                     void* result, cudaDataType type, void* buffer) {
  using namespace heddle_device::sparse;
  const cusparseStatus_t status = check_vectors(handle, vecX, vecY);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (result == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_supported(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const auto sum_to = [=, x = *vecX, y = *vecY](void* to) {
    return run(handle, "cusparseSpVV", [=] {
      use_buffer(buffer, 16);
      number sum{};
      for (long long i = 0; i < x.entries; ++i)
        sum +=
            product(with(opX, get(x.values, x.value_type, i)), get(y.values, y.value_type, position(x, i)));
      put(to, type, 0, sum);
    });
  };
  if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) return sum_to(result);
  const heddle_device::library_memory<cuDoubleComplex> own(1);
  const cusparseStatus_t done = sum_to(own.data());
  return done == CUSPARSE_STATUS_SUCCESS ? to_host(handle, result, own.data(), bytes_of(type)) : done;
}
