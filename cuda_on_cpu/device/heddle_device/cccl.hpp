#pragma once

/// Versions of CUDA's C++ libraries, and what they call CUDA's qualifiers.

#define CCCL_VERSION 3000001
#define CCCL_MAJOR_VERSION (CCCL_VERSION / 1000000)
#define CCCL_MINOR_VERSION (CCCL_VERSION / 1000 % 1000)
#define CCCL_PATCH_VERSION (CCCL_VERSION % 1000)

#define _CCCL_HOST __host__
#define _CCCL_DEVICE __device__
#define _CCCL_HOST_DEVICE __host__ __device__
#define _CCCL_FORCEINLINE __forceinline__
#define _CCCL_EXEC_CHECK_DISABLE
#define CUB_RUNTIME_FUNCTION __host__ __device__
