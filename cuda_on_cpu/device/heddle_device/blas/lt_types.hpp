#pragma once

/// Of cublasLt: what describes a product and its matrices. What is not named here is refused by its name.

#include "types.hpp"

#include <cstdint>

struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;

enum cublasLtPointerMode_t { CUBLASLT_POINTER_MODE_HOST, CUBLASLT_POINTER_MODE_DEVICE };
enum cublasLtOrder_t { CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW };
enum cublasLtEpilogue_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6,
  CUBLASLT_EPILOGUE_GELU = 32,
  CUBLASLT_EPILOGUE_GELU_BIAS = 36
};
enum cublasLtReductionScheme_t {
  CUBLASLT_REDUCTION_SCHEME_NONE = 0,
  CUBLASLT_REDUCTION_SCHEME_INPLACE = 1,
  CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
  CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4,
  CUBLASLT_REDUCTION_SCHEME_MASK = 7
};
enum cublasLtMatmulSearch_t { CUBLASLT_SEARCH_BEST_FIT };
enum cublasLtMatrixLayoutAttribute_t {
  CUBLASLT_MATRIX_LAYOUT_TYPE,
  CUBLASLT_MATRIX_LAYOUT_ORDER,
  CUBLASLT_MATRIX_LAYOUT_ROWS,
  CUBLASLT_MATRIX_LAYOUT_COLS,
  CUBLASLT_MATRIX_LAYOUT_LD,
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
};
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,
  CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
  CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
  CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE = 10,
  CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET = 15,
  CUBLASLT_MATMUL_DESC_A_SCALE_POINTER = 17,
  CUBLASLT_MATMUL_DESC_B_SCALE_POINTER = 18,
  CUBLASLT_MATMUL_DESC_C_SCALE_POINTER = 19,
  CUBLASLT_MATMUL_DESC_D_SCALE_POINTER = 20,
  CUBLASLT_MATMUL_DESC_AMAX_D_POINTER = 21,
  CUBLASLT_MATMUL_DESC_FAST_ACCUM = 25,
  CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26
};
enum cublasLtMatmulPreferenceAttributes_t {
  CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
  CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT = 9
};

struct cublasLtMatrixLayoutOpaque_t {
  uint32_t type;
  int32_t order;
  uint64_t rows, columns;
  int64_t pitch;
  int32_t count;
  int64_t step;
};
using cublasLtMatrixLayout_t = cublasLtMatrixLayoutOpaque_t*;
struct cublasLtMatmulDescOpaque_t {
  int32_t compute, scale, pointers, of_a, of_b;
  uint32_t epilogue;
  const void* bias;
  int64_t bias_step;
  int32_t bias_type;  ///< that of D where it is negative
  int32_t multiprocessors;
  const float *scale_a, *scale_b, *scale_c, *scale_d;
  float* largest;
  int8_t is_fast;
};
using cublasLtMatmulDesc_t = cublasLtMatmulDescOpaque_t*;
struct cublasLtMatmulPreferenceOpaque_t {
  uint32_t search, schemes, alignments[4];
  uint64_t workspace;
  float waves;
};
using cublasLtMatmulPreference_t = cublasLtMatmulPreferenceOpaque_t*;
struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

namespace heddle_device::blas {

/// Where an attribute is kept.
struct attribute_place {
  void* at;
  size_t bytes;
};
template <class T>
attribute_place place(T& of) {
  return {&of, sizeof of};
}
inline attribute_place place_of(cublasLtMatrixLayoutOpaque_t& m, cublasLtMatrixLayoutAttribute_t which) {
  switch (which) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return place(m.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return place(m.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return place(m.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return place(m.columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return place(m.pitch);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return place(m.count);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return place(m.step);
  }
  return {nullptr, 0};
}
inline attribute_place place_of(cublasLtMatmulDescOpaque_t& d, cublasLtMatmulDescAttributes_t which) {
  switch (which) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return place(d.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return place(d.scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return place(d.pointers);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return place(d.of_a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return place(d.of_b);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return place(d.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return place(d.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return place(d.bias_step);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
      return place(d.multiprocessors);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
      return place(d.scale_a);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
      return place(d.scale_b);
    case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER:
      return place(d.scale_c);
    case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER:
      return place(d.scale_d);
    case CUBLASLT_MATMUL_DESC_AMAX_D_POINTER:
      return place(d.largest);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      return place(d.is_fast);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return place(d.bias_type);
  }
  return {nullptr, 0};
}
inline attribute_place place_of(cublasLtMatmulPreferenceOpaque_t& p,
                                cublasLtMatmulPreferenceAttributes_t which) {
  switch (which) {
    case CUBLASLT_MATMUL_PREF_SEARCH_MODE:
      return place(p.search);
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return place(p.workspace);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return place(p.schemes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return place(p.alignments[which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES]);
    case CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT:
      return place(p.waves);
  }
  return {nullptr, 0};
}
template <class D, class A>
cublasStatus_t set_attribute(D* of, A which, const void* value, size_t bytes) {
  if (of == nullptr || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const attribute_place to = place_of(*of, which);
  if (to.at == nullptr || bytes < to.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(to.at, value, to.bytes);
  return CUBLAS_STATUS_SUCCESS;
}
template <class D, class A>
cublasStatus_t get_attribute(D* of, A which, void* value, size_t bytes, size_t* written) {
  if (of == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const attribute_place from = place_of(*of, which);
  if (from.at == nullptr || (bytes == 0 ? written == nullptr : value == nullptr || bytes < from.bytes))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes != 0) std::memcpy(value, from.at, from.bytes);
  if (written != nullptr) *written = from.bytes;
  return CUBLAS_STATUS_SUCCESS;
}
template <class D, class... A>
cublasStatus_t create_described(D** made, cublasStatus_t (*init)(D*, A...), A... how) {
  if (made == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *made = new D{};
  return init(*made, how...);
}

}  // namespace heddle_device::blas

inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                               uint64_t rows, uint64_t cols, int64_t ld) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = {static_cast<uint32_t>(type), CUBLASLT_ORDER_COL, rows, cols, ld, 1, 0};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                                 uint64_t rows, uint64_t cols, int64_t ld) {
  return heddle_device::blas::create_described(layout, cublasLtMatrixLayoutInit, type, rows, cols, ld);
}
inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute,
                                             cudaDataType_t scale) {
  if (desc == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *desc = {};
  desc->compute = compute;
  desc->scale = scale;
  desc->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  desc->bias_type = -1;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  return heddle_device::blas::create_described(desc, cublasLtMatmulDescInit, compute, scale);
}
inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = {CUBLASLT_SEARCH_BEST_FIT, CUBLASLT_REDUCTION_SCHEME_MASK, {256, 256, 256, 256}, 0, 0};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return heddle_device::blas::create_described(preference, cublasLtMatmulPreferenceInit);
}
#define HEDDLE_LT_DESCRIPTION(NAME, ATTRIBUTES)                                                     \
  inline cublasStatus_t cublasLt##NAME##Destroy(const cublasLt##NAME##_t of) {                      \
    delete of;                                                                                      \
    return CUBLAS_STATUS_SUCCESS;                                                                   \
  }                                                                                                 \
  inline cublasStatus_t cublasLt##NAME##SetAttribute(cublasLt##NAME##_t of, ATTRIBUTES which,       \
                                                     const void* value, size_t bytes) {             \
    return heddle_device::blas::set_attribute(of, which, value, bytes);                             \
  }                                                                                                 \
  inline cublasStatus_t cublasLt##NAME##GetAttribute(const cublasLt##NAME##_t of, ATTRIBUTES which, \
                                                     void* value, size_t bytes, size_t* written) {  \
    return heddle_device::blas::get_attribute(of, which, value, bytes, written);                    \
  }
HEDDLE_LT_DESCRIPTION(MatrixLayout, cublasLtMatrixLayoutAttribute_t)
HEDDLE_LT_DESCRIPTION(MatmulDesc, cublasLtMatmulDescAttributes_t)
HEDDLE_LT_DESCRIPTION(MatmulPreference, cublasLtMatmulPreferenceAttributes_t)
#undef HEDDLE_LT_DESCRIPTION
