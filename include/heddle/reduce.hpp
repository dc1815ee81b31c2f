#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/reduce/front.hpp>
#include <heddle/initial_value.hpp>
#include <heddle/operators.hpp>

namespace heddle {

inline namespace HD_BUILD {

/// Combines the elements of x with an associative operator: plus unless another is given. Operands keep C
/// order unless the operator is commutative (operators.hpp). Waits for the value and returns it. The bits are
/// the same on every target, run after run (docs/reference/reduce.md). The error of a floating-point sum
/// grows as that of pairwise summation. With an initial value op(init, the elements combined). No elements
/// give init, or the operator's identity; minimum and maximum, and functions without an identity, throw
/// heddle::error then. n − 1 combinations; reads each element once.
///
///     float total = hd::reduce(where, x);
///     float largest = hd::reduce(where, x, hd::maximum{});
///     float from_ten = hd::reduce(where, x, hd::plus{}, 10);
template <array_like X, class Op = plus>
element_of<X> reduce(const target& where, const X& x, const Op& op = {}, initial_value<X> init = {}) {
  return impl::reduce_flat<element_of<X>>(where, x, op, impl::address_of(init));
}

/// Combines along one axis of x; the result has the other axes, and lives on the target. Each of its elements
/// is what `reduce` of that row or column alone gives, bit for bit. An initial value takes scratch memory for
/// two elements a result, and another pass over the results.
///
///     hd::array<float> column_sums = hd::reduce(where, m, hd::axis{0});
template <array_like X, class Op = plus>
array<element_of<X>> reduce(const target& where, const X& x, axis along_axis, const Op& op = {},
                            initial_value<X> init = {}) {
  return impl::reduce_along<X, Op>(where, x, along_axis, op, impl::address_of(init));
}

/// reduce into `out`, which has one element, does not overlap x and may be on any target. Asynchronous on a
/// GPU where `out` is on it; an `out` elsewhere is filled on return. Throws heddle::error, before `out` is
/// touched, when x has no elements and the operator no identity, and when `out` has another size.
///
///     hd::array<float> total(1, where);
///     hd::reduce_into(where, total, x);
template <array_like Out, array_like X, class Op = plus>
void reduce_into(const target& where, Out&& out, const X& x, const Op& op = {}, initial_value<X> init = {}) {
  impl::reduce_existing(where, out, x, nullptr, op, impl::address_of(init));
}

/// The same along one axis of x: `out` has the shape of the result, or is flat and has as many elements.
///
///     hd::reduce_into(where, column_sums, m, hd::axis{0});
template <array_like Out, array_like X, class Op = plus>
void reduce_into(const target& where, Out&& out, const X& x, axis along_axis, const Op& op = {},
                 initial_value<X> init = {}) {
  impl::reduce_existing(where, out, x, &along_axis, op, impl::address_of(init));
}

/// Combines f(x[i], y[i], …) over all i, for any number of arrays of one shape, and scalars, which are
/// broadcast. `transform_reduce(where, x, y, …, f, op)`, or `(where, x, y, …, f, op, init)` to begin with an
/// initial value of the type that f returns. The results of f are not stored, except on a GPU when f and op
/// are built-in and a host compiler compiled the caller.
///
///     double dot = hd::transform_reduce(where, x, y, hd::multiplies{}, hd::plus{});
template <class... Arguments>
  requires(sizeof...(Arguments) >= 3)
auto transform_reduce(const target& where, const Arguments&... arguments) {
  return impl::with_mapped_arguments(
      [&](const auto& mapped, const auto& op, const auto* init) {
        return impl::transform_reduce_flat(where, mapped, op, init);
      },
      arguments...);
}

/// The same along one axis: `transform_reduce(where, hd::axis{0}, x, y, …, f, op)`, with `init` last or
/// without; the result has the other axes, and lives on the target.
template <class... Arguments>
  requires(sizeof...(Arguments) >= 3)
auto transform_reduce(const target& where, axis along_axis, const Arguments&... arguments) {
  return impl::with_mapped_arguments(
      [&](const auto& mapped, const auto& op, const auto* init) {
        return impl::transform_reduce_along(where, along_axis, mapped, op, init);
      },
      arguments...);
}

/// transform_reduce into `out`, as reduce_into: `transform_reduce_into(where, out, x, y, …, f, op)`, with
/// `init` last or without. f returns the type of the elements of `out`.
///
///     hd::transform_reduce_into(where, dot, x, y, hd::multiplies{}, hd::plus{});
template <array_like Out, class... Arguments>
  requires(sizeof...(Arguments) >= 3)
void transform_reduce_into(const target& where, Out&& out, const Arguments&... arguments) {
  impl::with_mapped_arguments(
      [&](const auto& mapped, const auto& op, const auto* init) {
        impl::transform_reduce_existing(where, out, nullptr, mapped, op, init);
      },
      arguments...);
}

/// The same along one axis: `transform_reduce_into(where, out, hd::axis{0}, x, y, …, f, op)`.
template <array_like Out, class... Arguments>
  requires(sizeof...(Arguments) >= 3)
void transform_reduce_into(const target& where, Out&& out, axis along_axis, const Arguments&... arguments) {
  impl::with_mapped_arguments(
      [&](const auto& mapped, const auto& op, const auto* init) {
        impl::transform_reduce_existing(where, out, &along_axis, mapped, op, init);
      },
      arguments...);
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(reduce)
HD_EXPLAIN_MISUSE(reduce_into)
HD_EXPLAIN_MISUSE(transform_reduce)
HD_EXPLAIN_MISUSE(transform_reduce_into)

}  // namespace heddle
