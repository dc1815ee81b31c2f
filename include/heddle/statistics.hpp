#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/quantile/front.hpp>
#include <heddle/impl/patterns/statistics/front.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle {

namespace cpu {

/// The squared distance of each element of a matrix from the centre of its column. The matrix is on the CPU
/// and has `rows` rows of `columns` elements of a type known at run time; the centres are double, or
/// complex<double> for complex elements. Runs on the calling thread: for variances of arrays that come a
/// piece at a time.
void squared_deviations(dtype type, const void* x, std::size_t rows, std::size_t columns, const void* centres,
                        double* out);
/// The same of a block of lines, on several threads. The centre of line (i, j) is number i·pitch + j.
void squared_deviations(int threads, dtype type, const void* x, const axis_lines& block, const void* centres,
                        std::size_t pitch, double* out);

}  // namespace cpu

/// The smallest and the largest element; along an axis, an array of each.
template <class T>
struct minmax_result {
  T min;
  T max;
};

/// The mean of the elements: double for integers and bool, and the element type for real and complex numbers.
/// Waits for the value and returns it. The sum is in double, or complex<double>, in the order of `reduce`, so
/// its bits are the same on every target. The error is at most 22·⌈log₁₀₂₄ n⌉·2⁻⁵³ times the mean of |x|, and
/// for float and complex<float> 2⁻²⁴·|mean| more, for the last rounding. NaN if an element is NaN. Throws
/// heddle::error when there are no elements. n additions; reads each element once.
///
///     double average = hd::mean(where, counts);
template <impl::numbers X>
typename impl::statistics_of<element_of<X>>::mean mean(const target& where, const X& x) {
  using M = typename impl::statistics_of<element_of<X>>::mean;
  return impl::mean_along(where, impl::any_view_of(x), nullptr).template as<M>().front();
}

/// The mean of each row or column along one axis of x; the result has the other axes, and lives on the
/// target; asynchronous on a GPU. Each of its elements is what `mean` of that row or column alone gives, bit
/// for bit.
template <impl::numbers X>
array<typename impl::statistics_of<element_of<X>>::mean> mean(const target& where, const X& x,
                                                              axis along_axis) {
  using M = typename impl::statistics_of<element_of<X>>::mean;
  return impl::mean_along(where, impl::any_view_of(x), &along_axis).template as<M>();
}

/// The variance, Σ|x − mean|² / (n − ddof), as numpy.var: double for integers and bool, the element type for
/// real numbers, and that of their parts for complex ones. Two passes in double, each a sum in the order of
/// `reduce` (T. F. Chan, G. H. Golub, R. J. LeVeque, Algorithms for computing the sample variance, Am. Stat.
/// 37, 1983): where the mean is large beside the deviations, the error grows by the square of the mean's
/// rounding error alone. The same bits on every target. NaN if an element is NaN or infinite. Where ddof ≥ n
/// the divisor is 0: NaN, or infinity. Throws heddle::error when there are no elements. About 4n operations;
/// reads each element twice.
///
///     double spread = std::sqrt(hd::variance(where, x));       // of these elements
///     double estimate = hd::variance(where, x, 1);             // of what they are a sample of
template <impl::numbers X>
typename impl::statistics_of<element_of<X>>::variance variance(const target& where, const X& x,
                                                               std::size_t ddof = 0) {
  using V = typename impl::statistics_of<element_of<X>>::variance;
  return impl::variance_along(where, impl::any_view_of(x), nullptr, ddof).template as<V>().front();
}

/// The variance of each row or column along one axis of x; otherwise as `mean` along an axis.
template <impl::numbers X>
array<typename impl::statistics_of<element_of<X>>::variance> variance(const target& where, const X& x,
                                                                      axis along_axis, std::size_t ddof = 0) {
  using V = typename impl::statistics_of<element_of<X>>::variance;
  return impl::variance_along(where, impl::any_view_of(x), &along_axis, ddof).template as<V>();
}

/// The smallest and the largest element, as `reduce` with `minimum` and with `maximum` gives them: a NaN
/// makes both NaN, and −0 lies below +0. Throws heddle::error when there are no elements. 2n comparisons;
/// reads each element once.
///
///     const auto [least, greatest] = hd::minmax(where, x);
template <impl::numbers_in_order X>
minmax_result<element_of<X>> minmax(const target& where, const X& x) {
  using T = element_of<X>;
  const auto both = impl::minmax_along(where, impl::any_view_of(x), nullptr);
  return {both.min.front().template as<T>(), both.max.front().template as<T>()};
}

/// minmax of every row or column along one axis, in two arrays that have the other axes and live on the
/// target. On a GPU columns that are larger than its cache are read twice.
template <impl::numbers_in_order X>
minmax_result<array<element_of<X>>> minmax(const target& where, const X& x, axis along_axis) {
  using T = element_of<X>;
  auto both = impl::minmax_along(where, impl::any_view_of(x), &along_axis);
  return {std::move(both.min).template as<T>(), std::move(both.max).template as<T>()};
}

/// The quantile of a fraction q of all elements, as numpy.quantile with its method "linear". In the sorted
/// elements x₀ … xₙ₋₁ it lies at index q·(n − 1): it is the element there, or lies on the straight line
/// between the two elements beside that index. Elements are of any built-in type but the complex ones, and
/// the value is a double. The difference of two integers is exact before it is rounded to double.
///
/// NaN if an element is NaN. Between a finite and an infinite element the value is infinite, where NumPy has
/// NaN in the upper half of the line; between −∞ and ∞ it is NaN. Throws heddle::error if there are no
/// elements or q is not from 0 to 1.
///
/// The same bits on every target. Sorts a copy of the elements: the time and the scratch memory of `sort`,
/// and memory for one array more. The call waits for the value.
///
///     double limit = hd::quantile(where, latencies, 0.99);
template <impl::numbers_in_order X>
double quantile(const target& where, const X& x, double q) {
  return impl::quantiles_of(where, impl::any_view_of(x), nullptr, {&q, 1}).front();
}
/// The quantiles of several fractions by one sort: an array with one value for each, on the target.
///
///     const auto quartiles = hd::quantile(where, x, {0.25, 0.5, 0.75});
template <impl::numbers_in_order X>
array<double> quantile(const target& where, const X& x, const std::vector<double>& q) {
  return impl::quantiles_of(where, impl::any_view_of(x), nullptr, q);
}
/// The quantile of each row or column along one axis; the result has the other axes, and lives on the target.
///
///     const auto medians_of_rows = hd::quantile(where, table, 0.5, hd::axis{1});
template <impl::numbers_in_order X>
array<double> quantile(const target& where, const X& x, double q, axis along_axis) {
  return impl::without_first_axis(impl::quantiles_of(where, impl::any_view_of(x), &along_axis, {&q, 1}));
}
/// The same of several fractions, which are the first axis of the result.
template <impl::numbers_in_order X>
array<double> quantile(const target& where, const X& x, const std::vector<double>& q, axis along_axis) {
  return impl::quantiles_of(where, impl::any_view_of(x), &along_axis, q);
}

/// The median as numpy.median: the middle element of the sorted elements or, if there are two, the number
/// half way between them. It is a float for elements of float and otherwise a double, in which it is
/// computed. NaN, errors and cost are those of `quantile`.
///
///     double typical = hd::median(where, latencies);
template <impl::numbers_in_order X>
typename impl::statistics_of<element_of<X>>::mean median(const target& where, const X& x) {
  using M = typename impl::statistics_of<element_of<X>>::mean;
  return impl::median_of(where, impl::any_view_of(x), nullptr).template as<M>().front();
}
/// The median of each row or column along one axis; the result has the other axes, and lives on the target.
template <impl::numbers_in_order X>
array<typename impl::statistics_of<element_of<X>>::mean> median(const target& where, const X& x,
                                                                axis along_axis) {
  using M = typename impl::statistics_of<element_of<X>>::mean;
  return impl::median_of(where, impl::any_view_of(x), &along_axis).template as<M>();
}

HD_EXPLAIN_MISUSE(mean)
HD_EXPLAIN_MISUSE(variance)
HD_EXPLAIN_MISUSE(minmax)
HD_EXPLAIN_MISUSE(quantile)
HD_EXPLAIN_MISUSE(median)

}  // namespace heddle
