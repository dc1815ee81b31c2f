#pragma once
#pragma GCC system_header

/// The standard library in kernels: cuda::std has what std has, which kernels may call here; cuda/std/atomic
/// and its like have their own.

#include "in_host_source.hpp"
#include "names_begin.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ratio>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#if __cplusplus >= 202002L
#include <bit>
#include <concepts>
#include <numbers>
#include <ranges>
#include <span>
#endif

#include "names_end.hpp"

namespace cuda::std {
using namespace ::std;
}
