#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>

/// `hillis-steele`: in step k every element is combined with the result 2^k elements before it; after L =
/// ⌈log₂ n⌉ steps each combines all elements up to its own. (W. D. Hillis and G. L. Steele, Data parallel
/// algorithms, Commun. ACM 29, 1986.)
///
///   operations  n·L − (2^L − 1)
///   steps       L
///   launches    1 for n ≤ 1024 (less where elements are larger than 32 bytes), else L
///   bytes       2n·size in one launch; else (3n·L − (2^L − 1))·size: each step reads two arrays' worth and
///               writes one
///
/// Few steps, and much more work than the n − 1 combinations of one thread: beyond one block every step goes
/// through all of memory. The next method, blelloch, does about 2n combinations.
namespace heddle::cpu::textbook {

template <class T, class Op>
void scan_hillis_steele(int threads, const heddle::textbook::scanned_elements<T, Op>& x, std::size_t n,
                        T* out) {
  using namespace heddle::textbook;
  const Op& op = x.op;
  constexpr std::size_t one_block = scan_block_of(sizeof(T));
  if (n <= one_block) {
    for_blocks<T>(threads, n, one_block, [&](std::size_t, std::size_t, std::size_t, T* shared) {
      for (std::size_t t = 0; t < n; ++t) shared[t] = x(t);
      for (std::size_t step = 1; step < n; step *= 2) {
        // From the right, so that each element is read before it is written: a GPU has a barrier there.
        for (std::size_t t = n - 1; t >= step; --t) shared[t] = op(shared[t - step], shared[t]);
      }
      for (std::size_t t = 0; t < n; ++t) write(out, t, shared[t]);
    });
    return;
  }

  // Two arrays swap roles; the last step writes the result, which may be the array that the first one reads.
  const memory arrays[] = {memory(n * sizeof(T), target()), memory(n * sizeof(T), target())};
  const T* last = nullptr;
  int current = 0;
  for (std::size_t step = 1; step < n; step *= 2, current = 1 - current) {
    const scanned_elements<T, Op> from = last == nullptr ? x : scanned_elements<T, Op>(last, op);
    T* const to = 2 * step < n ? static_cast<T*>(arrays[current].data()) : out;
    for_elements(threads, n,
                 [&](std::size_t i) { write(to, i, i < step ? from(i) : op(from(i - step), from(i))); });
    last = to;
  }
}

}  // namespace heddle::cpu::textbook
