#pragma once

#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>
#include <heddle/impl/patterns/textbook/gpu/shared_result.cuh>

/// `tree`: the threads of each block of B load an element each into shared memory and reduce them in a
/// halving tree; the first thread combines what is left into the result by an atomic. With P = ⌈n/B⌉ blocks:
///
///   operations  n − 1
///   steps       log₂ B + P − 1: the atomics wait for one another
///   launches    2: one puts the first block into the result, one combines the others with it
///   bytes       (n + 2P − 1)·size
///
/// An operator that does not commute cannot be combined in any order: its tree joins neighbours, and the
/// results of the blocks are reduced in the same way until one is left, at the cost of interleaved.
///
/// P atomics instead of n, and no partial results to launch for. But they still wait for one another, and
/// their order differs from run to run, and with it the rounding; the next method, two-pass, reduces the
/// blocks' results in a tree as well.
namespace heddle::gpu::textbook {

/// Reduces blocks from number `first_block` on. An operator that commutes has a result, into which block 0 is
/// put and the others are combined; one that does not gets the result of each block in `out`.
template <class T, class Op>
__global__ void __launch_bounds__(block<T>)
    tree_kernel(impl::element_at<T, Op> x, Op op, std::size_t n, std::size_t first_block,
                std::size_t last_block, T* out, shared_result<T>* result) {
  __shared__ alignas(alignof(T)) unsigned char bytes[block<T> * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(bytes);
  const unsigned t = threadIdx.x;
  for (std::size_t b = first_block + blockIdx.x; b < last_block; b += gridDim.x) {
    const std::size_t first = b * block<T>;
    const unsigned count = count_in_block(n, first, block<T>);
    if (t < count) shared[t] = heddle::textbook::read(x, first + t);
    __syncthreads();
    reduce_tree(shared, count, block<T>, op);
    if (t == 0) {
      if constexpr (!is_commutative<Op, T>) {
        heddle::textbook::write(out, b, shared[0]);
      } else if (b == 0) {
        result->put(shared[0]);
      } else {
        result->combine(shared[0], op);
      }
    }
    __syncthreads();  // before the next block's elements are loaded
  }
}

template <class T, class Op>
void reduce_tree(const target& where, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  auto launch = [&](const auto& from, std::size_t elements, std::size_t first_block, std::size_t last_block,
                    T* to, shared_result<T>* result) {
    tree_kernel<<<grid_for(last_block - first_block, 1), block<T>, 0, where.stream()>>>(
        from, op, elements, first_block, last_block, to, result);
    launched("launch of tree_kernel");
  };
  if constexpr (is_commutative<Op, T>) {
    const std::size_t blocks = heddle::textbook::blocks_of(n, block<T>);
    const memory on_gpu(sizeof(shared_result<T>), where);
    auto* const result = static_cast<shared_result<T>*>(on_gpu.data());
    launch(x, n, 0, 1, nullptr, result);
    if (blocks > 1) launch(x, n, 1, blocks, nullptr, result);
    heddle::copy(out, where, result, where, sizeof(T));
  } else {
    heddle::textbook::reduce_until_one_is_left(
        where, x, n, block<T>, out, [&](const auto& from, std::size_t elements, T* to) {
          launch(from, elements, 0, heddle::textbook::blocks_of(elements, block<T>), to, nullptr);
        });
  }
}

}  // namespace heddle::gpu::textbook
