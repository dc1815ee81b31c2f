#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/histogram/front.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// Bins of equal width: bin k of `count` holds edges[k] ≤ x < edges[k + 1], where the edges are
/// numpy.linspace(low, high, count + 1); the last bin holds x = high too. If low = high, the edges range from
/// low − 1/2 to high + 1/2. Edges must increase: throws heddle::error for a range that the element type
/// divides into fewer bins.
///
/// NumPy computes the edges of float elements in two ways. With `range` it computes in double and rounds to
/// float. Without `range` it computes in float from the smallest to the largest element: for those edges, set
/// `ends_are_elements`. It makes no difference for the other element types.
///
///     const auto [low, high] = hd::minmax(where, x);
///     hd::even_bins as_numpy{.count = 100, .low = low, .high = high, .ends_are_elements = true};
struct even_bins {
  std::size_t count;
  double low, high;
  bool ends_are_elements = false;
};

/// The edges of even bins, which `histogram` compares elements with: those of numpy.histogram_bin_edges.
template <class T>
std::vector<double> edges_of(const even_bins& bins) {
  return impl::edges_of(dtype_of<T>, bins).values;
}

/// How many elements of x lie in each bin, as numpy.histogram. NaNs, and elements below the first edge or
/// above the last, are in no bin. Elements are compared with the edges as double, whatever their type. Reads
/// each element once. Asynchronous on a GPU.
///
///     hd::array<std::uint64_t> counts = hd::histogram(where, x, hd::even_bins{100, 0.0, 1.0});
template <impl::real_elements X>
array<std::uint64_t> histogram(const target& where, const X& x, const even_bins& bins) {
  return impl::histogram_of(where, impl::any_view_of(x), impl::edges_of(dtype_of<element_of<X>>, bins));
}

/// The same for bins between given edges, which must not decrease: bin k holds edges[k] ≤ x < edges[k + 1],
/// and the last bin its upper edge too. log₂(bins) comparisons an element, or 2 if no edge is more than half
/// a bin away from the edge of bins of equal width.
template <impl::real_elements X>
array<std::uint64_t> histogram(const target& where, const X& x, const std::vector<double>& edges) {
  return impl::histogram_of(where, impl::any_view_of(x), impl::edges_of(edges.data(), edges.size()));
}

/// The sum of the weights of the elements in each bin, as numpy.histogram with `weights`. The weights have
/// the shape of x and their own type, which is that of the sums: float is summed in double and rounded once,
/// complex<float> likewise, integers modulo 2^bits, and a sum of bool weights tells whether any is true. The
/// weights of a bin are summed as `reduce` sums them: the same bits on every target. A stable sort by bin and
/// a pass over the weights, with scratch memory for six arrays; waits for the counts. Throws heddle::error
/// for shapes that differ and for 2^32 − 1 bins and more.
///
///     hd::array<double> energies = hd::histogram(where, radii, hd::even_bins{100, 0.0, 1.0}, energy);
template <impl::real_elements X, array_like Weights>
  requires has_dtype<element_of<Weights>>
array<element_of<Weights>> histogram(const target& where, const X& x, const even_bins& bins,
                                     const Weights& weights) {
  return impl::weighted_histogram_of(where, impl::any_view_of(x),
                                     impl::edges_of(dtype_of<element_of<X>>, bins),
                                     impl::any_view_of(weights))
      .template as<element_of<Weights>>();
}
template <impl::real_elements X, array_like Weights>
  requires has_dtype<element_of<Weights>>
array<element_of<Weights>> histogram(const target& where, const X& x, const std::vector<double>& edges,
                                     const Weights& weights) {
  return impl::weighted_histogram_of(where, impl::any_view_of(x), impl::edges_of(edges.data(), edges.size()),
                                     impl::any_view_of(weights))
      .template as<element_of<Weights>>();
}

HD_EXPLAIN_MISUSE(histogram)

}  // namespace heddle
