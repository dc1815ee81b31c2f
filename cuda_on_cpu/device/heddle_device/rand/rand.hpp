#pragma once
#pragma GCC system_header

/// Replacements of cuRAND, in kernels and for the host.

#include "../host/in_host_source.hpp"
#include "../names_begin.hpp"

#include <cmath>
#include <cstdio>
#include <type_traits>
// Not before the macros are put away.
#include "generators.hpp"

// Headers of others ask for these before they use what is here.
#define CURAND_H_
#define CURAND_KERNEL_H_

#include "../names_end.hpp"
