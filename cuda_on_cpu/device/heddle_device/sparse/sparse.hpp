#pragma once
#pragma GCC system_header

/// Replacements of cuSPARSE's functions. What they read and write is watched element by element.

#include "../names_begin.hpp"

// Not before the macros are put away.
#include "conversions.hpp"
#include "descriptors.hpp"
#include "incomplete.hpp"
#include "sparse_products.hpp"
#include "triangular.hpp"

inline cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (heddle_device::program_runtime() == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *handle = new cusparseContext;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return heddle_device::sparse::status_of(heddle_device::sparse::tell(stream, handle->stream));
}
inline cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->pointers = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return heddle_device::sparse::status_of(heddle_device::sparse::tell(mode, handle->pointers));
}
inline cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return heddle_device::sparse::status_of(heddle_device::sparse::tell(version, CUSPARSE_VERSION));
}
inline cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
  constexpr int parts[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
  if (type < MAJOR_VERSION || type > PATCH_LEVEL) return CUSPARSE_STATUS_INVALID_VALUE;
  return heddle_device::sparse::status_of(heddle_device::sparse::tell(value, parts[type]));
}
inline const char* cusparseGetErrorName(cusparseStatus_t status) {
  switch (status) {
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, SUCCESS)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, NOT_INITIALIZED)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, ALLOC_FAILED)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, INVALID_VALUE)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, ARCH_MISMATCH)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, MAPPING_ERROR)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, EXECUTION_FAILED)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, INTERNAL_ERROR)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, MATRIX_TYPE_NOT_SUPPORTED)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, ZERO_PIVOT)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, NOT_SUPPORTED)
    HEDDLE_STATUS_NAME(CUSPARSE_STATUS_, INSUFFICIENT_RESOURCES)
  }
  return "unknown";
}
inline const char* cusparseGetErrorString(cusparseStatus_t status) {
  return cusparseGetErrorName(status);
}
#include "../names_end.hpp"
