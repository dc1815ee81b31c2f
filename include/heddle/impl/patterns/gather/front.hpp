#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/overlap.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle::impl {

/// Indices of a built-in integer type, on the target.
struct index_list {
  dtype type;
  const void* data;
  std::size_t count;
};

/// Throws where an index is not one of 0 … length − 1, naming the first such; on a GPU it waits.
void check_indices(const index_list& indices, std::size_t length, const target& where);

/// Along each of the lines of x, `count` elements: those at the indices, which have been checked.
void library_gather(const void* x, const axis_lines& lines, std::size_t element_bytes,
                    const index_list& indices, void* out, const target& where);

/// The same by indices that it checks as check_indices does, before or while it writes.
void library_gather_checked(const void* x, const axis_lines& lines, std::size_t element_bytes,
                            const index_list& indices, void* out, const target& where);

/// Checks the indices as check_indices does. Then writes, along each of the lines of `out`, `count` values,
/// each to its index; of equal indices the last has its value there.
void library_scatter(void* out, const axis_lines& lines, std::size_t element_bytes, const index_list& indices,
                     const void* values, const target& where);

template <class X>
concept integer_elements = array_like<X> && std::is_integral_v<element_of<X>> && has_dtype<element_of<X>> &&
                           !std::is_same_v<element_of<X>, bool>;

/// All of x, or its lines along an axis.
template <class X>
axis_lines indexed_lines(const X& x, const axis* along_axis) {
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
  const axis_lines lines = indexed_lines(x, along_axis);
  const std::size_t gathered = lines.count() * at.size;
  const target where = gather_target(requested, in, gathered, at);
  running.runs_on(where);
  if (to.size != gathered) fail_sizes("the output", to.size, gathered);
  check_apart(in.data, in.size * sizeof(T), in.where, to.data, to.size * sizeof(T), to.where);
  check_apart(at.data, at.size * sizeof(I), at.where, to.data, to.size * sizeof(T), to.where);
  const staged_input<I> staged_indices(at, where);
  const index_list list{dtype_of<I>, staged_indices.data(), at.size};
  const staged_input<T> staged(in, where);
  staged_output<T> staged_out(to, where);
  library_gather_checked(staged.data(), lines, sizeof(T), list, staged_out.data(), where);
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
  const axis_lines lines = indexed_lines(out, along_axis);
  const target where = gather_target(requested, elements<const T>{to.data, to.size, to.where}, in.size, at);
  running.runs_on(where);
  if (in.size != lines.count() * at.size) fail_sizes("the values", in.size, lines.count() * at.size);
  check_apart(in.data, in.size * sizeof(T), in.where, to.data, to.size * sizeof(T), to.where);
  check_apart(at.data, at.size * sizeof(I), at.where, to.data, to.size * sizeof(T), to.where);
  const staged_input<I> staged_indices(at, where);
  const index_list list{dtype_of<I>, staged_indices.data(), at.size};
  const staged_input<T> staged(in, where);
  staged_output<T> staged_out(to, where);
  // Elements that no index names keep their values.
  if (!same_memory(to.where, where)) copy(staged_out.data(), where, to.data, to.where, to.size * sizeof(T));
  library_scatter(staged_out.data(), lines, sizeof(T), list, staged.data(), where);
  staged_out.deliver();
}

}  // namespace heddle::impl
