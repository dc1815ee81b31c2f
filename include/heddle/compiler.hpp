#pragma once

// The first line that every header of Heddle compiles.
#if __cplusplus <= 201703L
#error "Heddle needs C++20: compile with -std=c++20"
#include <heddle, which needs -std=c++20>  // which no compiler finds, so that it stops after this error
#endif

/// HD_FN marks a function or a lambda that a pattern may run on any target: `[] HD_FN(float a) { return 2 *
/// a; }`. nvcc compiles it for the CPU and the GPU; for other compilers the mark is empty.
#if defined(__CUDACC__)
#define HD_FN __host__ __device__
#else
#define HD_FN
#endif

/// Always inlines a small function, so that it is compiled for the instruction set of the loop that calls it.
#define HD_INLINE HD_FN inline __attribute__((always_inline))

/// Unrolls the next loop, of up to 16 iterations, at -O2 too. Empty for nvcc, which does not pass such a
/// pragma on to the host compiler.
#if defined(__CUDACC__)
#define HD_UNROLL
#elif defined(__clang__)
#define HD_UNROLL _Pragma("unroll")
#else
#define HD_UNROLL _Pragma("GCC unroll 16")
#endif

/// The GPU architecture that inline PTX may use. 0 where there is no PTX: in CPU code, and where `heddle
/// check` compiles device code for a CPU, which takes the portable code beside it.
#if defined(__CUDA_ARCH__) && !defined(__HEDDLE_CHECK__)
#define HD_PTX_ARCH __CUDA_ARCH__
#else
#define HD_PTX_ARCH 0
#endif

/// A pattern compiled by nvcc can launch kernels, and one compiled by a host compiler cannot. They are
/// different functions, so their names differ for the linker.
#if defined(__CUDACC__)
#define HD_BUILD built_with_nvcc
#else
#define HD_BUILD built_for_host
#endif
