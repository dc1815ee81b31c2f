#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/gather.hpp>
#include <heddle/impl/misuse.hpp>

#include <type_traits>

namespace heddle {

/// x[indices[i]] for each index, in the shape of the indices: elements of x by their places in C order, as
/// numpy.take. Elements are of any trivially copyable type and indices of any built-in integer type. An index
/// outside 0 … size − 1, a negative one too, is a heddle::error that names the first such and its place. All
/// indices are read once for that before any element is, and on a GPU the call waits for the answer; the
/// elements themselves come asynchronously. One read and one write an index.
///
///     hd::array<float> chosen = hd::gather(where, x, places);
template <array_like X, impl::integer_elements Indices>
array<element_of<X>> gather(const target& where, const X& x, const Indices& indices) {
  return impl::gathered(where, x, indices, nullptr);
}
/// The same along one axis, which the axes of the indices take the place of: with axis 0 rows of a matrix,
/// with axis 1 columns.
///
///     hd::array<float> rows = hd::gather(where, matrix, row_numbers, hd::axis{0});
template <array_like X, impl::integer_elements Indices>
array<element_of<X>> gather(const target& where, const X& x, const Indices& indices, axis along_axis) {
  return impl::gathered(where, x, indices, &along_axis);
}

/// The same into `out`, which has as many elements as the result and is apart from x and from the indices.
template <array_like Out, array_like X, impl::integer_elements Indices>
  requires std::is_same_v<element_of<Out>, element_of<X>>
void gather_into(const target& where, Out&& out, const X& x, const Indices& indices) {
  impl::gather_to(where, out, x, indices, nullptr);
}
template <array_like Out, array_like X, impl::integer_elements Indices>
  requires std::is_same_v<element_of<Out>, element_of<X>>
void gather_into(const target& where, Out&& out, const X& x, const Indices& indices, axis along_axis) {
  impl::gather_to(where, out, x, indices, &along_axis);
}

/// out[indices[i]] = values[i] for each index, as numpy.put; elements that no index names stay as they are.
/// Of equal indices the last one's value is left, on every target. There are as many values as indices, and
/// they and the indices are apart from `out`. Indices are checked as `gather` checks them; where one is wrong
/// nothing is written. On several cores each reads all indices and writes a part of `out`; on a GPU the
/// indices are sorted first, which takes 24 to 40 bytes of scratch memory an index.
///
///     hd::scatter(where, x, places, values);
template <array_like Out, impl::integer_elements Indices, array_like Values>
  requires std::is_same_v<element_of<Out>, element_of<Values>>
void scatter(const target& where, Out&& out, const Indices& indices, const Values& values) {
  impl::scatter_to(where, out, indices, values, nullptr);
}
/// The same along one axis: with axis 0 the values are rows of `out`, with axis 1 columns, in the shape that
/// `gather` along that axis gives.
template <array_like Out, impl::integer_elements Indices, array_like Values>
  requires std::is_same_v<element_of<Out>, element_of<Values>>
void scatter(const target& where, Out&& out, const Indices& indices, const Values& values, axis along_axis) {
  impl::scatter_to(where, out, indices, values, &along_axis);
}

/// Says what to do about indices that are no integers.
template <array_like X, array_like Indices>
  requires(!impl::integer_elements<Indices>)
impl::any_result gather(const target&, const X&, const Indices&, axis = {0}) {
  static_assert(
      impl::integer_elements<Indices>,
      "gather: indices are integers: convert them first, as hd::transform(where, indices, [](float i) "
      "{ return static_cast<long>(i); })");
  return {};
}

HD_EXPLAIN_MISUSE(gather)
HD_EXPLAIN_MISUSE(gather_into)
HD_EXPLAIN_MISUSE(scatter)

}  // namespace heddle
