#pragma once

#include "core/unequal.hpp"
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <cstddef>

/// How argmin and argmax find where an extremum is on the GPU.
namespace heddle::gpu {

/// Elements that a block searches, where nothing is known of them.
inline constexpr std::size_t find_piece = 8 * transform_threads;

/// Lowers *index to k, for the least k at which an element equals an extremum.
template <class T>
__device__ void lower_index_if_same(T element, T extremum, unsigned long long k, unsigned long long* index) {
  if (impl::is_unequal(element, extremum)) return;
  if (k < *static_cast<volatile unsigned long long*>(index)) atomicMin(index, k);
}

/// Finds, for each segment, the least k whose element equals the segment's extremum. `index` holds the
/// segment's length or more before. Reads every element.
template <class T>
__global__ void __launch_bounds__(transform_threads)
    find_first_equal(const T* x, axis_lines all, const T* extremum, unsigned long long* index) {
  const std::size_t count = all.elements();
  for (std::size_t i = std::size_t{blockIdx.x} * transform_threads + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * transform_threads) {
    const std::size_t row = i / all.inner;
    const std::size_t outer = row / all.length;
    const std::size_t segment = outer * all.inner + (i - row * all.inner);
    lower_index_if_same(x[i], extremum[segment], row - outer * all.length, index + segment);
  }
}

/// The same of contiguous segments, in pieces of so many elements. Two divisions for each element are saved,
/// and what follows an element that was found is not read, nor, where `of_pieces` has the extrema of pieces,
/// a piece that has another one.
template <class T>
__global__ void __launch_bounds__(transform_threads)
    find_first_equal_in_rows(const T* x, std::size_t rows, std::size_t length, const T* extremum,
                             const T* of_pieces, std::size_t piece, unsigned long long* index) {
  const std::size_t pieces = (length + piece - 1) / piece;
  for (std::size_t i = blockIdx.x; i < rows * pieces; i += gridDim.x) {
    const std::size_t row = i / pieces, first = (i - row * pieces) * piece;
    const T wanted = extremum[row];
    if (of_pieces != nullptr && impl::is_unequal(of_pieces[i], wanted)) continue;
    if (first > *static_cast<volatile unsigned long long*>(index + row)) continue;
    const std::size_t last = first + piece < length ? first + piece : length;
#pragma unroll 8
    for (std::size_t k = first + threadIdx.x; k < last; k += transform_threads)
      lower_index_if_same(x[row * length + k], wanted, k, index + row);
  }
}

}  // namespace heddle::gpu
