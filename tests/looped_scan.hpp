#pragma once

#include "elements.hpp"
#include "sizes.hpp"
#include <heddle/array.hpp>
#include <heddle/operators.hpp>
#include <heddle/scan.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The ways to call a scan, and what a loop from left to right makes of the same elements.
namespace heddle::tests {

struct variant {
  bool exclusive, has_init, in_place;
  explicit variant(unsigned number) : exclusive(number & 1), has_init(number & 2), in_place(number & 4) {}
  std::string text() const {
    return std::string(exclusive ? "exclusive" : "inclusive") + (has_init ? ", with init" : "") +
           (in_place ? ", in place" : "");
  }
};
inline constexpr unsigned variants = 8;

/// What a loop makes of it, combining from left to right with `combine`, with *init first unless that is
/// null.
template <class T, class Combine>
array<T> looped(const array<T>& x, bool exclusive, const T* init, const Combine& combine) {
  array<T> out(x.size());
  if (x.size() == 0) return out;
  T sum = init != nullptr ? combine(*init, x.data()[0]) : x.data()[0];
  out.data()[0] = exclusive ? *init : sum;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const T before = sum;
    sum = combine(before, x.data()[i]);
    out.data()[i] = exclusive ? before : sum;
  }
  return out;
}

/// The same for a built-in operator; logical ones see zero and non-zero only.
template <class T, class Op>
array<T> looped_by(const array<T>& x, const variant& how, T init) {
  const T first =
      how.has_init ? (impl::is_logical<Op> ? T(init != T(0)) : init) : impl::identity_of<Op, T>(Op{});
  array<T> lifted = x.on(target::serial());
  if constexpr (impl::is_logical<Op>) {
    for (T& value : lifted.span()) value = T(value != T(0));
  }
  return looped<T>(lifted, how.exclusive, how.has_init || how.exclusive ? &first : nullptr, plainly<Op, T>);
}

/// Sums and products of real and complex numbers are rounded; everything else is exact in any order.
template <class T, class Op>
constexpr bool is_exact =
    !((std::is_floating_point_v<T> || is_complex<T>) && is_one_of<Op, plus, multiplies>);

/// What `where` makes of x; `init` is for ways that have one.
template <class T, class Op>
array<T> scanned(const target& where, const array<T>& x, const variant& how, const Op& op, const T& init) {
  const std::optional<T> start = how.has_init ? std::optional<T>(init) : std::nullopt;
  array<T> held = how.in_place ? x.on(where) : array<T>(x.size());
  const array_view<T> out = held.view();
  const array_view<const T> in = how.in_place ? array_view<const T>(out) : x.view();
  if (how.exclusive) {
    exclusive_scan_into(where, out, in, op, start);
  } else {
    inclusive_scan_into(where, out, in, op, start);
  }
  return held.on(target::serial());
}

/// Rounding errors that look random partly cancel, and stay below the bound of pairwise summation and a few
/// more.
inline constexpr auto pairwise_bound = [](std::size_t i) {
  return std::log2(static_cast<double>(i + 2)) + 10;
};

/// Sizes at which code on the CPU and on a GPU turns to another path: runs, rows of a panel, pieces for
/// threads.
inline std::vector<std::size_t> small_sizes() {
  return sizes_up_to(4100);
}

/// Calls f with an element type of each width and operators on it.
inline constexpr auto some_of_each_width = [](const auto& f) {
  f.template operator()<std::uint8_t, plus>();
  f.template operator()<std::int16_t, maximum>();
  f.template operator()<std::uint32_t, plus>();
  f.template operator()<float, minimum>();
  f.template operator()<std::int64_t, plus>();
  f.template operator()<double, maximum>();
};

}  // namespace heddle::tests
