#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/patterns/textbook/front.hpp>
#include <heddle/support/threads.hpp>

#include <cstddef>

/// The blocks of a grid on a CPU: a loop over all threads, each of which works through whole blocks.
namespace heddle::cpu::textbook {

/// Fewer elements are not worth a second thread.
inline constexpr std::size_t grain = std::size_t{1} << 14;

/// One launch: f(b, first, count, shared) for each block of n elements, where `first` and `count` say which
/// elements block b has, and `shared` has room for them.
template <class T, class F>
void for_blocks(int threads, std::size_t n, std::size_t block, const F& f) {
  impl::count_launch();
  const std::size_t blocks = heddle::textbook::blocks_of(n, block);
  for_slices(threads, blocks, grain / block, [&](std::size_t begin, std::size_t end) {
    const memory room(block * sizeof(T), target());
    for (std::size_t b = begin; b < end; ++b) {
      const std::size_t first = b * block;
      f(b, first, n - first < block ? n - first : block, static_cast<T*>(room.data()));
    }
  });
}

/// One launch: f(i) for n elements.
template <class F>
void for_elements(int threads, std::size_t n, const F& f) {
  impl::count_launch();
  for_slices(threads, n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) f(i);
  });
}

/// Reduces shared[0] … shared[count−1] into shared[0] in a tree: each element is combined with the one half a
/// width further on, or with its neighbour where the order of operands matters. `width` is a power of two,
/// `count` or more.
template <class T, class Op>
void reduce_tree(T* shared, std::size_t count, [[maybe_unused]] std::size_t width, const Op& op) {
  if constexpr (is_commutative<Op, T>) {
    for (std::size_t half = width / 2; half > 0; half /= 2) {
      for (std::size_t t = 0; t < half && t + half < count; ++t) shared[t] = op(shared[t], shared[t + half]);
    }
  } else {
    for (std::size_t left = count; left > 1; left = (left + 1) / 2) {
      for (std::size_t t = 0; 2 * t < left; ++t) {
        shared[t] = 2 * t + 1 < left ? op(shared[2 * t], shared[2 * t + 1]) : shared[2 * t];
      }
    }
  }
}

}  // namespace heddle::cpu::textbook
