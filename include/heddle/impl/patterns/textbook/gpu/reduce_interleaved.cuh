#pragma once

#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>

/// `interleaved`: the threads of each block of B load an element each into shared memory. Then every second
/// thread combines its element with its right neighbour's, every fourth with the one two further on, and so
/// on; the results of the blocks are reduced in the same way, until one is left.
///
///   operations  n − 1
///   steps       log₂ B a launch
///   launches    ⌈log_B n⌉, at least 1
///   bytes       (n + n/B)·size for the first launch, and 1/B of that for the next …
///
/// A modulo test picks the threads that work, so warps diverge: every warp runs to the end for one or two of
/// its threads, and with each level more bank conflicts arise in shared memory. The next method, tree, keeps
/// the working threads side by side.
namespace heddle::gpu::textbook {

template <class T, class Op>
__global__ void __launch_bounds__(block<T>)
    interleaved_kernel(impl::element_at<T, Op> x, Op op, std::size_t n, T* out) {
  __shared__ alignas(alignof(T)) unsigned char bytes[block<T> * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(bytes);
  const unsigned t = threadIdx.x;
  const std::size_t blocks = heddle::textbook::blocks_of(n, block<T>);
  for (std::size_t b = blockIdx.x; b < blocks; b += gridDim.x) {
    const std::size_t first = b * block<T>;
    const unsigned count = count_in_block(n, first, block<T>);
    if (t < count) shared[t] = heddle::textbook::read(x, first + t);
    __syncthreads();
    for (unsigned step = 1; step < block<T>; step *= 2) {
      if (t % (2 * step) == 0 && t + step < count) shared[t] = op(shared[t], shared[t + step]);
      __syncthreads();
    }
    if (t == 0) heddle::textbook::write(out, b, shared[0]);
    __syncthreads();  // before the next block's elements are loaded
  }
}

template <class T, class Op>
void reduce_interleaved(const target& where, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  heddle::textbook::reduce_until_one_is_left(
      where, x, n, block<T>, out, [&](const auto& from, std::size_t elements, T* to) {
        interleaved_kernel<<<grid_for(elements, block<T>), block<T>, 0, where.stream()>>>(from, op, elements,
                                                                                          to);
        launched("launch of interleaved_kernel");
      });
}

}  // namespace heddle::gpu::textbook
