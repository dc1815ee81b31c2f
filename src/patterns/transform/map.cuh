#pragma once

#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/patterns/transform/gpu.cuh>

#include <cstddef>
#include <utility>

/// What transform runs on the GPU for built-in functions, and the kernel of fill.
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

}  // namespace heddle::gpu
