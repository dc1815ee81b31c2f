#pragma once

#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>

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
/// The work of two serial scans, but 43 launches for a million elements, most of them for few elements that
/// lie far apart, each in a sector of memory of its own. The default, single-pass, reads the elements once
/// and writes them once.
namespace heddle::gpu::textbook {

template <class T, class Op>
__global__ void __launch_bounds__(free_threads)
    blelloch_pad(impl::element_at<T, Op> x, std::size_t n, T identity, std::size_t padded, T* tree) {
  for (std::size_t i = first_index(); i < padded; i += index_stride()) {
    heddle::textbook::write(tree, i, i < n ? heddle::textbook::read(x, i) : identity);
  }
}

/// One level: pairs of nodes that are `distance` apart, the right one of which is their parent too.
template <class T, class Op>
__global__ void __launch_bounds__(free_threads)
    blelloch_up(T* tree, Op op, std::size_t distance, std::size_t pairs) {
  const impl::element_at<T, Op> node{tree};
  for (std::size_t pair = first_index(); pair < pairs; pair += index_stride()) {
    const std::size_t left = 2 * distance * pair + distance - 1, right = left + distance;
    heddle::textbook::write(tree, right,
                            op(heddle::textbook::read(node, left), heddle::textbook::read(node, right)));
  }
}

/// Stores the total after the tree, and in the root the value before all elements.
template <class T, class Op>
__global__ void blelloch_turn(T* tree, Op op, std::size_t padded, T before, bool goes_before_total) {
  const T total = heddle::textbook::read(impl::element_at<T, Op>{tree}, padded - 1);
  heddle::textbook::write(tree, padded, goes_before_total ? op(before, total) : total);
  heddle::textbook::write(tree, padded - 1, before);
}

template <class T, class Op>
__global__ void __launch_bounds__(free_threads)
    blelloch_down(T* tree, Op op, std::size_t distance, std::size_t pairs) {
  const impl::element_at<T, Op> node{tree};
  for (std::size_t pair = first_index(); pair < pairs; pair += index_stride()) {
    const std::size_t left = 2 * distance * pair + distance - 1, right = left + distance;
    const T sum_of_left = heddle::textbook::read(node, left), before = heddle::textbook::read(node, right);
    heddle::textbook::write(tree, left, before);
    heddle::textbook::write(tree, right, op(before, sum_of_left));
  }
}

template <class T>
__global__ void __launch_bounds__(free_threads) blelloch_deliver(const T* scanned, std::size_t n, T* out) {
  for (std::size_t i = first_index(); i < n; i += index_stride()) {
    heddle::textbook::traffic<T>::read();
    heddle::textbook::write(out, i, scanned[i]);
  }
}

template <class T, class Op>
void scan_blelloch(const target& where, impl::element_at<T, Op> x, const Op& op, bool exclusive,
                   const T* init, std::size_t n, T* out) {
  const T identity = impl::identity_of<Op, T>(op);
  const std::size_t padded = std::bit_ceil(n);
  const memory nodes((padded + 1) * sizeof(T), where);
  T* const tree = static_cast<T*>(nodes.data());
  const auto stream = where.stream();

  blelloch_pad<<<grid_for(padded, free_threads), free_threads, 0, stream>>>(x, n, identity, padded, tree);
  launched("launch of blelloch_pad");
  for (std::size_t distance = 1; distance < padded; distance *= 2) {
    const std::size_t pairs = padded / (2 * distance);
    blelloch_up<<<grid_for(pairs, free_threads), free_threads, 0, stream>>>(tree, op, distance, pairs);
    launched("launch of blelloch_up");
  }
  blelloch_turn<<<1, 1, 0, stream>>>(tree, op, padded, init != nullptr ? *init : identity,
                                     init != nullptr && !exclusive);
  launched("launch of blelloch_turn");
  for (std::size_t distance = padded / 2; distance > 0; distance /= 2) {
    const std::size_t pairs = padded / (2 * distance);
    blelloch_down<<<grid_for(pairs, free_threads), free_threads, 0, stream>>>(tree, op, distance, pairs);
    launched("launch of blelloch_down");
  }
  blelloch_deliver<<<grid_for(n, free_threads), free_threads, 0, stream>>>(tree + (exclusive ? 0 : 1), n,
                                                                           out);
  launched("launch of blelloch_deliver");
}

}  // namespace heddle::gpu::textbook
