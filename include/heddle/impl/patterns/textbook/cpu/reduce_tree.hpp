#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>
#include <heddle/impl/patterns/textbook/cpu/shared_result.hpp>

/// `tree`: each block of B elements is reduced in a halving tree: the first half is combined with the second,
/// then the first quarter with the second, and so on; an atomic combines what is left of a block into the
/// result. With P = ⌈n/B⌉ blocks:
///
///   operations  n − 1
///   steps       log₂ B + P − 1: the atomics wait for one another
///   launches    2: one puts the first block into the result, one combines the others with it
///   bytes       (n + 2P − 1)·size
///
/// An operator that does not commute cannot be combined in any order: its tree joins neighbours, and the
/// results of the blocks are reduced in the same way until one is left, at the cost of interleaved.
///
/// The two halves are contiguous: they fill SIMD registers. The order of the atomics differs from run to run,
/// and with it the rounding; the next method, two-pass, reduces the blocks' results in a fixed order.
namespace heddle::cpu::textbook {

template <class T, class Op>
void reduce_tree(int threads, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  using namespace heddle::textbook;
  constexpr std::size_t block = block_of(sizeof(T));
  auto reduced = [&](const auto& from, std::size_t first, std::size_t count, T* shared) {
    for (std::size_t t = 0; t < count; ++t) shared[t] = read(from, first + t);
    reduce_tree(shared, count, block, op);
    return shared[0];
  };
  if constexpr (is_commutative<Op, T>) {
    const std::size_t of_first = n < block ? n : block;
    shared_result<T> result;
    for_blocks<T>(threads, of_first, block,
                  [&](std::size_t, std::size_t first, std::size_t count, T* shared) {
                    result.put(reduced(x, first, count, shared));
                  });
    if (n > block) {
      for_blocks<T>(threads, n - block, block,
                    [&](std::size_t, std::size_t first, std::size_t count, T* shared) {
                      result.combine(reduced(x, block + first, count, shared), op);
                    });
    }
    *out = result.get();
  } else {
    reduce_until_one_is_left(target(), x, n, block, out, [&](const auto& from, std::size_t elements, T* to) {
      for_blocks<T>(threads, elements, block,
                    [&](std::size_t b, std::size_t first, std::size_t count, T* shared) {
                      write(to, b, reduced(from, first, count, shared));
                    });
    });
  }
}

}  // namespace heddle::cpu::textbook
