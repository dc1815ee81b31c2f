#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>

/// `interleaved`: each block of B elements is reduced in a tree: elements 0, 2, 4, … are combined with their
/// right neighbours, then 0, 4, 8, … with the element two further on, and so on; the results of the blocks
/// are reduced in the same way, until one is left.
///
///   operations  n − 1
///   steps       log₂ B a launch
///   launches    ⌈log_B n⌉, at least 1
///   bytes       (n + n/B)·size for the first launch, and 1/B of that for the next …
///
/// The combinations of a level are independent, but they are apart in memory, further with each level, so
/// that they do not fill SIMD registers. The next method, tree, moves them side by side.
namespace heddle::cpu::textbook {

template <class T, class Op>
void reduce_interleaved(int threads, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  using namespace heddle::textbook;
  constexpr std::size_t block = block_of(sizeof(T));
  reduce_until_one_is_left(target(), x, n, block, out, [&](const auto& from, std::size_t elements, T* to) {
    for_blocks<T>(threads, elements, block,
                  [&](std::size_t b, std::size_t first, std::size_t count, T* shared) {
                    for (std::size_t t = 0; t < count; ++t) shared[t] = read(from, first + t);
                    for (std::size_t step = 1; step < count; step *= 2) {
                      for (std::size_t t = 0; t + step < count; t += 2 * step) {
                        shared[t] = op(shared[t], shared[t + step]);
                      }
                    }
                    write(to, b, shared[0]);
                  });
  });
}

}  // namespace heddle::cpu::textbook
