#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>

#include <bit>

/// `blelloch`: the elements, padded with the identity to m = 2^L of them, are the leaves of a tree. The
/// up-sweep puts into each node the combination of its leaves; the down-sweep gives each node its prefix: the
/// left child has its parent's, the right child its parent's combined with the left child's sum. The root
/// begins with the identity, or with the initial value. That makes an exclusive scan; with the total
/// appended, the inclusive scan is the same array from its second element on. (G. E. Blelloch, Prefix sums
/// and their applications, CMU-CS-90-190, 1990.)
///
///   operations  2(m − 1)
///   steps       2L − 1: the two sweeps, less the step that makes the total, for which nothing waits
///   launches    2L + 3: one a level, and one each to pad, to turn round at the root and to deliver
///   bytes       (3n + 8m − 4)·size: padding n + m, up 3(m − 1), the root 3, down 4(m − 1), delivering 2n
///
/// The work of two serial scans whatever the number of threads, but 43 launches for a million
/// elements, most of them for few elements that lie far apart. The default, single-pass, reads the elements
/// once and writes them once.
namespace heddle::cpu::textbook {

template <class T, class Op>
void scan_blelloch(int threads, const impl::element_at<T, Op>& x, const Op& op, bool exclusive, const T* init,
                   std::size_t n, T* out) {
  using namespace heddle::textbook;
  const T identity = impl::identity_of<Op, T>(op);
  const std::size_t padded = std::bit_ceil(n);
  const memory nodes((padded + 1) * sizeof(T), target());
  T* const tree = static_cast<T*>(nodes.data());
  const impl::element_at<T, Op> node{tree};

  for_elements(threads, padded, [&](std::size_t i) { write(tree, i, i < n ? read(x, i) : identity); });
  for (std::size_t distance = 1; distance < padded; distance *= 2) {
    for_elements(threads, padded / (2 * distance), [&](std::size_t pair) {
      const std::size_t left = 2 * distance * pair + distance - 1, right = left + distance;
      write(tree, right, op(read(node, left), read(node, right)));
    });
  }
  for_elements(threads, 1, [&](std::size_t) {
    const T total = read(node, padded - 1);
    write(tree, padded, init != nullptr && !exclusive ? op(*init, total) : total);
    write(tree, padded - 1, init != nullptr ? *init : identity);
  });
  for (std::size_t distance = padded / 2; distance > 0; distance /= 2) {
    for_elements(threads, padded / (2 * distance), [&](std::size_t pair) {
      const std::size_t left = 2 * distance * pair + distance - 1, right = left + distance;
      const T sum_of_left = read(node, left), before = read(node, right);
      write(tree, left, before);
      write(tree, right, op(before, sum_of_left));
    });
  }
  const std::size_t shift = exclusive ? 0 : 1;
  for_elements(threads, n, [&](std::size_t i) { write(out, i, read(node, i + shift)); });
}

}  // namespace heddle::cpu::textbook
