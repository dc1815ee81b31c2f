#pragma once

#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>
#include <heddle/impl/patterns/textbook/gpu/shared_result.cuh>

#include <algorithm>

/// `atomic`: every thread combines its element into one result by one atomic.
///
///   operations  n − 1
///   steps       n − 1: all of them go through one result
///   launches    2: one puts the first element into the result, one combines the others with it
///   bytes       (3n − 1)·size: each element once, and the result read and written for each but the first
///
/// The memory system does atomics on one address one after another, so the grid is as fast as one thread
/// would be. Where the processor has no atomic for the operator, every thread repeats a compare-and-swap
/// until it succeeds, or waits for a lock: slower again by a round trip to memory for each element. The order
/// of the elements is lost. The next method, block-serial, does all but a few combinations within blocks,
/// which do not wait for one another.
namespace heddle::gpu::textbook {

template <class T, class Op>
__global__ void put_first(impl::element_at<T, Op> x, shared_result<T>* result) {
  result->put(heddle::textbook::read(x, 0));
}

template <class T, class Op>
__global__ void __launch_bounds__(free_threads)
    combine_others(impl::element_at<T, Op> x, Op op, std::size_t n, shared_result<T>* result) {
  for (std::size_t i = first_index() + 1; i < n; i += index_stride()) {
    result->combine(heddle::textbook::read(x, i), op);
  }
}

template <class T, class Op>
void reduce_atomic(const target& where, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  const memory on_gpu(sizeof(shared_result<T>), where);
  auto* const result = static_cast<shared_result<T>*>(on_gpu.data());
  put_first<<<1, 1, 0, where.stream()>>>(x, result);
  launched("launch of put_first");
  if (n > 1) {
    // A thread an element; but threads that repeat a compare-and-swap disturb one another, so they are few
    // and take more elements each.
    const unsigned grid = grid_for(n - 1, free_threads);
    const unsigned most = shared_result<T>::template is_native<Op> ? grid : 8;
    combine_others<<<std::min(grid, most), free_threads, 0, where.stream()>>>(x, op, n, result);
    launched("launch of combine_others");
  }
  heddle::copy(out, where, result, where, sizeof(T));
}

}  // namespace heddle::gpu::textbook
