#pragma once
// It is named by its path, and not found where system headers are.
#pragma GCC system_header

/// CUDA C++ for a host compiler: what a kernel may use without including anything.

#include "entries.hpp"

// The library's special functions take a compiler as long as all the rest, and kernels have none of them.
#if __has_include(<bits/c++config.h>) && !defined(__STDCPP_WANT_MATH_SPEC_FUNCS__)
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif
#include <assert.h>
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// nvcc's own headers bring these, and programs use them without asking.
#include <limits>
#include <new>
#include <utility>
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif

// Qualifiers that stand where C++ has something of its own. The others are taken out of the text.
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

#ifndef HEDDLE_HOST_SOURCE
#define __CUDA_ARCH__ 900
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 48
#endif
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __HEDDLE_CHECK__ 1

extern "C" int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

#include "vector_types.hpp"

constexpr int warpSize = 32;

#include "arithmetic.hpp"
#include "atomics.hpp"
#include "clusters.hpp"
#include "half.hpp"
#include "host/addresses.hpp"
#include "host/atomics.hpp"
#include "host/for_c.hpp"
#include "host/host.hpp"
#include "module.hpp"
#include "phases.hpp"
#include "shifts.hpp"
#include "spaces.hpp"
#include "synchronisation.hpp"
#include "warp.hpp"

// These are taken out again where a source names nothing of them (optional_headers.cpp): all that they
// include is above.
#include "functions_of_16_bits.hpp"
#include "host/graphs.hpp"
#include "rounding.hpp"
#include "textures/textures.hpp"
#include "words.hpp"

// It needs some of these.
#include "ptx/bits.hpp"
