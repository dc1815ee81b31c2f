#pragma once

#include <heddle/algorithm.hpp>
#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/order.hpp>

#include <cstddef>
#include <utility>

/// What the rungs have in common on every target. A rung cuts its elements into the same blocks everywhere,
/// so its cost is the same on every target, and so are the bits of a rung that keeps a fixed order.
namespace heddle::textbook {

/// The largest power of two up to `most` whose elements share 32 KiB; at least two.
constexpr std::size_t elements_that_fit(std::size_t element_bytes, std::size_t most) noexcept {
  constexpr std::size_t room = std::size_t{1} << 15;
  while (most > 2 && most * element_bytes > room) most /= 2;
  return most;
}

/// Elements of a block of `reduce`, one for each of its threads.
constexpr std::size_t block_of(std::size_t element_bytes) noexcept {
  return elements_that_fit(element_bytes, 256);
}
/// The same for warps that keep their elements in registers.
constexpr std::size_t shuffle_block_of(std::size_t element_bytes) noexcept {
  return block_of(element_bytes) < 32 ? 32 : block_of(element_bytes);
}
/// The most elements that one block scans.
constexpr std::size_t scan_block_of(std::size_t element_bytes) noexcept {
  return elements_that_fit(element_bytes, 1024);
}

/// How many blocks n ≥ 1 elements are cut into.
HD_INLINE constexpr std::size_t blocks_of(std::size_t n, std::size_t block) noexcept {
  return (n - 1) / block + 1;
}

/// Told of each element that is read from or written to memory that all blocks see. Does nothing, unless it
/// is specialised for an element type of one's own, to count.
template <class T>
struct traffic {
  static HD_INLINE void read() {}
  static HD_INLINE void written() {}
};

template <class T, class Op>
HD_INLINE T read(const impl::element_at<T, Op>& x, std::size_t i) {
  traffic<T>::read();
  return x(i);
}
template <class T>
HD_INLINE void write(T* out, std::size_t i, const T& value) {
  traffic<T>::written();
  out[i] = value;
}

/// Folds n elements in blocks, the results of the blocks in blocks again, and so on until one is left, in
/// *out. `fold(x, n, out)` puts the result of each block into out[0], out[1], …
template <class T, class Op, class Fold>
void reduce_until_one_is_left(const target& where, impl::element_at<T, Op> x, std::size_t n,
                              std::size_t block, T* out, const Fold& reduce_serially) {
  impl::memory held;
  while (n > block) {
    const std::size_t blocks = blocks_of(n, block);
    impl::memory results(blocks * sizeof(T), where);
    reduce_serially(x, n, static_cast<T*>(results.data()));
    held = std::move(results);
    x = {static_cast<const T*>(held.data())};
    n = blocks;
  }
  reduce_serially(x, n, out);
}

/// The elements of a scan, so that an inclusive scan of them is the scan that was asked for. Exclusive is
/// inclusive shifted right by one with `before` first; an inclusive scan with an initial value begins with
/// op(before, x[0]).
template <class T, class Op>
struct scanned_elements {
  impl::element_at<T, Op> x;
  Op op;
  bool exclusive;
  bool has_before;
  order::uninitialized<T, 1> before;

  scanned_elements(const T* data, const Op& combine, bool is_exclusive = false, const T* init = nullptr)
      : x{data}, op(combine), exclusive(is_exclusive), has_before(init != nullptr) {
    if (has_before) before[0] = *init;
  }
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  HD_INLINE T operator()(std::size_t i) const {
    if (i > 0) return read(x, exclusive ? i - 1 : i);
    if (exclusive) return before[0];
    return has_before ? op(before[0], read(x, 0)) : read(x, 0);
  }
};

}  // namespace heddle::textbook
