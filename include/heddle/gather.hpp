#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/impl/overlap.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle {
namespace impl {

/// Indices of a built-in integer type, on the target.
struct index_list {
  dtype type;
  const void* data;
  std::size_t count;
};

/// Throws where an index is not one of 0 … length − 1, naming the first such; on a GPU it waits.
void check_indices(const index_list& indices, std::size_t length, const target& where);

/// Along each of the lines of x, `count` elements: those at the indices, which have been checked.
void library_gather(const void* x, const segments& lines, std::size_t element_bytes,
                    const index_list& indices, void* out, const target& where);

/// Along each of the lines of `out`, `count` values, each to its index; of equal indices the last has its
/// value there.
void library_scatter(void* out, const segments& lines, std::size_t element_bytes, const index_list& indices,
                     const void* values, const target& where);

template <class X>
concept integer_elements = array_like<X> && std::is_integral_v<element_of<X>> && has_dtype<element_of<X>> &&
                           !std::is_same_v<element_of<X>, bool>;

/// All of x, or its lines along an axis.
template <class X>
segments indexed_lines(const X& x, const axis* along_axis) {
  const shape lengths = shape_of(x);
  if (along_axis == nullptr) return {1, lengths.elements(), 1};
  return along(lengths, lengths.resolve_axis(along_axis->index));
}

/// `lengths` with those of the indices in the place of one axis.
shape shape_with_indices(const shape& lengths, std::size_t axis, const shape& indices);

template <class T, class I>
target gather_target(const target& requested, const elements<const T>& x, std::size_t moved,
                     const elements<const I>& indices) {
  return resolve(requested,
                 {moved * sizeof(T) + 2 * indices.size * sizeof(I), moved * sizeof(T), x.where, true});
}

template <class Out, class X, class Indices>
void gather_to(const target& requested, Out&& out, const X& x, const Indices& indices,
               const axis* along_axis) {
  using T = element_of<X>;
  using I = element_of<Indices>;
  const elements<const T> in = input(x);
  const elements<const I> at = input(indices);
  const auto to = output(out);
  operation running("gather", at.size, type_name<T>());
  const segments lines = indexed_lines(x, along_axis);
  const std::size_t gathered = lines.count() * at.size;
  const target where = gather_target(requested, in, gathered, at);
  running.runs_on(where);
  if (to.size != gathered) fail_sizes("the output", to.size, gathered);
  check_apart(in.data, in.size * sizeof(T), in.where, to.data, to.size * sizeof(T), to.where);
  check_apart(at.data, at.size * sizeof(I), at.where, to.data, to.size * sizeof(T), to.where);
  const staged_input<I> staged_indices(at, where);
  const index_list list{dtype_of<I>, staged_indices.data(), at.size};
  check_indices(list, lines.length, where);
  const staged_input<T> staged(in, where);
  staged_output<T> staged_out(to, where);
  library_gather(staged.data(), lines, sizeof(T), list, staged_out.data(), where);
  staged_out.deliver();
}

template <class X, class Indices>
array<element_of<X>> gathered(const target& requested, const X& x, const Indices& indices,
                              const axis* along_axis) {
  operation running("gather", input(indices).size, type_name<element_of<X>>());
  const shape lengths = shape_of(x);
  const shape result =
      along_axis == nullptr
          ? shape_of(indices)
          : shape_with_indices(lengths, lengths.resolve_axis(along_axis->index), shape_of(indices));
  const target where = gather_target(requested, input(x), result.elements(), input(indices));
  running.runs_on(where);
  array<element_of<X>> out(result, where);
  gather_to(where, out, x, indices, along_axis);
  return out;
}

template <class Out, class Indices, class Values>
void scatter_to(const target& requested, Out& out, const Indices& indices, const Values& values,
                const axis* along_axis) {
  using T = element_of<Values>;
  using I = element_of<Indices>;
  const elements<const I> at = input(indices);
  const elements<const T> in = input(values);
  const auto to = output(out);
  operation running("scatter", at.size, type_name<T>());
  const segments lines = indexed_lines(out, along_axis);
  const target where = gather_target(requested, elements<const T>{to.data, to.size, to.where}, in.size, at);
  running.runs_on(where);
  if (in.size != lines.count() * at.size) fail_sizes("the values", in.size, lines.count() * at.size);
  check_apart(in.data, in.size * sizeof(T), in.where, to.data, to.size * sizeof(T), to.where);
  check_apart(at.data, at.size * sizeof(I), at.where, to.data, to.size * sizeof(T), to.where);
  const staged_input<I> staged_indices(at, where);
  const index_list list{dtype_of<I>, staged_indices.data(), at.size};
  check_indices(list, lines.length, where);
  const staged_input<T> staged(in, where);
  staged_output<T> staged_out(to, where);
  // What no index names stays as it is.
  if (!same_memory(to.where, where)) copy(staged_out.data(), where, to.data, to.where, to.size * sizeof(T));
  library_scatter(staged_out.data(), lines, sizeof(T), list, staged.data(), where);
  staged_out.deliver();
}

}  // namespace impl

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
