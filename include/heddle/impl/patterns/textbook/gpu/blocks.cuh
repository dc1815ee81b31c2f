#pragma once

#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/textbook/front.hpp>

#include <cstddef>

/// What the methods share on a GPU: the size of a block, launching, and the halving tree.
namespace heddle::gpu::textbook {

/// Threads of a block that reduces elements of type T, one each.
template <class T>
inline constexpr unsigned block = static_cast<unsigned>(heddle::textbook::block_of(sizeof(T)));

/// Threads of a block of a kernel whose threads are independent; each takes index first_index(), and goes on
/// in strides.
inline constexpr unsigned free_threads = 256;

__device__ inline std::size_t first_index() {
  return std::size_t{blockIdx.x} * free_threads + threadIdx.x;
}
__device__ inline std::size_t index_stride() {
  return std::size_t{gridDim.x} * free_threads;
}

/// Whether two elements have room in a block's shared memory, and an element and the operator, which may hold
/// its identity, among a kernel's parameters.
template <class T, class Op>
inline constexpr bool fits_a_kernel = 2 * sizeof(T) <= 48 << 10 && sizeof(T) + sizeof(Op) <= 31 << 10;

/// Checks the launch that was just made, and counts it.
inline void launched(const char* launch) {
  check(cudaGetLastError(), launch);
  impl::count_launch();
}

/// How many of n elements, cut into blocks of `size`, the block that begins at `first` has.
__device__ inline unsigned count_in_block(std::size_t n, std::size_t first, unsigned size) {
  return n - first < size ? static_cast<unsigned>(n - first) : size;
}

/// Reduces shared[0] … shared[count−1] into shared[0], on all threads of a block, of which there are `count`
/// or more and which see the elements already. `width` is a power of two, `count` or more. Threads in the
/// first half combine their elements with those of the second half, then those in the first quarter, and so
/// on: the working threads stay side by side, whole warps fall idle, and neighbouring threads use
/// neighbouring banks.
template <class T, class Op>
__device__ void reduce_tree(T* shared, unsigned count, [[maybe_unused]] unsigned width, const Op& op) {
  const unsigned t = threadIdx.x;
  if constexpr (is_commutative<Op, T>) {
    for (unsigned half = width / 2; half > 0; half /= 2) {
      if (t < half && t + half < count) shared[t] = op(shared[t], shared[t + half]);
      __syncthreads();
    }
  } else {
    // Where the order of operands matters neighbours are joined, and each pair's result moves to its number.
    for (unsigned left = count; left > 1; left = (left + 1) / 2) {
      order::uninitialized<T, 1> joined;
      if (2 * t < left) joined[0] = 2 * t + 1 < left ? op(shared[2 * t], shared[2 * t + 1]) : shared[2 * t];
      __syncthreads();  // all have read
      if (2 * t < left) shared[t] = joined[0];
      __syncthreads();  // all have written
    }
  }
}

}  // namespace heddle::gpu::textbook
