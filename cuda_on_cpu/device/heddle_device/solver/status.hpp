#pragma once

/// Of cuSOLVER: what its functions return, and the context that they are called with.

// Headers of others ask for this before they use what is here.
#define CUSOLVER_COMMON_H_
#define CUSOLVER_VER_MAJOR 12
#define CUSOLVER_VER_MINOR 0
#define CUSOLVER_VER_PATCH 4

enum cusolverStatus_t {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_MAPPING_ERROR = 5,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
  CUSOLVER_STATUS_ZERO_PIVOT = 10,
  CUSOLVER_STATUS_INVALID_LICENSE = 11
};

#define HEDDLE_SOLVER_CONTEXT(KIND)                                                                          \
  struct cusolver##KIND##Context {                                                                           \
    cudaStream_t stream;                                                                                     \
  };                                                                                                         \
  using cusolver##KIND##Handle_t = cusolver##KIND##Context*;                                                 \
  inline cusolverStatus_t cusolver##KIND##Create(cusolver##KIND##Handle_t* handle) {                         \
    if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                                             \
    *handle = new cusolver##KIND##Context{nullptr};                                                          \
    return CUSOLVER_STATUS_SUCCESS;                                                                          \
  }                                                                                                          \
  inline cusolverStatus_t cusolver##KIND##Destroy(cusolver##KIND##Handle_t handle) {                         \
    delete handle;                                                                                           \
    return CUSOLVER_STATUS_SUCCESS;                                                                          \
  }                                                                                                          \
  inline cusolverStatus_t cusolver##KIND##SetStream(cusolver##KIND##Handle_t handle, cudaStream_t stream) {  \
    if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                                           \
    handle->stream = stream;                                                                                 \
    return CUSOLVER_STATUS_SUCCESS;                                                                          \
  }                                                                                                          \
  inline cusolverStatus_t cusolver##KIND##GetStream(cusolver##KIND##Handle_t handle, cudaStream_t* stream) { \
    if (handle == nullptr || stream == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                      \
    *stream = handle->stream;                                                                                \
    return CUSOLVER_STATUS_SUCCESS;                                                                          \
  }
