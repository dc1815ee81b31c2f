#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>

/// `shuffle`: each run of 32 elements, a warp's on a GPU, is reduced in a tree of neighbours that fits in
/// registers; then the results of a block's runs, and then those of the blocks, until one is left. A block
/// has B = 256 elements, or less, down to 32, where elements are larger than 128 bytes.
///
///   operations  n − 1
///   steps       log₂ B a launch
///   launches    ⌈log_B n⌉, at least 1
///   bytes       (n + n/B)·size for the first launch, and 1/B of that for the next …
///
/// A core has no warps whose lanes exchange registers: here a run is a short tree in the cache, and
/// neighbours do not fill SIMD registers. What is left to gain is to fill them. That is single-pass, the
/// default: the rows of a tile are combined side by side in SIMD registers, those are reduced in a tree, and
/// the results of the tiles likewise.
namespace heddle::cpu::textbook {

template <class T, class Op>
void reduce_shuffle(int threads, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  using namespace heddle::textbook;
  constexpr std::size_t warp = 32, block = shuffle_block_of(sizeof(T));
  auto reduce_warp = [&](T* lanes, std::size_t count) {
    for (std::size_t step = 1; step < count; step *= 2) {
      for (std::size_t lane = 0; lane + step < count; lane += 2 * step) {
        lanes[lane] = op(lanes[lane], lanes[lane + step]);
      }
    }
  };
  reduce_until_one_is_left(target(), x, n, block, out, [&](const auto& from, std::size_t elements, T* to) {
    for_blocks<T>(threads, elements, block,
                  [&](std::size_t b, std::size_t first, std::size_t count, T* shared) {
                    for (std::size_t t = 0; t < count; ++t) shared[t] = read(from, first + t);
                    std::size_t warps = 0;
                    for (std::size_t start = 0; start < count; start += warp) {
                      reduce_warp(shared + start, count - start < warp ? count - start : warp);
                      shared[warps++] = shared[start];
                    }
                    reduce_warp(shared, warps);
                    write(to, b, shared[0]);
                  });
  });
}

}  // namespace heddle::cpu::textbook
