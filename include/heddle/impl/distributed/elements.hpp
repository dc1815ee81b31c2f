#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/error.hpp>
#include <heddle/extent.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/random_stream.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace heddle::impl {

template <class X>
inline constexpr bool is_distributed = false;
template <class T>
inline constexpr bool is_distributed<distributed_array<T>> = true;

template <class X, class Y>
void check_same_blocks(const char* pattern, const X& x, const Y& y) {
  if (!(x.shape() == y.shape()) || x.begins() != y.begins()) fail_blocks(pattern, x.shape(), y.shape());
}

/// The block of a distributed array; another argument as it is.
template <class X>
decltype(auto) local_of(const X& x) {
  if constexpr (is_distributed<X>) {
    return x.local();
  } else {
    return (x);
  }
}

/// The first distributed array among the arguments. Throws where another is over other ranks, or has another
/// shape or other blocks.
template <class X, class... Rest>
const auto& first_distributed(const char* pattern, const ranks& all, const X& x, const Rest&... rest) {
  if constexpr (is_distributed<X>) {
    check_ranks(pattern, all, x.all());
    const auto check = [&](const auto& y) {
      if constexpr (is_distributed<std::remove_cvref_t<decltype(y)>>) check_same_blocks(pattern, x, y);
    };
    (check(rest), ...);
    return x;
  } else {
    return first_distributed(pattern, all, rest...);
  }
}

/// Throws: indices of an array with so many axes.
[[noreturn]] void fail_index_axes(std::size_t axes);

/// Throws, on every rank, where elements offset … offset + count − 1 are not below 2^64.
void check_random_end(std::uint64_t offset, std::size_t count);

/// An array whose blocks `make(shape of a block, the numbers of its elements)` makes.
template <class T, class Make>
distributed_array<T> random_over_ranks(const ranks& all, const shape& lengths, random::stream from,
                                       const Make& make) {
  check_random_end(from.offset, lengths.elements());
  const std::vector<std::size_t> begins = even_begins(all, lengths);
  const auto me = static_cast<std::size_t>(all.rank());
  from.offset += begins[me] * row_elements(lengths);
  return {all, lengths, begins, make(with_rows(lengths, begins[me + 1] - begins[me]), from)};
}

inline namespace HD_BUILD {

template <class T, class F>
void for_each_index_of_block(const target& where, array_view<T> block, std::size_t first, const F& f) {
  T* const elements = block.data();
  const shape& lengths = block.shape();
  constexpr bool takes[] = {std::is_invocable_v<const F&, T&, std::size_t>,
                            std::is_invocable_v<const F&, T&, std::size_t, std::size_t>,
                            std::is_invocable_v<const F&, T&, std::size_t, std::size_t, std::size_t>};
  static_assert(takes[0] || takes[1] || takes[2],
                "for_each_index: f takes the element and the indices of each axis: f(T&, row, column)");
  const std::size_t axes = lengths.axes();
  if (axes < 1 || axes > 3 || !takes[axes - 1]) fail_index_axes(axes);
  if constexpr (takes[0]) {
    if (axes == 1)
      for_each_index(where, extent{lengths[0]}, [=] HD_FN(std::size_t i) { f(elements[i], first + i); });
  }
  if constexpr (takes[1]) {
    if (axes == 2) {
      const std::size_t columns = lengths[1];
      for_each_index(where, extent{lengths[0], columns},
                     [=] HD_FN(std::size_t r, std::size_t c) { f(elements[r * columns + c], first + r, c); });
    }
  }
  if constexpr (takes[2]) {
    if (axes == 3) {
      const std::size_t rows = lengths[1], columns = lengths[2];
      for_each_index(where, extent{lengths[0], rows, columns},
                     [=] HD_FN(std::size_t p, std::size_t r, std::size_t c) {
                       f(elements[(p * rows + r) * columns + c], first + p, r, c);
                     });
    }
  }
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
