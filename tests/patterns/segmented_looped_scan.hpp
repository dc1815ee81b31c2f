#pragma once

#include "tests/looped_scan.hpp"
#include "tests/segments.hpp"
#include <heddle/segmented_scan.hpp>

#include <cstddef>
#include <optional>

/// The ways to call a segmented scan, and what a loop over each segment makes of the same elements.
namespace heddle::tests {

/// Calls f(first, end) for each segment of n elements that offsets cut, the first and the last part included.
template <class F>
void for_each_segment(std::size_t n, const offsets_of_segments& offsets, const F& f) {
  std::size_t first = 0;
  for (const std::size_t end : offsets) {
    f(first, end);
    first = end;
  }
  f(first, n);
}

/// What a loop makes of each segment, combining from left to right, with *init first unless that is null.
template <class T, class Combine>
array<T> segments_looped(const array<T>& x, const offsets_of_segments& offsets, bool exclusive, const T* init,
                         const Combine& combine) {
  array<T> out(x.size());
  const T* const from = x.data();
  T* const to = out.data();
  for_each_segment(x.size(), offsets, [&](std::size_t first, std::size_t end) {
    if (first == end) return;
    T sum = init != nullptr ? *init : from[first];
    for (std::size_t i = first; i < end; ++i) {
      const T before = sum;
      if (i > first || init != nullptr) sum = combine(before, from[i]);
      to[i] = exclusive ? before : sum;
    }
  });
  return out;
}

/// The same for a built-in operator; logical ones see zero and non-zero only.
template <class T, class Op>
array<T> segments_looped_by(const array<T>& x, const offsets_of_segments& offsets, const variant& how,
                            T init) {
  const auto seen = [](T value) { return impl::is_logical<Op> ? T(value != T(0)) : value; };
  const T first = how.has_init ? seen(init) : impl::identity_of<Op, T>(Op{});
  array<T> lifted(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) lifted.data()[i] = seen(x.data()[i]);
  return segments_looped<T>(lifted, offsets, how.exclusive, how.has_init || how.exclusive ? &first : nullptr,
                            plainly<Op, T>);
}

/// What `where` makes of x; `init` is for ways that have one.
template <class T, class Op>
array<T> segments_scanned(const target& where, const array<T>& x, const offsets_of_segments& offsets,
                          const variant& how, const Op& op, const T& init) {
  const std::optional<T> start = how.has_init ? std::optional<T>(init) : std::nullopt;
  array<T> held = how.in_place ? x.on(where) : array<T>(x.size());
  const array_view<T> out = held.view();
  const array_view<const T> in = how.in_place ? array_view<const T>(out) : x.view();
  if (how.exclusive) {
    segmented_exclusive_scan_into(where, out, in, offsets, op, start);
  } else {
    segmented_inclusive_scan_into(where, out, in, offsets, op, start);
  }
  return held.on(target::serial());
}

/// Whether `where` scans segments by an operator of a user's own as a loop does.
template <class T, class Op>
testing::AssertionResult scans_as_a_loop(const target& where, const array<T>& x,
                                         const offsets_of_segments& offsets, const variant& how, const Op& op,
                                         const T& init) {
  std::optional<T> before;
  if (how.exclusive) before = op.identity_value;
  if (how.has_init) before = init;
  const array<T> want = segments_looped<T>(x, offsets, how.exclusive, before ? &*before : nullptr, op);
  return same_elements(segments_scanned(where, x, offsets, how, op, init), want)
         << "; " << sizeof(T) << " bytes, n = " << x.size() << ", " << offsets.size() << " offsets, "
         << how.text();
}

}  // namespace heddle::tests
