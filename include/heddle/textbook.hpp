#pragma once

#include <heddle/algorithm.hpp>
#include <heddle/impl/patterns/textbook/dispatch.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>

#include <type_traits>

/// The textbook methods of `reduce` and the scans, to read, to time and to compare with the default
/// (docs/reference/textbook.md). No other header includes this one.
namespace heddle {

inline namespace HD_BUILD {

/// reduce by the named method. Every method takes every type, operator and size on every target, except that
/// `atomic` needs a commutative operator and `two_pass` one with an identity: otherwise throws heddle::error.
/// A file that nvcc compiles is limited to elements of 24 KiB, and of 31 KiB with their operator: otherwise
/// it does not compile. Checks, empty input, errors and waiting are those of reduce; the bits differ from
/// those of the default, which is `single_pass`. cost_of gives the cost.
///
///     float total = hd::reduce(where, x, hd::plus{}, hd::reduce_algorithm::tree);
template <array_like X, class Op>
element_of<X> reduce(const target& where, const X& x, const Op& op, initial_value<X> init,
                     reduce_algorithm algorithm) {
  return impl::reduce_flat_by<element_of<X>>(algorithm, where, x, op, impl::address_of(init));
}
template <array_like X, class Op>
element_of<X> reduce(const target& where, const X& x, const Op& op, reduce_algorithm algorithm) {
  return heddle::reduce(where, x, op, initial_value<X>(), algorithm);
}

/// reduce into `out`, of one element, by the named method; asynchronous on a GPU. NaNs may have other bits
/// than in the value that reduce returns.
template <array_like Out, array_like X, class Op>
  requires std::is_same_v<element_of<Out>, element_of<X>>
void reduce_into(const target& where, Out&& out, const X& x, const Op& op, reduce_algorithm algorithm) {
  impl::reduce_into_by<element_of<X>>(algorithm, where, impl::output(out), x, op);
}

/// inclusive_scan of all elements in C order by the named method. Every method takes every type, operator and
/// size on every target, except that `blelloch` needs an operator with an identity: otherwise throws
/// heddle::error. A file that nvcc compiles is limited to elements of 24 KiB, and of 31 KiB with their
/// operator: otherwise it does not compile. `single_pass` is the default. cost_of gives the cost.
///
///     hd::array<float> sums = hd::inclusive_scan(where, x, hd::plus{}, hd::scan_algorithm::blelloch);
template <array_like X, class Op>
array<element_of<X>> inclusive_scan(const target& where, const X& x, const Op& op, initial_value<X> init,
                                    scan_algorithm algorithm) {
  constexpr auto kind = impl::scan_kind::inclusive;
  return impl::scan_new<kind>(where, x, nullptr, op, init, impl::scan_by<kind>{algorithm});
}
template <array_like X, class Op>
array<element_of<X>> inclusive_scan(const target& where, const X& x, const Op& op, scan_algorithm algorithm) {
  return inclusive_scan(where, x, op, initial_value<X>(), algorithm);
}

/// inclusive_scan into `out` by the named method; `out` has as many elements and may be x itself.
template <array_like Out, array_like X, class Op>
void inclusive_scan_into(const target& where, Out&& out, const X& x, const Op& op, initial_value<X> init,
                         scan_algorithm algorithm) {
  constexpr auto kind = impl::scan_kind::inclusive;
  impl::scan_existing<kind>(where, out, x, nullptr, op, init, impl::scan_by<kind>{algorithm});
}
template <array_like Out, array_like X, class Op>
void inclusive_scan_into(const target& where, Out&& out, const X& x, const Op& op, scan_algorithm algorithm) {
  inclusive_scan_into(where, out, x, op, initial_value<X>(), algorithm);
}

/// exclusive_scan by the named method, as inclusive_scan.
template <array_like X, class Op>
array<element_of<X>> exclusive_scan(const target& where, const X& x, const Op& op, initial_value<X> init,
                                    scan_algorithm algorithm) {
  constexpr auto kind = impl::scan_kind::exclusive;
  return impl::scan_new<kind>(where, x, nullptr, op, init, impl::scan_by<kind>{algorithm});
}
template <array_like X, class Op>
array<element_of<X>> exclusive_scan(const target& where, const X& x, const Op& op, scan_algorithm algorithm) {
  return exclusive_scan(where, x, op, initial_value<X>(), algorithm);
}

/// exclusive_scan into `out` by the named method; `out` has as many elements and may be x itself.
template <array_like Out, array_like X, class Op>
void exclusive_scan_into(const target& where, Out&& out, const X& x, const Op& op, initial_value<X> init,
                         scan_algorithm algorithm) {
  constexpr auto kind = impl::scan_kind::exclusive;
  impl::scan_existing<kind>(where, out, x, nullptr, op, init, impl::scan_by<kind>{algorithm});
}
template <array_like Out, array_like X, class Op>
void exclusive_scan_into(const target& where, Out&& out, const X& x, const Op& op, scan_algorithm algorithm) {
  exclusive_scan_into(where, out, x, op, initial_value<X>(), algorithm);
}

}  // namespace HD_BUILD
}  // namespace heddle
