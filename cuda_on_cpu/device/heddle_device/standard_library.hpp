#pragma once
#pragma GCC system_header

/// The standard library in kernels: cuda::std has what std has, which kernels may call here; cuda/std/atomic
/// and its like have their own.

#include "cccl.hpp"
#include "host/in_host_source.hpp"
#include "names_begin.hpp"

#include <algorithm>
#include <array>
#include <bitset>
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
#include <source_location>
#include <span>
#endif

#include "names_end.hpp"

namespace cuda::std {
using namespace ::std;
#if __cplusplus < 202002L
// What it has of later standards.
struct identity {
  template <class T>
  constexpr T&& operator()(T&& x) const noexcept {
    return static_cast<T&&>(x);
  }
};
template <class T>
using remove_cvref_t = ::std::remove_cv_t<::std::remove_reference_t<T>>;
template <class T>
struct type_identity {
  using type = T;
};
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif
}  // namespace cuda::std
