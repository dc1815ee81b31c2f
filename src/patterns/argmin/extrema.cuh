#pragma once

#include "core/unequal.hpp"
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/operators.hpp>

#include <cstddef>
#include <cstdint>

/// Extrema of long rows in one reading: argmin, argmax and minmax. Every order of combinations gives the same
/// result, so a row is cut into parts for as many blocks as the GPU runs.
namespace heddle::gpu {

inline constexpr unsigned extrema_threads = 512, extrema_vectors = 4;

/// The extremum of the elements seen so far and the least index at which it is.
template <class T, class Op>
struct arg_extremum {
  using result = std::size_t;
  T value;
  std::size_t index;

  __device__ arg_extremum() = default;
  __device__ arg_extremum(T x, std::size_t i) : value(x), index(i) {}

  /// Takes Items elements in registers, which are x[first], x[first + 1], …; indices rise from call to call.
  /// The index of the vector is kept, and resolve() finds the element in it.
  template <std::size_t Items>
  __device__ void add(const order::uninitialized<T, Items>& x, std::size_t first) {
    T best = x[0];
#pragma unroll
    for (std::size_t k = 1; k < Items; ++k) best = Op()(best, x[k]);
    best = Op()(value, best);
    if (impl::is_unequal(best, value)) {
      value = best;
      index = first;
    }
  }
  __device__ void resolve(const T* row, std::size_t length) {
    while (index + 1 < length && impl::is_unequal(row[index], value)) ++index;
  }
  __device__ void merge(const arg_extremum& other) {
    const T best = Op()(value, other.value);
    const bool mine = !impl::is_unequal(best, value), theirs = !impl::is_unequal(best, other.value);
    if (theirs && (!mine || other.index < index)) index = other.index;
    value = best;
  }
  __device__ void store(std::size_t* results, std::size_t row) const { results[row] = index; }
};

template <class T>
struct two_results {
  T *smallest, *largest;
};

/// Both extrema of the elements seen so far.
template <class T>
struct both_extrema {
  using result = T;
  T smallest, largest;

  __device__ both_extrema() = default;
  __device__ both_extrema(T x, std::size_t) : smallest(x), largest(x) {}

  template <std::size_t Items>
  __device__ void add(const order::uninitialized<T, Items>& x, std::size_t) {
#pragma unroll
    for (std::size_t k = 0; k < Items; ++k) {
      smallest = minimum()(smallest, x[k]);
      largest = maximum()(largest, x[k]);
    }
  }
  __device__ void resolve(const T*, std::size_t) {}
  __device__ void merge(const both_extrema& other) {
    smallest = minimum()(smallest, other.smallest);
    largest = maximum()(largest, other.largest);
  }
  __device__ void store(const two_results<T>& results, std::size_t row) const {
    results.smallest[row] = order::canonical(smallest);
    results.largest[row] = order::canonical(largest);
  }
};

/// Merges the states of a block's threads; thread 0 gets the result.
template <class State>
__device__ State merge_block(State mine) {
  __shared__ order::uninitialized<State, extrema_threads / warp_size> of_warp;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
#pragma unroll
  for (unsigned distance = warp_size / 2; distance > 0; distance /= 2)
    mine.merge(shuffle_down(mine, distance));
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = of_warp[min(lane, extrema_threads / warp_size - 1)];
#pragma unroll
    for (unsigned distance = warp_size / 2; distance > 0; distance /= 2)
      mine.merge(shuffle_down(mine, distance));
  }
  __syncthreads();
  return mine;
}

/// Returns the state of a thread after its share of elements `first` to `last` of x.
template <class State, class T>
__device__ State visit_part(const T* x, std::size_t first, std::size_t last) {
  constexpr unsigned items = items_per_vector<T>;
  // Every thread begins with an element of the part, so that nothing else is combined.
  State found(x[first], first);
  const auto to_vector = static_cast<std::size_t>((16 - misalignment16(x + first)) % 16 / sizeof(T));
  const std::size_t begin = min(first + to_vector, last), vectors = (last - begin) / items;
  const std::size_t end = begin + vectors * items;
  const auto add_one = [&](std::size_t i) {
    order::uninitialized<T, 1> one;
    one[0] = x[i];
    found.add(one, i);
  };
  if (threadIdx.x < begin - first) add_one(first + threadIdx.x);
  std::size_t v = threadIdx.x;
  for (; v + (extrema_vectors - 1) * extrema_threads < vectors; v += extrema_vectors * extrema_threads) {
    order::uninitialized<T, items> loaded[extrema_vectors];
#pragma unroll
    for (unsigned k = 0; k < extrema_vectors; ++k)
      copy_vector<T>(&loaded[k], x + begin + (v + k * extrema_threads) * items);
#pragma unroll
    for (unsigned k = 0; k < extrema_vectors; ++k)
      found.add(loaded[k], begin + (v + k * extrema_threads) * items);
  }
  for (; v < vectors; v += extrema_threads) {
    order::uninitialized<T, items> loaded;
    copy_vector<T>(&loaded, x + begin + v * items);
    found.add(loaded, begin + v * items);
  }
  if (threadIdx.x < last - end) add_one(end + threadIdx.x);
  return found;
}

/// The state of a block, as words that other blocks read.
template <class State>
struct published_state {
  std::uint64_t words[(sizeof(State) + 7) / 8];

  __device__ void store(const State& found) {
    std::uint64_t bits[(sizeof(State) + 7) / 8] = {};
    memcpy(bits, &found, sizeof(State));
    for (unsigned w = 0; w < sizeof words / 8; ++w) store_relaxed(words + w, bits[w]);
  }
  __device__ State load() const {
    std::uint64_t bits[(sizeof(State) + 7) / 8];
    for (unsigned w = 0; w < sizeof words / 8; ++w) bits[w] = load_relaxed(words + w);
    State found;
    memcpy(static_cast<void*>(&found), bits, sizeof(State));
    return found;
  }
};

/// The extrema of rows of one element or more, each cut into `parts` of `part` elements. The last block to
/// finish a part of a row merges what `of_parts` has of the row. `finished` is zero before and after.
template <class State, class T, class Results>
__global__ void __launch_bounds__(extrema_threads)
    find_extrema(const T* x, std::size_t rows, std::size_t length, std::size_t parts, std::size_t part,
                 published_state<State>* of_parts, unsigned* finished, Results results) {
  __shared__ bool is_last;
  for (std::size_t i = blockIdx.x; i < rows * parts; i += gridDim.x) {
    const std::size_t row = i / parts, first = (i - row * parts) * part;
    const T* const of_row = x + row * length;
    State found = merge_block(visit_part<State>(of_row, first, min(first + part, length)));
    if (threadIdx.x == 0) {
      found.resolve(of_row, length);
      if (parts == 1) {
        found.store(results, row);
      } else {
        of_parts[i].store(found);
        __threadfence();
        is_last = atomicAdd(finished + row, 1u) + 1 == parts;
      }
    }
    if (parts == 1) continue;
    __syncthreads();
    if (is_last) {
      __threadfence();
      State all = of_parts[row * parts].load();
      for (std::size_t p = threadIdx.x; p < parts; p += extrema_threads)
        all.merge(of_parts[row * parts + p].load());
      all = merge_block(all);
      if (threadIdx.x == 0) {
        all.store(results, row);
        finished[row] = 0;
      }
    }
    __syncthreads();
  }
}

}  // namespace heddle::gpu
