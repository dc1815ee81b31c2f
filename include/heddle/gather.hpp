#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/gather/front.hpp>

#include <type_traits>

namespace heddle {

/// x[indices[i]] for each index, as numpy.take: indices count the elements of x in C order, and the result
/// has the shape of the indices. Elements are of any trivially copyable type, indices of any built-in integer
/// type. An index outside 0 … size − 1, including a negative one, throws a heddle::error that names the first
/// such index and its position. On a GPU the call waits for this check. One read and one write an index.
///
///     hd::array<float> chosen = hd::gather(where, x, indices);
template <array_like X, impl::integer_elements Indices>
array<element_of<X>> gather(const target& where, const X& x, const Indices& indices) {
  return impl::gathered(where, x, indices, nullptr);
}
/// The same along one axis, which the axes of the indices replace in the result: axis 0 gathers rows of a
/// matrix, axis 1 columns.
///
///     hd::array<float> rows = hd::gather(where, matrix, row_numbers, hd::axis{0});
template <array_like X, impl::integer_elements Indices>
array<element_of<X>> gather(const target& where, const X& x, const Indices& indices, axis along_axis) {
  return impl::gathered(where, x, indices, &along_axis);
}

/// The same into `out`, which has as many elements as the result and does not overlap x or the indices. If an
/// index is out of range, the elements of `out` are unspecified afterwards.
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

/// out[indices[i]] = values[i] for each index, as numpy.put; other elements are unchanged. Of equal indices
/// the last one's value remains, on every target. There are as many values as indices, and neither overlaps
/// `out`. Indices are checked as by `gather`; if one is out of range, nothing is written. With several
/// threads each reads all indices and writes a part of `out`. A GPU needs a bit of scratch memory for each
/// element of `out`; if indices repeat, 4 bytes more; and if neighbouring indices are far apart, 8 to 16
/// bytes for each index.
///
///     hd::scatter(where, x, indices, values);
template <array_like Out, impl::integer_elements Indices, array_like Values>
  requires std::is_same_v<element_of<Out>, element_of<Values>>
void scatter(const target& where, Out&& out, const Indices& indices, const Values& values) {
  impl::scatter_to(where, out, indices, values, nullptr);
}
/// The same along one axis: axis 0 scatters rows of `out`, axis 1 columns. The values have the shape that
/// `gather` along that axis gives.
template <array_like Out, impl::integer_elements Indices, array_like Values>
  requires std::is_same_v<element_of<Out>, element_of<Values>>
void scatter(const target& where, Out&& out, const Indices& indices, const Values& values, axis along_axis) {
  impl::scatter_to(where, out, indices, values, &along_axis);
}

/// Explains what to do about indices that are not integers.
template <array_like X, array_like Indices>
  requires(!impl::integer_elements<Indices>)
impl::any_result gather(const target&, const X&, const Indices&, axis = {0}) {
  static_assert(
      impl::integer_elements<Indices>,
      "gather: indices are integers: convert them first, as hd::transform(where, indices, [](float i) "
      "{ return static_cast<long>(i); })");
  return {};
}

/// Explain what to do about outputs of another type.
template <array_like Out, array_like X, impl::integer_elements Indices>
  requires(!std::is_same_v<element_of<Out>, element_of<X>>)
impl::any_result gather_into(const target&, Out&&, const X&, const Indices&, axis = {0}) {
  static_assert(std::is_same_v<element_of<Out>, element_of<X>>,
                "gather_into writes elements of the type that it reads");
  return {};
}
template <array_like Out, impl::integer_elements Indices, array_like Values>
  requires(!std::is_same_v<element_of<Out>, element_of<Values>>)
impl::any_result scatter(const target&, Out&&, const Indices&, const Values&, axis = {0}) {
  static_assert(std::is_same_v<element_of<Out>, element_of<Values>>,
                "scatter writes elements of the type of the values");
  return {};
}

HD_EXPLAIN_MISUSE(gather)
HD_EXPLAIN_MISUSE(gather_into)
HD_EXPLAIN_MISUSE(scatter)

}  // namespace heddle
