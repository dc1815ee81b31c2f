#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/misuse.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// Bins of equal width: bin k of `count` holds edge k ≤ x < edge k + 1 of numpy.linspace(low, high, count +
/// 1), and the last bin x = high too; where low = high they go from low − 1/2 to high + 1/2. Edges must rise:
/// heddle::error for a range that the element type divides into fewer bins.
struct even_bins {
  std::size_t count;
  double low, high;
};

namespace impl {

/// Edges, rising; `even` says that they are numpy.linspace's, and so where an element's bin is to be looked
/// for first.
struct bin_edges {
  std::vector<double> values;
  bool even;

  std::size_t bins() const noexcept { return values.size() - 1; }
};

/// The edges of bins for elements of `type`; heddle::error says what is wrong with them.
bin_edges edges_of(dtype type, const even_bins& bins);
bin_edges edges_of(const double* edges, std::size_t count);

/// Adds nothing to what `counts` holds: it is filled. x and counts are on `where`.
void library_histogram(dtype type, const void* x, std::size_t n, const bin_edges& edges,
                       std::uint64_t* counts, const target& where);

/// Fills `sums`, of the weights' type, with the sum of the weights of the elements in each bin. x, weights
/// and sums are on `where`.
void library_weighted_histogram(dtype type, const void* x, std::size_t n, const bin_edges& edges,
                                dtype weight_type, const void* weights, void* sums, const target& where);
[[noreturn]] void fail_weights(const shape& elements, const shape& weights);

template <class X>
array<std::uint64_t> histogram_of(const target& requested, const X& x, const bin_edges& edges) {
  using T = element_of<X>;
  const elements<const T> in = input(x);
  operation running("histogram", in.size, type_name<T>());
  const target where = resolve(requested, {in.size * sizeof(T), 0, in.where, true});
  running.runs_on(where);
  array<std::uint64_t> counts(edges.bins(), where);
  const staged_input<T> staged(in, where);
  library_histogram(dtype_of<T>, staged.data(), in.size, edges, counts.data(), where);
  return counts;
}

template <class X, class Weights>
array<element_of<Weights>> weighted_histogram_of(const target& requested, const X& x, const bin_edges& edges,
                                                 const Weights& weights) {
  using T = element_of<X>;
  using W = element_of<Weights>;
  const elements<const T> in = input(x);
  const elements<const W> w = input(weights);
  operation running("histogram", in.size, type_name<T>());
  if (!(shape_of(x) == shape_of(weights))) fail_weights(shape_of(x), shape_of(weights));
  const std::size_t bytes = in.size * (sizeof(T) + 8 * (sizeof(W) + sizeof(std::size_t)));
  const target where = resolve(requested, {bytes, 0, in.where, true});
  running.runs_on(where);
  array<W> sums(edges.bins(), where);
  const staged_input<T> staged(in, where);
  const staged_input<W> staged_weights(w, where);
  library_weighted_histogram(dtype_of<T>, staged.data(), in.size, edges, dtype_of<W>, staged_weights.data(),
                             sums.data(), where);
  return sums;
}

template <class X>
concept real_elements = array_like<X> && library_has<element_of<X>, minimum>();

}  // namespace impl

/// The edges of even bins: numpy.linspace(low, high, count + 1), rounded to float for float elements.
template <class T>
std::vector<double> edges_of(const even_bins& bins) {
  return impl::edges_of(dtype_of<T>, bins).values;
}

/// How many elements of x lie in each bin, as numpy.histogram: NaNs and what is below the first edge or above
/// the last are in none. Elements are compared with edges as double, whatever their type. Reads each element
/// once.
///
///     hd::array<std::uint64_t> counts = hd::histogram(where, x, hd::even_bins{100, 0.0, 1.0});
template <impl::real_elements X>
array<std::uint64_t> histogram(const target& where, const X& x, const even_bins& bins) {
  return impl::histogram_of(where, x, impl::edges_of(dtype_of<element_of<X>>, bins));
}

/// The same for bins between given edges, which must not fall: bin k holds edges[k] ≤ x < edges[k + 1], and
/// the last bin its upper edge too. log₂ of their number comparisons an element.
template <impl::real_elements X>
array<std::uint64_t> histogram(const target& where, const X& x, const std::vector<double>& edges) {
  return impl::histogram_of(where, x, impl::edges_of(edges.data(), edges.size()));
}

/// The sum of the weights of the elements in each bin, as numpy.histogram with `weights`, which have the
/// shape of x and a type that need not be that of x; the sums have it. float is summed in double and rounded
/// once, complex<float> likewise, integers modulo 2^bits, and of bool weights a sum is whether any is true.
/// The bits are the same on every target: the weights of a bin are summed as `reduce` sums them. A stable
/// sort by bins and a pass over the weights; heddle::error for shapes that differ and for 2^32 − 1 bins and
/// more.
///
///     hd::array<double> energies = hd::histogram(where, radii, hd::even_bins{100, 0.0, 1.0}, energy);
template <impl::real_elements X, array_like Weights>
  requires has_dtype<element_of<Weights>>
array<element_of<Weights>> histogram(const target& where, const X& x, const even_bins& bins,
                                     const Weights& weights) {
  return impl::weighted_histogram_of(where, x, impl::edges_of(dtype_of<element_of<X>>, bins), weights);
}
template <impl::real_elements X, array_like Weights>
  requires has_dtype<element_of<Weights>>
array<element_of<Weights>> histogram(const target& where, const X& x, const std::vector<double>& edges,
                                     const Weights& weights) {
  return impl::weighted_histogram_of(where, x, impl::edges_of(edges.data(), edges.size()), weights);
}

HD_EXPLAIN_MISUSE(histogram)

}  // namespace heddle
