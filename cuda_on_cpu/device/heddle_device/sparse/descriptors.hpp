#pragma once

/// Of cuSPARSE: what makes, changes and tells of descriptors. Nothing of them is on the device.

#include "entries.hpp"

namespace heddle_device::sparse {

inline bool is_index(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_16U || type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}
template <class D>
cusparseStatus_t make_compressed(D* made, cusparseFormat_t format, long long rows, long long columns,
                                 long long entries, const void* offsets, const void* indices,
                                 const void* values, cusparseIndexType_t offset_type,
                                 cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type,
                                 long long block_rows = 1, long long block_columns = 1,
                                 cusparseOrder_t block_order = CUSPARSE_ORDER_ROW) {
  if (made == nullptr || rows < 0 || columns < 0 || entries < 0 || !is_index(offset_type) ||
      !is_index(index_type) || block_rows < 1 || block_columns < 1)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_supported(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  cusparseSpMatDescr* const m = new cusparseSpMatDescr{};
  m->format = format;
  m->rows = rows * block_rows;
  m->columns = columns * block_columns;
  m->entries = entries;
  m->offsets = const_cast<void*>(offsets);
  m->indices = const_cast<void*>(indices);
  m->values = const_cast<void*>(values);
  m->offset_type = offset_type;
  m->index_type = index_type;
  m->base = base;
  m->value_type = type;
  m->block_rows = block_rows;
  m->block_columns = block_columns;
  m->block_order = block_order;
  m->count = 1;
  *made = m;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class D>
cusparseStatus_t make_vector(D* made, long long size, long long entries, const void* indices,
                             const void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                             cudaDataType type) {
  if (made == nullptr || size < 0 || entries < 0 || entries > size || !is_index(index_type))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_supported(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  *made = new cusparseSpVecDescr{
      size, entries, const_cast<void*>(indices), const_cast<void*>(values), index_type, base, type};
  return CUSPARSE_STATUS_SUCCESS;
}
template <class D>
cusparseStatus_t make_vector(D* made, long long size, const void* values, cudaDataType type) {
  if (made == nullptr || size < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_supported(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  *made = new cusparseDnVecDescr{size, const_cast<void*>(values), type};
  return CUSPARSE_STATUS_SUCCESS;
}
template <class D>
cusparseStatus_t make_matrix(D* made, long long rows, long long columns, long long pitch, const void* values,
                             cudaDataType type, cusparseOrder_t order) {
  if (made == nullptr || rows < 0 || columns < 0 || pitch < (order == CUSPARSE_ORDER_COL ? rows : columns))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_supported(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  *made = new cusparseDnMatDescr{rows, columns, pitch, const_cast<void*>(values), type, order, 1, 0};
  return CUSPARSE_STATUS_SUCCESS;
}
/// Tells what is asked for, of which all is to be told.
template <class To, class From>
bool tell(To* to, const From& from) {
  if (to == nullptr) return false;
  *to = from;
  return true;
}
inline cusparseStatus_t status_of(bool is_right) {
  return is_right ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
template <class V>
cusparseStatus_t tell_compressed(cusparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns,
                                 int64_t* entries, V** offsets, V** indices, V** values,
                                 cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type,
                                 cusparseIndexBase_t* base, cudaDataType* type) {
  return status_of(m != nullptr && tell(rows, m->rows) && tell(columns, m->columns) &&
                   tell(entries, m->entries) && tell(offsets, m->offsets) && tell(indices, m->indices) &&
                   tell(values, m->values) && tell(offset_type, m->offset_type) &&
                   tell(index_type, m->index_type) && tell(base, m->base) && tell(type, m->value_type));
}
inline cusparseStatus_t set_pointers(cusparseSpMatDescr_t m, void* offsets, void* indices, void* values) {
  if (m == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  m->offsets = offsets;
  m->indices = indices;
  m->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t set_batch(cusparseSpMatDescr_t m, int count, long long offsets, long long indices,
                                  long long values) {
  if (m == nullptr || count < 1 || offsets < 0 || indices < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  m->count = count;
  m->offsets_step = offsets;
  m->indices_step = indices;
  m->values_step = values;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace heddle_device::sparse

// Each is there for what may be written and, as Const, for what is only read.
#define HEDDLE_SPARSE_BOTH(F) F(, ) F(Const, const)

#define HEDDLE_SPARSE_MAKE(CONST, QUALIFIER)                                                                \
  inline cusparseStatus_t cusparseCreate##CONST##SpVec(                                                     \
      cusparse##CONST##SpVecDescr_t* made, int64_t size, int64_t nnz, QUALIFIER void* indices,              \
      QUALIFIER void* values, cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type) {     \
    return heddle_device::sparse::make_vector(made, size, nnz, indices, values, index, base, type);         \
  }                                                                                                         \
  inline cusparseStatus_t cusparse##CONST##SpVecGet(                                                        \
      cusparse##CONST##SpVecDescr_t v, int64_t* size, int64_t* nnz, QUALIFIER void** indices,               \
      QUALIFIER void** values, cusparseIndexType_t* index, cusparseIndexBase_t* base, cudaDataType* type) { \
    using heddle_device::sparse::tell;                                                                      \
    return heddle_device::sparse::status_of(v != nullptr && tell(size, v->size) && tell(nnz, v->entries) && \
                                            tell(indices, v->indices) && tell(values, v->values) &&         \
                                            tell(index, v->index_type) && tell(base, v->base) &&            \
                                            tell(type, v->value_type));                                     \
  }                                                                                                         \
  inline cusparseStatus_t cusparseCreate##CONST##DnVec(cusparse##CONST##DnVecDescr_t* made, int64_t size,   \
                                                       QUALIFIER void* values, cudaDataType type) {         \
    return heddle_device::sparse::make_vector(made, size, values, type);                                    \
  }                                                                                                         \
  inline cusparseStatus_t cusparse##CONST##DnVecGet(cusparse##CONST##DnVecDescr_t v, int64_t* size,         \
                                                    QUALIFIER void** values, cudaDataType* type) {          \
    using heddle_device::sparse::tell;                                                                      \
    return heddle_device::sparse::status_of(v != nullptr && tell(size, v->size) &&                          \
                                            tell(values, v->values) && tell(type, v->value_type));          \
  }                                                                                                         \
  inline cusparseStatus_t cusparseCreate##CONST##DnMat(                                                     \
      cusparse##CONST##DnMatDescr_t* made, int64_t rows, int64_t columns, int64_t pitch,                    \
      QUALIFIER void* values, cudaDataType type, cusparseOrder_t order) {                                   \
    return heddle_device::sparse::make_matrix(made, rows, columns, pitch, values, type, order);             \
  }                                                                                                         \
  inline cusparseStatus_t cusparse##CONST##DnMatGet(                                                        \
      cusparse##CONST##DnMatDescr_t m, int64_t* rows, int64_t* columns, int64_t* pitch,                     \
      QUALIFIER void** values, cudaDataType* type, cusparseOrder_t* order) {                                \
    using heddle_device::sparse::tell;                                                                      \
    return heddle_device::sparse::status_of(                                                                \
        m != nullptr && tell(rows, m->rows) && tell(columns, m->columns) && tell(pitch, m->pitch) &&        \
        tell(values, m->values) && tell(type, m->value_type) && tell(order, m->order));                     \
  }                                                                                                         \
  inline cusparseStatus_t cusparseCreate##CONST##Coo(                                                       \
      cusparse##CONST##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nnz,                      \
      QUALIFIER void* row_indices, QUALIFIER void* indices, QUALIFIER void* values,                         \
      cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type) {                             \
    return heddle_device::sparse::make_compressed(made, CUSPARSE_FORMAT_COO, rows, columns, nnz,            \
                                                  row_indices, indices, values, index, index, base, type);  \
  }                                                                                                         \
  inline cusparseStatus_t cusparse##CONST##CooGet(                                                          \
      cusparse##CONST##SpMatDescr_t m, int64_t* rows, int64_t* columns, int64_t* nnz,                       \
      QUALIFIER void** row_indices, QUALIFIER void** indices, QUALIFIER void** values,                      \
      cusparseIndexType_t* index, cusparseIndexBase_t* base, cudaDataType* type) {                          \
    return heddle_device::sparse::tell_compressed(m, rows, columns, nnz, row_indices, indices, values,      \
                                                  index, index, base, type);                                \
  }                                                                                                         \
  inline cusparseStatus_t cusparseCreate##CONST##Bsr(                                                       \
      cusparse##CONST##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nnz, int64_t block_rows,  \
      int64_t block_columns, QUALIFIER void* offsets, QUALIFIER void* indices, QUALIFIER void* values,      \
      cusparseIndexType_t offset, cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type,   \
      cusparseOrder_t order) {                                                                              \
    return heddle_device::sparse::make_compressed(made, CUSPARSE_FORMAT_BSR, rows, columns, nnz, offsets,   \
                                                  indices, values, offset, index, base, type, block_rows,   \
                                                  block_columns, order);                                    \
  }
HEDDLE_SPARSE_BOTH(HEDDLE_SPARSE_MAKE)
#undef HEDDLE_SPARSE_MAKE

#define HEDDLE_SPARSE_COMPRESSED(L, FORMAT, CONST, QUALIFIER)                                               \
  inline cusparseStatus_t cusparseCreate##CONST##L(                                                         \
      cusparse##CONST##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nnz,                      \
      QUALIFIER void* offsets, QUALIFIER void* indices, QUALIFIER void* values, cusparseIndexType_t offset, \
      cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type) {                             \
    return heddle_device::sparse::make_compressed(made, FORMAT, rows, columns, nnz, offsets, indices,       \
                                                  values, offset, index, base, type);                       \
  }                                                                                                         \
  inline cusparseStatus_t cusparse##CONST##L##Get(cusparse##CONST##SpMatDescr_t m, int64_t* rows,           \
                                                  int64_t* columns, int64_t* nnz, QUALIFIER void** offsets, \
                                                  QUALIFIER void** indices, QUALIFIER void** values,        \
                                                  cusparseIndexType_t* offset, cusparseIndexType_t* index,  \
                                                  cusparseIndexBase_t* base, cudaDataType* type) {          \
    return heddle_device::sparse::tell_compressed(m, rows, columns, nnz, offsets, indices, values, offset,  \
                                                  index, base, type);                                       \
  }
HEDDLE_SPARSE_COMPRESSED(Csr, CUSPARSE_FORMAT_CSR, , )
HEDDLE_SPARSE_COMPRESSED(Csr, CUSPARSE_FORMAT_CSR, Const, const)
HEDDLE_SPARSE_COMPRESSED(Csc, CUSPARSE_FORMAT_CSC, , )
HEDDLE_SPARSE_COMPRESSED(Csc, CUSPARSE_FORMAT_CSC, Const, const)
#undef HEDDLE_SPARSE_COMPRESSED

// The values of each kind of descriptor, and its end.
#define HEDDLE_SPARSE_VALUES(KIND)                                                               \
  inline cusparseStatus_t cusparse##KIND##GetValues(cusparse##KIND##Descr_t of, void** values) { \
    return heddle_device::sparse::status_of(of != nullptr &&                                     \
                                            heddle_device::sparse::tell(values, of->values));    \
  }                                                                                              \
  inline cusparseStatus_t cusparseConst##KIND##GetValues(cusparseConst##KIND##Descr_t of,        \
                                                         const void** values) {                  \
    return heddle_device::sparse::status_of(of != nullptr &&                                     \
                                            heddle_device::sparse::tell(values, of->values));    \
  }                                                                                              \
  inline cusparseStatus_t cusparse##KIND##SetValues(cusparse##KIND##Descr_t of, void* values) {  \
    if (of == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                     \
    of->values = values;                                                                         \
    return CUSPARSE_STATUS_SUCCESS;                                                              \
  }                                                                                              \
  inline cusparseStatus_t cusparseDestroy##KIND(cusparseConst##KIND##Descr_t of) {               \
    delete of;                                                                                   \
    return CUSPARSE_STATUS_SUCCESS;                                                              \
  }
HEDDLE_SPARSE_VALUES(SpVec)
HEDDLE_SPARSE_VALUES(DnVec)
HEDDLE_SPARSE_VALUES(SpMat)
HEDDLE_SPARSE_VALUES(DnMat)
#undef HEDDLE_SPARSE_VALUES
#undef HEDDLE_SPARSE_BOTH

inline cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t v, cusparseIndexBase_t* base) {
  return heddle_device::sparse::status_of(v != nullptr && heddle_device::sparse::tell(base, v->base));
}
inline cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t* format) {
  return heddle_device::sparse::status_of(m != nullptr && heddle_device::sparse::tell(format, m->format));
}
inline cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m, cusparseIndexBase_t* base) {
  return heddle_device::sparse::status_of(m != nullptr && heddle_device::sparse::tell(base, m->base));
}
inline cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t* rows, int64_t* columns,
                                             int64_t* nnz) {
  using heddle_device::sparse::tell;
  return heddle_device::sparse::status_of(m != nullptr && tell(rows, m->rows) && tell(columns, m->columns) &&
                                          tell(nnz, m->entries));
}
inline cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void* offsets, void* indices,
                                               void* values) {
  return heddle_device::sparse::set_pointers(m, offsets, indices, values);
}
inline cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t m, void* offsets, void* indices,
                                               void* values) {
  return heddle_device::sparse::set_pointers(m, offsets, indices, values);
}
inline cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void* rows, void* columns,
                                               void* values) {
  return heddle_device::sparse::set_pointers(m, rows, columns, values);
}
inline cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int* count) {
  return heddle_device::sparse::status_of(m != nullptr && heddle_device::sparse::tell(count, m->count));
}
inline cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t step) {
  return heddle_device::sparse::set_batch(m, count, step, step, step);
}
inline cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets,
                                                   int64_t values) {
  return heddle_device::sparse::set_batch(m, count, offsets, values, values);
}
inline cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets,
                                                   int64_t indices, int64_t values) {
  return heddle_device::sparse::set_batch(m, count, offsets, indices, values);
}
inline cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t step) {
  if (m == nullptr || count < 1 || step < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  m->count = count;
  m->step = step;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int* count, int64_t* step) {
  using heddle_device::sparse::tell;
  return heddle_device::sparse::status_of(m != nullptr && tell(count, m->count) && tell(step, m->step));
}
inline cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t which,
                                                  void* data, size_t bytes) {
  if (m == nullptr || data == nullptr || bytes != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (which == CUSPARSE_SPMAT_FILL_MODE) {
    m->fill = *static_cast<cusparseFillMode_t*>(data);
  } else {
    m->diagonal = *static_cast<cusparseDiagType_t*>(data);
  }
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m, cusparseSpMatAttribute_t which,
                                                  void* data, size_t bytes) {
  if (m == nullptr || data == nullptr || bytes != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (which == CUSPARSE_SPMAT_FILL_MODE) {
    *static_cast<cusparseFillMode_t*>(data) = m->fill;
  } else {
    *static_cast<cusparseDiagType_t*>(data) = m->diagonal;
  }
  return CUSPARSE_STATUS_SUCCESS;
}

// Of the functions that take no descriptor of a matrix's data.
inline cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* made) {
  if (made == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *made = new cusparseMatDescr{};
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t m) {
  delete m;
  return CUSPARSE_STATUS_SUCCESS;
}
#define HEDDLE_SPARSE_PROPERTY(L, TYPE, MEMBER)                                 \
  inline cusparseStatus_t cusparseSetMat##L(cusparseMatDescr_t m, TYPE value) { \
    if (m == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                     \
    m->MEMBER = value;                                                          \
    return CUSPARSE_STATUS_SUCCESS;                                             \
  }                                                                             \
  inline TYPE cusparseGetMat##L(cusparseMatDescr_t m) {                         \
    return m->MEMBER;                                                           \
  }
HEDDLE_SPARSE_PROPERTY(Type, cusparseMatrixType_t, type)
HEDDLE_SPARSE_PROPERTY(FillMode, cusparseFillMode_t, fill)
HEDDLE_SPARSE_PROPERTY(DiagType, cusparseDiagType_t, diagonal)
HEDDLE_SPARSE_PROPERTY(IndexBase, cusparseIndexBase_t, base)
#undef HEDDLE_SPARSE_PROPERTY
