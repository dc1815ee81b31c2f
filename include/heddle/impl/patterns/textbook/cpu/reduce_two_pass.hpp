#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>

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
/// The order is fixed, and so are the bits. The second pass is one block's work, and p/q grows with n: the
/// next method, shuffle, reduces the results with all threads again.
namespace heddle::cpu::textbook {

template <class T, class Op>
void reduce_two_pass(int threads, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  using namespace heddle::textbook;
  constexpr std::size_t block = block_of(sizeof(T));
  const T identity = impl::identity_of<Op, T>(op);
  const std::size_t blocks = blocks_of(n, block);
  const memory results(blocks * sizeof(T), target());
  T* const of_blocks = static_cast<T*>(results.data());
  for_blocks<T>(threads, n, block, [&](std::size_t b, std::size_t first, std::size_t count, T* shared) {
    for (std::size_t t = 0; t < block; ++t) shared[t] = t < count ? read(x, first + t) : identity;
    reduce_tree(shared, block, block, op);
    write(of_blocks, b, shared[0]);
  });

  const std::size_t padded = std::bit_ceil(blocks), width = std::min(padded, block), run = padded / width;
  const impl::element_at<T, Op> from{of_blocks};
  for_blocks<T>(threads, 1, block, [&](std::size_t, std::size_t, std::size_t, T* shared) {
    for (std::size_t t = 0; t < width; ++t) {
      T sum = t * run < blocks ? read(from, t * run) : identity;
      for (std::size_t k = 1; k < run; ++k) {
        sum = op(sum, t * run + k < blocks ? read(from, t * run + k) : identity);
      }
      shared[t] = sum;
    }
    reduce_tree(shared, width, width, op);
    write(out, 0, shared[0]);
  });
}

}  // namespace heddle::cpu::textbook
