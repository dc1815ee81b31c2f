#pragma once

#include <heddle/array.hpp>
#include <heddle/memory.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

struct even_bins;

}  // namespace heddle

namespace heddle::impl {

/// Edges, which do not decrease. If `even` is true, the bin of an element is near the bin that equal widths
/// give it, and the search starts there.
struct bin_edges {
  std::vector<double> values;
  bool even;

  std::size_t bins() const noexcept { return values.size() - 1; }
};

/// The edges of bins for elements of `type`; heddle::error says what is wrong with them.
bin_edges edges_of(dtype type, const even_bins& bins);
bin_edges edges_of(const double* edges, std::size_t count);

/// Overwrites `counts`. x and counts are on `where`.
void library_histogram(dtype type, const void* x, std::size_t n, const bin_edges& edges,
                       std::uint64_t* counts, const target& where);

/// The bin of each element; the number of bins for none. All are on `where`. Throws for 2^32 − 1 bins and
/// more.
void library_find_bins(dtype type, const void* x, std::size_t n, const bin_edges& edges, std::uint32_t* bins,
                       const target& where);

/// Where the weights of each bin begin, of weights in the order of their bins, and where the last ends.
std::vector<std::size_t> begins_of_bins(const std::vector<std::uint64_t>& counts);

/// Fills `sums` with the sum of weights begin[k] … begin[k + 1] − 1 of each bin k, as `reduce` sums them;
/// float and complex<float> as `library_widened` has them, rounded once. `ordered` and `sums` are on `where`.
void library_sum_bins(dtype weight_type, const void* ordered, const std::vector<std::size_t>& begin,
                      void* sums, const target& where);
/// `count` floats as doubles, on `where`.
memory library_widened(const void* x, std::size_t count, const target& where);

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

}  // namespace heddle::impl
