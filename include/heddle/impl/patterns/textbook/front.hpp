#pragma once

#include <heddle/algorithm.hpp>
#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace heddle::impl {

/// Counts a kernel, or a loop over all threads, that the calling thread starts for a textbook method.
void count_launch() noexcept;
/// How many the calling thread has started.
std::uint64_t launches() noexcept;

/// Throws: a method that combines in any order, and an operator that does not commute.
[[noreturn]] void fail_not_commutative(reduce_algorithm algorithm);
/// Throws: a method that pads, and an operator without identity.
[[noreturn]] void fail_no_padding(reduce_algorithm algorithm);
[[noreturn]] void fail_no_padding(scan_algorithm algorithm);

}  // namespace heddle::impl

/// Code that the textbook methods share on every target. A method cuts its elements into the same blocks
/// everywhere, so its cost is the same on every target, and so are the bits of a method with a fixed order.
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

/// Called for each element that is read from or written to memory that all blocks share. Does nothing, unless
/// a test specialises it for an element type of its own, to count.
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

/// Reduces n elements in blocks, then the results of the blocks in blocks, and so on until one is left, in
/// *out. `reduce_blocks(x, n, out)` puts the result of each block into out[0], out[1], …
template <class T, class Op, class ReduceBlocks>
void reduce_until_one_is_left(const target& where, impl::element_at<T, Op> x, std::size_t n,
                              std::size_t block, T* out, const ReduceBlocks& reduce_blocks) {
  memory partials;
  while (n > block) {
    const std::size_t blocks = blocks_of(n, block);
    memory results(blocks * sizeof(T), where);
    reduce_blocks(x, n, static_cast<T*>(results.data()));
    partials = std::move(results);
    x = {static_cast<const T*>(partials.data())};
    n = blocks;
  }
  reduce_blocks(x, n, out);
}

/// The elements whose inclusive scan is the requested scan. Exclusive is inclusive shifted right by one with
/// `before` first; an inclusive scan with an initial value begins with op(before, x[0]).
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
