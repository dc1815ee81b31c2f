#pragma once

#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>

/// `block-serial`: the threads of each block of B load an element each into shared memory, and the first
/// thread reduces them from left to right; the results of the blocks are reduced in the same way, until one
/// is left. B is 256, or less where elements are larger than 128 bytes.
///
///   operations  n − 1
///   steps       B − 1 a launch: all of a block waits for one thread
///   launches    ⌈log_B n⌉, at least 1
///   bytes       (n + n/B)·size for the first launch, and 1/B of that for the next …
///
/// Memory is read once and the order is kept, but 255 of 256 threads wait for one. The next method,
/// interleaved, lets half of them work, then a quarter, and so on.
namespace heddle::gpu::textbook {

template <class T, class Op>
__global__ void __launch_bounds__(block<T>)
    block_serial_kernel(impl::element_at<T, Op> x, Op op, std::size_t n, T* out) {
  __shared__ alignas(alignof(T)) unsigned char bytes[block<T> * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(bytes);
  const std::size_t blocks = heddle::textbook::blocks_of(n, block<T>);
  for (std::size_t b = blockIdx.x; b < blocks; b += gridDim.x) {
    const std::size_t first = b * block<T>;
    const unsigned count = count_in_block(n, first, block<T>);
    if (threadIdx.x < count) shared[threadIdx.x] = heddle::textbook::read(x, first + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      T sum = shared[0];
      for (unsigned t = 1; t < count; ++t) sum = op(sum, shared[t]);
      heddle::textbook::write(out, b, sum);
    }
    __syncthreads();  // before the next block's elements are loaded
  }
}

template <class T, class Op>
void reduce_block_serial(const target& where, impl::element_at<T, Op> x, const Op& op, std::size_t n,
                         T* out) {
  heddle::textbook::reduce_until_one_is_left(
      where, x, n, block<T>, out, [&](const auto& from, std::size_t elements, T* to) {
        block_serial_kernel<<<grid_for(elements, block<T>), block<T>, 0, where.stream()>>>(from, op, elements,
                                                                                           to);
        launched("launch of block_serial_kernel");
      });
}

}  // namespace heddle::gpu::textbook
