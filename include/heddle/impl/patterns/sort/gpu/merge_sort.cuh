#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/lower_bound/binary_search.hpp>

#include <cstddef>
#include <utility>

/// A stable merge sort by any comparison: tiles are sorted in shared memory, and merged in pairs until there
/// is one run. Each block writes a tile of what comes out, and finds by the merge path what goes into it
/// (Green, McColl and Bader 2012).
namespace heddle::gpu {

inline constexpr unsigned merge_threads = 256;
/// Elements of a thread; of a tile as many as take 16 KiB of shared memory or less.
template <class T>
inline constexpr unsigned merge_elements = sizeof(T) <= 8 ? 8 : 4;
template <class T>
inline constexpr unsigned merge_tile = merge_threads * merge_elements<T>;

template <class T>
using elements_of_thread = order::uninitialized<T, merge_elements<T>>;
template <class T>
using elements_of_tile = order::uninitialized<T, merge_tile<T>>;

/// Sorts the first `count` elements by exchanges of neighbours, which leave equal ones alone: odd-even
/// transposition.
template <class T, class Compare>
__device__ void sort_elements_of_thread(elements_of_thread<T>& x, unsigned count, const Compare& compare) {
#pragma unroll
  for (unsigned round = 0; round < merge_elements<T>; ++round) {
#pragma unroll
    for (unsigned i = round % 2; i + 1 < merge_elements<T>; i += 2) {
      if (i + 1 < count && compare(x[i + 1], x[i])) {
        const T first = x[i + 1];
        x[i + 1] = x[i];
        x[i] = first;
      }
    }
  }
}

/// Elements first … first + count − 1 of the merger of two runs.
template <class T, class Compare>
__device__ void merge_for_thread(const impl::sorted_runs<T>& runs, std::size_t first, unsigned count,
                                 const Compare& compare, elements_of_thread<T>& out) {
  std::size_t a = impl::merge_split(runs, first, compare), b = first - a;
#pragma unroll
  for (unsigned k = 0; k < merge_elements<T>; ++k) {
    if (k >= count) continue;
    const bool from_b = a == runs.a_size || (b < runs.b_size && compare(runs.b[b], runs.a[a]));
    out[k] = from_b ? runs.b[b] : runs.a[a];
    if (from_b) {
      ++b;
    } else {
      ++a;
    }
  }
}

/// How many of a tile's `count` elements the thread has that begins at `own`.
template <class T>
__device__ unsigned count_of_thread(unsigned own, unsigned count) {
  if (own >= count) return 0;
  return count - own < merge_elements<T> ? count - own : merge_elements<T>;
}

/// Writes a thread's elements to their positions in the tile, between barriers.
template <class T>
__device__ void put_in_tile(const elements_of_thread<T>& x, unsigned own, unsigned count,
                            elements_of_tile<T>& tile) {
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < merge_elements<T>; ++k) {
    if (k < count) tile[own + k] = x[k];
  }
  __syncthreads();
}

template <class T>
__device__ void write_tile(const elements_of_tile<T>& tile, unsigned count, T* out) {
  for (unsigned i = threadIdx.x; i < count; i += merge_threads) out[i] = tile[i];
  __syncthreads();
}

/// The elements load(i), tile by tile in order, to `out`, where load(i) may read out[i] and no other element.
template <class T, class Load, class Compare>
__global__ void __launch_bounds__(merge_threads)
    sort_tiles(Load load, std::size_t n, Compare compare, T* out) {
  __shared__ elements_of_tile<T> tile;
  const unsigned own = threadIdx.x * merge_elements<T>;
  for (std::size_t first = std::size_t{blockIdx.x} * merge_tile<T>; first < n;
       first += std::size_t{gridDim.x} * merge_tile<T>) {
    const unsigned count = n - first < merge_tile<T> ? static_cast<unsigned>(n - first) : merge_tile<T>;
    for (unsigned i = threadIdx.x; i < count; i += merge_threads) tile[i] = load(first + i);
    __syncthreads();
    elements_of_thread<T> x;
    const unsigned count_here = count_of_thread<T>(own, count);
#pragma unroll
    for (unsigned k = 0; k < merge_elements<T>; ++k) {
      if (k < count_here) x[k] = tile[own + k];
    }
    sort_elements_of_thread<T>(x, count_here, compare);
    put_in_tile(x, own, count_here, tile);
    for (unsigned width = merge_elements<T>; width < count; width *= 2) {
      if (count_here > 0) {
        const unsigned begin = own / (2 * width) * (2 * width);
        const unsigned a_size = count - begin < width ? count - begin : width, rest = count - begin - a_size;
        const T* const a = &tile[begin];
        merge_for_thread<T>({a, a_size, a + a_size, rest < width ? rest : width}, own - begin, count_here,
                            compare, x);
      }
      put_in_tile(x, own, count_here, tile);
    }
    write_tile(tile, count, out + first);
  }
}

/// Merges pairs of runs of `width` elements, a multiple of a tile's, from x to `out`.
template <class T, class Compare>
__global__ void __launch_bounds__(merge_threads)
    merge_runs(const T* x, std::size_t n, std::size_t width, Compare compare, T* out) {
  __shared__ elements_of_tile<T> tile;
  __shared__ std::size_t split[2];
  const unsigned own = threadIdx.x * merge_elements<T>;
  for (std::size_t first = std::size_t{blockIdx.x} * merge_tile<T>; first < n;
       first += std::size_t{gridDim.x} * merge_tile<T>) {
    const unsigned count = n - first < merge_tile<T> ? static_cast<unsigned>(n - first) : merge_tile<T>;
    const std::size_t begin = first / (2 * width) * (2 * width), in_pair = first - begin;
    const std::size_t a_size = n - begin < width ? n - begin : width, rest = n - begin - a_size;
    const T* const a = x + begin;
    const impl::sorted_runs<T> runs{a, a_size, a + a_size, rest < width ? rest : width};
    if (threadIdx.x % warp_size == 0 && threadIdx.x < 2 * warp_size) {
      const unsigned end = threadIdx.x / warp_size;
      split[end] = impl::merge_split(runs, in_pair + end * count, compare);
    }
    __syncthreads();
    const std::size_t a_first = split[0], b_first = in_pair - a_first;
    const auto a_count = static_cast<unsigned>(split[1] - a_first);
    for (unsigned i = threadIdx.x; i < count; i += merge_threads)
      tile[i] = i < a_count ? runs.a[a_first + i] : runs.b[b_first + (i - a_count)];
    __syncthreads();
    elements_of_thread<T> merged;
    const unsigned count_here = count_of_thread<T>(own, count);
    if (count_here > 0) {
      const T* const here = &tile[0];
      merge_for_thread<T>({here, a_count, here + a_count, count - a_count}, own, count_here, compare, merged);
    }
    put_in_tile(merged, own, count_here, tile);
    write_tile(tile, count, out + first);
  }
}

/// The n elements load(i) in the stable order of a comparison, to `out`; load(i) may read out[i], and no
/// other element of it.
template <class T, class Load, class Compare>
void merge_sort(const target& where, const Load& load, std::size_t n, const Compare& compare, T* out) {
  if (n == 0) return;
  const current_device on(where);
  const unsigned grid = grid_for(n, merge_tile<T>);
  unsigned rounds = 0;
  for (std::size_t width = merge_tile<T>; width < n; width *= 2) ++rounds;
  const memory other(rounds == 0 ? 0 : n * sizeof(T), where);
  T *from = out, *to = static_cast<T*>(other.data());
  if (rounds % 2 != 0) std::swap(from, to);
  sort_tiles<T><<<grid, merge_threads, 0, where.stream()>>>(load, n, compare, from);
  check(cudaGetLastError(), "launch of sort_tiles");
  for (std::size_t width = merge_tile<T>; width < n; width *= 2) {
    merge_runs<T>
        <<<grid, merge_threads, 0, where.stream()>>>(static_cast<const T*>(from), n, width, compare, to);
    check(cudaGetLastError(), "launch of merge_runs");
    std::swap(from, to);
  }
}

}  // namespace heddle::gpu
