#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/adjacent_difference/front.hpp>
#include <heddle/impl/patterns/scan/front.hpp>
#include <heddle/initial_value.hpp>
#include <heddle/operators.hpp>

namespace heddle {

inline namespace HD_BUILD {

/// An array of running combinations: element i is op(…op(op(init, x[0]), x[1])…, x[i]), in C order, without
/// init when none is given. The operator is plus unless another is given; operand order is kept. The result
/// has the shape of x and lives on the target. The same bits on every target. n to 3.6n combinations on one
/// thread, n more on several, and 4n to 7n on a GPU.
///
///     hd::array<float> running_total = hd::inclusive_scan(where, x);
///     hd::array<float> records = hd::inclusive_scan(where, x, hd::maximum{});
template <array_like X, class Op = plus>
array<element_of<X>> inclusive_scan(const target& where, const X& x, const Op& op = {},
                                    initial_value<X> init = {}) {
  return impl::scan_new<impl::scan_kind::inclusive>(where, x, nullptr, op, init);
}

/// inclusive_scan of every row or column along one axis by itself.
template <array_like X, class Op = plus>
array<element_of<X>> inclusive_scan(const target& where, const X& x, axis along, const Op& op = {},
                                    initial_value<X> init = {}) {
  return impl::scan_new<impl::scan_kind::inclusive>(where, x, &along, op, init);
}

/// inclusive_scan into `out`, which has as many elements and may be x itself.
template <array_like Out, array_like X, class Op = plus>
void inclusive_scan_into(const target& where, Out&& out, const X& x, const Op& op = {},
                         initial_value<X> init = {}) {
  impl::scan_existing<impl::scan_kind::inclusive>(where, out, x, nullptr, op, init);
}
template <array_like Out, array_like X, class Op = plus>
void inclusive_scan_into(const target& where, Out&& out, const X& x, axis along, const Op& op = {},
                         initial_value<X> init = {}) {
  impl::scan_existing<impl::scan_kind::inclusive>(where, out, x, &along, op, init);
}

/// As inclusive_scan, but element i combines init and the elements before x[i], so the first is init,
/// which is the operator's identity unless given: an operator without one needs init, and throws
/// heddle::error when there is none.
///
///     hd::array<int> offsets = hd::exclusive_scan(where, counts);
template <array_like X, class Op = plus>
array<element_of<X>> exclusive_scan(const target& where, const X& x, const Op& op = {},
                                    initial_value<X> init = {}) {
  return impl::scan_new<impl::scan_kind::exclusive>(where, x, nullptr, op, init);
}

/// exclusive_scan of every row or column along one axis by itself.
template <array_like X, class Op = plus>
array<element_of<X>> exclusive_scan(const target& where, const X& x, axis along, const Op& op = {},
                                    initial_value<X> init = {}) {
  return impl::scan_new<impl::scan_kind::exclusive>(where, x, &along, op, init);
}

/// exclusive_scan into `out`, which has as many elements and may be x itself.
template <array_like Out, array_like X, class Op = plus>
void exclusive_scan_into(const target& where, Out&& out, const X& x, const Op& op = {},
                         initial_value<X> init = {}) {
  impl::scan_existing<impl::scan_kind::exclusive>(where, out, x, nullptr, op, init);
}
template <array_like Out, array_like X, class Op = plus>
void exclusive_scan_into(const target& where, Out&& out, const X& x, axis along, const Op& op = {},
                         initial_value<X> init = {}) {
  impl::scan_existing<impl::scan_kind::exclusive>(where, out, x, &along, op, init);
}

/// Undoes inclusive_scan, integers exactly: element 0 is x[0], element i is op(x[i], x[i−1]), in C order. The
/// operator is minus unless another is given; it need not be associative. The result has the shape of x and
/// lives on the target. n − 1 calls of op; reads and writes each element once. Asynchronous on a GPU.
///
///     hd::array<int> steps = hd::adjacent_difference(where, x);
///     hd::array<double> ratios = hd::adjacent_difference(where, prices, std::divides<double>());
///
/// minus on a built-in type runs on every target. Integers wrap modulo 2^bits, and two bools give whether
/// they differ. The bits are the same on every target, except those of a NaN. Any other operator runs on a
/// GPU only if nvcc compiles the file.
template <array_like X, class Op = minus>
array<element_of<X>> adjacent_difference(const target& where, const X& x, const Op& op = {}) {
  return impl::difference_new(where, x, nullptr, op);
}

/// adjacent_difference of every row or column along one axis by itself. The first element of each is copied.
template <array_like X, class Op = minus>
array<element_of<X>> adjacent_difference(const target& where, const X& x, axis along, const Op& op = {}) {
  return impl::difference_new(where, x, &along, op);
}

/// adjacent_difference into `out`, which has as many elements and may be x itself.
template <array_like Out, array_like X, class Op = minus>
void adjacent_difference_into(const target& where, Out&& out, const X& x, const Op& op = {}) {
  impl::difference_existing(where, out, x, nullptr, op);
}
template <array_like Out, array_like X, class Op = minus>
void adjacent_difference_into(const target& where, Out&& out, const X& x, axis along, const Op& op = {}) {
  impl::difference_existing(where, out, x, &along, op);
}
}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(inclusive_scan)
HD_EXPLAIN_MISUSE(inclusive_scan_into)
HD_EXPLAIN_MISUSE(exclusive_scan)
HD_EXPLAIN_MISUSE(exclusive_scan_into)
HD_EXPLAIN_MISUSE(adjacent_difference)
HD_EXPLAIN_MISUSE(adjacent_difference_into)

}  // namespace heddle
