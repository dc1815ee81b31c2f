#pragma once

#include <heddle/any_array.hpp>
#include <heddle/impl/core/any_view_of.hpp>
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

/// How many elements of x each bin has, and the sums of the weights of those elements.
array<std::uint64_t> histogram_of(const target& requested, const any_const_view& x, const bin_edges& edges);
any_array weighted_histogram_of(const target& requested, const any_const_view& x, const bin_edges& edges,
                                const any_const_view& weights);

template <class X>
concept real_elements = array_like<X> && library_has<element_of<X>, minimum>();

}  // namespace heddle::impl
