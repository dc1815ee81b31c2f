#pragma once

/// HD_FN marks a function or a lambda that a pattern may run on any target: `[] HD_FN(float a) { return 2 *
/// a; }`. Compiled by nvcc it exists on the CPU and on the GPU; compiled by another compiler the mark is
/// empty.
#if defined(__CUDACC__)
#define HD_FN __host__ __device__
#else
#define HD_FN
#endif

/// Small functions that must vanish into the loop that calls them, whatever instruction set that loop is
/// compiled for.
#define HD_INLINE HD_FN inline __attribute__((always_inline))

/// Unrolls the loop that follows, of up to 16 rounds, at -O2 too; nvcc passes no such wish on to a host
/// compiler.
#if defined(__CUDACC__)
#define HD_UNROLL
#elif defined(__clang__)
#define HD_UNROLL _Pragma("unroll")
#else
#define HD_UNROLL _Pragma("GCC unroll 16")
#endif

/// The architecture whose instructions inline PTX may name; 0 where there is none: on a CPU, and where
/// `heddle check` compiles device code for one, which it takes the portable way.
#if defined(__CUDA_ARCH__) && !defined(__HEDDLE_CHECK__)
#define HD_PTX_ARCH __CUDA_ARCH__
#else
#define HD_PTX_ARCH 0
#endif

/// A pattern compiled by nvcc can launch kernels and one compiled by a host compiler cannot, so the two are
/// different functions and carry different names for the linker.
#if defined(__CUDACC__)
#define HD_BUILD built_with_nvcc
#else
#define HD_BUILD built_for_host
#endif
