#pragma once

#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>

#include <algorithm>
#include <bit>

/// `two-pass`: each block of B elements is reduced in a halving tree, as in tree; then one block reduces the
/// results of all blocks, padded with the identity to a power of two. The last block is padded too. With P =
/// ⌈n/B⌉ blocks, p the power of two that P is padded to, and q = min(p, B) threads in the second pass, each
/// of which first reduces p/q neighbours:
///
///   operations  P·(B − 1) + p − 1, those with the identity included
///   steps       log₂ B + p/q − 1 + log₂ q
///   launches    2
///   bytes       (n + 2P + 1)·size
///
/// No atomics, and the order is fixed, and with it the bits. Every level of the tree still goes through
/// shared memory with a barrier, and for large n the one block of the second pass keeps all others waiting.
/// The next method, shuffle, does most levels in registers, and the later passes on as many blocks as there
/// is work for.
namespace heddle::gpu::textbook {

/// Each thread of a block reduces `run` neighbours, and the block reduces those in a halving tree.
template <class T, class Op>
__global__ void __launch_bounds__(block<T>)
    reduce_padded(impl::element_at<T, Op> x, Op op, std::size_t n, T identity, std::size_t run,
                  std::size_t blocks, T* out) {
  __shared__ alignas(alignof(T)) unsigned char bytes[block<T> * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(bytes);
  auto element = [&](std::size_t i) { return i < n ? heddle::textbook::read(x, i) : identity; };
  for (std::size_t b = blockIdx.x; b < blocks; b += gridDim.x) {
    const std::size_t first = (b * blockDim.x + threadIdx.x) * run;
    T sum = element(first);
    for (std::size_t k = 1; k < run; ++k) sum = op(sum, element(first + k));
    shared[threadIdx.x] = sum;
    __syncthreads();
    reduce_tree(shared, blockDim.x, blockDim.x, op);
    if (threadIdx.x == 0) heddle::textbook::write(out, b, shared[0]);
    __syncthreads();  // before the next block's elements are loaded
  }
}

template <class T, class Op>
void reduce_two_pass(const target& where, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  const T identity = impl::identity_of<Op, T>(op);
  const std::size_t blocks = heddle::textbook::blocks_of(n, block<T>);
  const memory partials(blocks * sizeof(T), where);
  T* const results = static_cast<T*>(partials.data());
  reduce_padded<<<grid_for(blocks, 1), block<T>, 0, where.stream()>>>(x, op, n, identity, 1, blocks, results);
  launched("launch of reduce_padded");

  const std::size_t padded = std::bit_ceil(blocks), threads = std::min<std::size_t>(padded, block<T>);
  reduce_padded<<<1, static_cast<unsigned>(threads), 0, where.stream()>>>(
      impl::element_at<T, Op>{results}, op, blocks, identity, padded / threads, 1, out);
  launched("launch of reduce_padded");
}

}  // namespace heddle::gpu::textbook
