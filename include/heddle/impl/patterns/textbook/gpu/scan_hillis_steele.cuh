#pragma once

#include <heddle/impl/patterns/textbook/gpu/blocks.cuh>

/// `hillis-steele`: in step k every element is combined with the result 2^k elements before it; after L =
/// ⌈log₂ n⌉ steps each combines all elements up to its own. Up to 1024 elements are one block's work, in
/// shared memory, with a barrier between reading and writing; more take a launch a step, and two arrays that
/// swap roles. (W. D. Hillis and G. L. Steele, Data parallel algorithms, Commun. ACM 29, 1986.)
///
///   operations  n·L − (2^L − 1)
///   steps       L
///   launches    1 for n ≤ 1024 (less where elements are larger than 32 bytes), else L
///   bytes       2n·size in one launch; else (3n·L − (2^L − 1))·size: each step reads two arrays' worth and
///               writes one
///
/// Few steps, and much more work than the n − 1 combinations of one thread: beyond one block every step goes
/// through all of memory. The next method, blelloch, does about 2n combinations.
namespace heddle::gpu::textbook {

template <class T>
inline constexpr unsigned scan_block = static_cast<unsigned>(heddle::textbook::scan_block_of(sizeof(T)));

/// All of it in one block of n threads or more.
template <class T, class Op>
__global__ void __launch_bounds__(scan_block<T>)
    hillis_steele_block(heddle::textbook::scanned_elements<T, Op> x, unsigned n, T* out) {
  __shared__ alignas(alignof(T)) unsigned char bytes[scan_block<T> * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(bytes);
  const unsigned t = threadIdx.x;
  if (t < n) shared[t] = x(t);
  __syncthreads();
  for (unsigned step = 1; step < n; step *= 2) {
    const bool has_one_before = t >= step && t < n;
    order::uninitialized<T, 1> sum;
    if (has_one_before) sum[0] = x.op(shared[t - step], shared[t]);
    __syncthreads();  // all have read
    if (has_one_before) shared[t] = sum[0];
    __syncthreads();  // all have written
  }
  if (t < n) heddle::textbook::write(out, t, shared[t]);
}

/// One step of all of it.
template <class T, class Op>
__global__ void __launch_bounds__(free_threads)
    hillis_steele_step(heddle::textbook::scanned_elements<T, Op> x, std::size_t n, std::size_t step, T* out) {
  for (std::size_t i = first_index(); i < n; i += index_stride()) {
    heddle::textbook::write(out, i, i < step ? x(i) : x.op(x(i - step), x(i)));
  }
}

template <class T, class Op>
void scan_hillis_steele(const target& where, const heddle::textbook::scanned_elements<T, Op>& x,
                        std::size_t n, T* out) {
  if (n <= scan_block<T>) {
    const unsigned elements = static_cast<unsigned>(n);
    hillis_steele_block<<<1, elements, 0, where.stream()>>>(x, elements, out);
    return launched("launch of hillis_steele_block");
  }

  // Two arrays swap roles; the last step writes the result, which may be the array that the first one reads.
  const memory arrays[] = {memory(n * sizeof(T), where), memory(n * sizeof(T), where)};
  const T* last = nullptr;
  int current = 0;
  for (std::size_t step = 1; step < n; step *= 2, current = 1 - current) {
    const auto from = last == nullptr ? x : heddle::textbook::scanned_elements<T, Op>(last, x.op);
    T* const to = 2 * step < n ? static_cast<T*>(arrays[current].data()) : out;
    hillis_steele_step<<<grid_for(n, free_threads), free_threads, 0, where.stream()>>>(from, n, step, to);
    launched("launch of hillis_steele_step");
    last = to;
  }
}

}  // namespace heddle::gpu::textbook
