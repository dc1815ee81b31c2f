#pragma once

#include "core/differs.hpp"
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <cstddef>
#include <utility>

/// What transform runs on the GPU for built-in functions, and the kernels of fill and of argmin and argmax.
namespace heddle::gpu {

/// An operand that is an array or one element for all: which one is known at run time, and costs no second
/// kernel.
template <class T>
struct operand {
  const T* x;
  T constant;
  __device__ T operator()(std::size_t i) const { return x != nullptr ? x[i] : constant; }
};

template <class T>
struct vector_reader<operand<T>> {
  using array = impl::element_of_array<T>;
  static constexpr std::size_t bytes = vector_reader<array>::bytes;
  static bool is_aligned(const operand<T>& source, std::size_t items) {
    return vector_reader<array>::is_aligned({source.x}, items);
  }
  template <unsigned Items>
  __device__ static auto load(const operand<T>& source, std::size_t first) {
    order::uninitialized<T, Items> constants;
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) constants[k] = source.constant;
    typename vector_of_items<T, Items>::word bits;
    memcpy(&bits, static_cast<const void*>(&constants), sizeof bits);
    // Loaded whole and unpacked after the branch, which would otherwise delay other loads.
    if (source.x != nullptr) bits = vector_of_items<T, Items>::load(source.x + first);
    return vector_of_items<T, Items>(bits);
  }
};

/// What a built-in function computes of two operands.
template <class T, class Op>
using mapped = impl::mapped_elements<Op, std::index_sequence<0, 1>, operand<T>, operand<T>>;

/// A value of any type up to a size that fits the parameters of a kernel.
struct pattern {
  static constexpr std::size_t most_bytes = 1024;
  alignas(16) unsigned char bytes[most_bytes];
};

template <class Word>
__global__ void __launch_bounds__(transform_threads)
    repeat_pattern(Word* to, std::size_t words, const __grid_constant__ pattern value,
                   std::size_t words_in_value) {
  const Word* const from = reinterpret_cast<const Word*>(value.bytes);
  const Word first = from[0];
  for (std::size_t i = std::size_t{blockIdx.x} * transform_threads + threadIdx.x; i < words;
       i += std::size_t{gridDim.x} * transform_threads) {
    to[i] = words_in_value == 1 ? first : from[i % words_in_value];
  }
}

/// Elements that a block searches, where nothing is known of them.
inline constexpr std::size_t find_piece = 8 * transform_threads;

/// Lowers *index to k, for the least k at which an element equals an extremum.
template <class T>
__device__ void lower_index_if_same(T element, T extremum, unsigned long long k, unsigned long long* index) {
  if (impl::differs(element, extremum)) return;
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
    if (of_pieces != nullptr && impl::differs(of_pieces[i], wanted)) continue;
    if (first > *static_cast<volatile unsigned long long*>(index + row)) continue;
    const std::size_t last = first + piece < length ? first + piece : length;
#pragma unroll 8
    for (std::size_t k = first + threadIdx.x; k < last; k += transform_threads)
      lower_index_if_same(x[row * length + k], wanted, k, index + row);
  }
}

}  // namespace heddle::gpu
