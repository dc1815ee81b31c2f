#pragma once

#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>

/// `shuffle`: the threads of a warp exchange their elements by shuffles and reduce them in a tree of
/// neighbours; the first warp reduces the results of a block's warps in the same way, and the results of the
/// blocks are reduced in the same way, until one is left. A block has B = 256 elements, or less, down to 32,
/// where elements are larger than 128 bytes.
///
///   operations  n − 1
///   steps       log₂ B a launch
///   launches    ⌈log_B n⌉, at least 1
///   bytes       (n + n/B)·size for the first launch, and 1/B of that for the next …
///
/// Two barriers a block instead of ten, and eight elements in shared memory instead of 256. What is left to
/// gain is more loads in flight a thread, and no second launch. That is single-pass, the default: a thread
/// reduces many elements before it exchanges any.
namespace heddle::gpu::textbook {

template <class T>
inline constexpr unsigned shuffle_block =
    static_cast<unsigned>(heddle::textbook::shuffle_block_of(sizeof(T)));

/// Reduces what the first `count` lanes of a warp hold into that of lane 0.
template <class T, class Op>
__device__ void reduce_warp(T& sum, unsigned count, const Op& op) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll(sizeof(T) <= 16 ? 5 : 1)
  for (unsigned step = 1; step < warp_size; step *= 2) {
    const T other = shuffle_down(sum, step);
    if (lane % (2 * step) == 0 && lane + step < count) sum = op(sum, other);
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(shuffle_block<T>)
    shuffle_kernel(impl::element_at<T, Op> x, Op op, std::size_t n, T* out) {
  constexpr unsigned warps = shuffle_block<T> / warp_size;
  __shared__ alignas(alignof(T)) unsigned char bytes[warps * sizeof(T)];
  T* const of_warps = reinterpret_cast<T*>(bytes);
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const std::size_t blocks = heddle::textbook::blocks_of(n, shuffle_block<T>);
  for (std::size_t b = blockIdx.x; b < blocks; b += gridDim.x) {
    const std::size_t first = b * shuffle_block<T>;
    const unsigned count = count_in_block(n, first, shuffle_block<T>);
    order::uninitialized<T, 1> sum;
    if (threadIdx.x < count) sum[0] = heddle::textbook::read(x, first + threadIdx.x);
    const unsigned before = warp * warp_size;
    reduce_warp(sum[0], count > before ? count - before : 0, op);
    if (lane == 0) of_warps[warp] = sum[0];
    __syncthreads();
    if (warp == 0) {
      if (lane < warps) sum[0] = of_warps[lane];
      reduce_warp(sum[0], (count + warp_size - 1) / warp_size, op);
      if (lane == 0) heddle::textbook::write(out, b, sum[0]);
    }
    __syncthreads();  // before the next block's results are put there
  }
}

template <class T, class Op>
void reduce_shuffle(const target& where, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  heddle::textbook::reduce_until_one_is_left(
      where, x, n, shuffle_block<T>, out, [&](const auto& from, std::size_t elements, T* to) {
        shuffle_kernel<<<grid_for(elements, shuffle_block<T>), shuffle_block<T>, 0, where.stream()>>>(
            from, op, elements, to);
        launched("launch of shuffle_kernel");
      });
}

}  // namespace heddle::gpu::textbook
