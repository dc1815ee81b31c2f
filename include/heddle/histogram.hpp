#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/histogram.hpp>
#include <heddle/impl/misuse.hpp>

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
