#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>

/// `block-serial`: each block of B elements is reduced from left to right; the results of the blocks are
/// reduced in the same way, until one is left. B is 256, or less where elements are larger than 128 bytes.
///
///   operations  n − 1
///   steps       B − 1 a launch: all of a block waits for one thread
///   launches    ⌈log_B n⌉, at least 1
///   bytes       (n + n/B)·size for the first launch, and 1/B of that for the next …
///
/// On a CPU this is nearly all there is to gain: blocks are independent. Within a block every combination
/// waits for the one before; the next method, interleaved, reduces the block in a tree.
namespace heddle::cpu::textbook {

template <class T, class Op>
void reduce_block_serial(int threads, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  using namespace heddle::textbook;
  constexpr std::size_t block = block_of(sizeof(T));
  reduce_until_one_is_left(target(), x, n, block, out, [&](const auto& from, std::size_t elements, T* to) {
    for_blocks<T>(threads, elements, block,
                  [&](std::size_t b, std::size_t first, std::size_t count, T* shared) {
                    for (std::size_t t = 0; t < count; ++t) shared[t] = read(from, first + t);
                    T sum = shared[0];
                    for (std::size_t t = 1; t < count; ++t) sum = op(sum, shared[t]);
                    write(to, b, sum);
                  });
  });
}

}  // namespace heddle::cpu::textbook
