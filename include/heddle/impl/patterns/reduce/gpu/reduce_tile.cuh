#pragma once

#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Reductions of a tile of consecutive elements by a warp, in the order of order.hpp.
namespace heddle::gpu {

/// Reduces elements load(0) … load(count − 1), at most a tile, by `group` neighbouring lanes of a warp, a
/// power of two, of which this is number `thread`; the result is in the first. If the operator commutes, a
/// lane has the `Items` accumulators thread, thread + group, …, and otherwise one accumulator, of `Items`
/// elements. The lanes must suffice for all accumulators that have elements.
template <unsigned Items, class T, class Load, class Op>
__device__ T reduce_by_lanes(const Load& load, unsigned count, unsigned thread, unsigned group,
                             const Op& op) {
  constexpr unsigned accumulators = order::accumulators<T, Op>;
  if constexpr (order::striped<T, Op>) {
    constexpr bool fills = order::has_padding<T, Op>;
    const unsigned active = count < accumulators ? count : accumulators;
    order::uninitialized<T, Items> sum;
    unsigned i = thread;
#pragma unroll
    for (unsigned v = 0; v < Items; ++v, i += group) {
      if constexpr (fills) sum[v] = order::padding<T>(op);
      if (i < active) sum[v] = load(i);
    }
    unsigned first = accumulators;
    if constexpr (Items * warp_size == accumulators) {
      if (count == order::tile<T, Op>) {  // a constant number of rows, several of which are loaded at once
        for (unsigned row = 1; row < order::rows; ++row) {
#pragma unroll
          for (unsigned v = 0; v < Items; ++v)
            sum[v] = op(sum[v], load(row * accumulators + v * warp_size + thread));
        }
        first = count;
      }
    }
    for (; first + accumulators <= count; first += accumulators) {
      i = first + thread;
#pragma unroll
      for (unsigned v = 0; v < Items; ++v, i += group) sum[v] = op(sum[v], load(i));
    }
    if (first < count) {
      i = first + thread;
#pragma unroll
      for (unsigned v = 0; v < Items; ++v, i += group) {
        if (i < count) sum[v] = op(sum[v], load(i));
      }
    }
    const auto combine = [&](unsigned a, T& to, const T& other) {
      if (fills || a < active) to = op(to, other);
    };
    tree_reduce<Items>([&](unsigned v, unsigned w) { combine(w * group + thread, sum[v], sum[w]); });
#pragma unroll
    for (unsigned half = accumulators / Items / 2; half > 0; half /= 2) {
      if (half >= group) continue;
      const T other = shuffle_down(sum[0], half);
      if (fills || thread < half) combine(thread + half, sum[0], other);
    }
    return sum[0];
  } else {
    const unsigned active = (count + Items - 1) / Items, first = thread * Items;
    order::uninitialized<T, 1> sum;
    if (thread < active) {
      sum[0] = load(first);
      for (unsigned i = first + 1; i < first + Items && i < count; ++i) sum[0] = op(sum[0], load(i));
    }
#pragma unroll
    for (unsigned step = 1; step < warp_size; step *= 2) {
      if (step >= group) break;
      const T other = shuffle_down(sum[0], step);
      if (thread % (2 * step) == 0 && thread + step < active) sum[0] = op(sum[0], other);
    }
    return sum[0];
  }
}

/// Reduces a whole tile from an address that is a multiple of 16, by a warp: the accumulators of a lane are
/// neighbours, loaded at once.
template <class T, bool WrittenByThisLaunch, class Op>
__device__ T reduce_tile_aligned(const T* x, const Op& op) {
  constexpr unsigned items = 16 / sizeof(T);
  const unsigned thread = threadIdx.x % warp_size;
  auto load = [&](unsigned row) {
    order::uninitialized<T, items> vector;
    const uint4* const from = reinterpret_cast<const uint4*>(x) + row * warp_size + thread;
    const uint4 bits = WrittenByThisLaunch ? *from : __ldg(from);
    memcpy(&vector, &bits, sizeof bits);
    return vector;
  };
  if constexpr (adds_small_integers<T, Op>) {
    unsigned total = 0;
#pragma unroll
    for (unsigned row = 0; row < order::rows; ++row) {
      const order::uninitialized<T, items> next = load(row);
      total = add_small_integers<T>(&next, total);
    }
    return static_cast<T>(sum_of_warp(total));
  }
  // Where the order is free, nvcc would load all rows at once, for which registers do not suffice.
  constexpr unsigned rows_per_step = order::order_is_free<T, Op> ? order::rows / 2 : order::rows;
  if constexpr (packed16_op<T, Op>::exist) {
    packed_total<T, Op> total;
#pragma unroll 1
    for (unsigned first = 0; first < order::rows; first += rows_per_step) {
#pragma unroll
      for (unsigned row = 0; row < rows_per_step; ++row) total.append(load(first + row), op);
    }
    order::uninitialized<T, 1> sum;
    sum[0] = total.get(op);
    reduce_warp<1>(sum, op);
    return sum[0];
  }
  order::uninitialized<T, items> sum;
#pragma unroll 1
  for (unsigned first = 0; first < order::rows; first += rows_per_step) {
#pragma unroll
    for (unsigned row = 0; row < rows_per_step; ++row) {
      const order::uninitialized<T, items> next = load(first + row);
#pragma unroll
      for (unsigned v = 0; v < items; ++v) {
        const T element = impl::lift<Op>(next[v]);
        sum[v] = first + row > 0 ? op(sum[v], element) : element;
      }
    }
  }
  // Where the order is free, a thread's accumulators are combined first, which leaves one shuffle a step.
  constexpr unsigned across = order::order_is_free<T, Op> ? 1 : items;
  const auto reduce_items = [&] {
    tree_reduce<items>([&](unsigned v, unsigned other) { sum[v] = op(sum[v], sum[other]); });
  };
  if constexpr (across < items) reduce_items();
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) {
#pragma unroll
    for (unsigned v = 0; v < across; ++v) {
      const T other = shuffle_down(sum[v], half);
      if (thread < half) sum[v] = op(sum[v], other);
    }
  }
  if constexpr (across == items) reduce_items();
  return sum[0];
}

/// Reduces elements from any address in any order, by a warp, in vectors of 16 bytes; the result is in lane
/// 0.
template <class T, class Op>
__device__ __noinline__ T reduce_in_any_order(const T* x, unsigned count, const Op& op) {
  constexpr unsigned vector = 16 / sizeof(T), ahead = 4;
  const unsigned thread = threadIdx.x % warp_size;
  const unsigned past = misalignment16(x) / static_cast<unsigned>(sizeof(T));
  const unsigned head = past == 0 ? 0 : min(count, vector - past);
  const unsigned vectors = (count - head) / vector, tail = head + vectors * vector;
  const uint4* const body = reinterpret_cast<const uint4*>(x + head);
  T sum = order::identity<T>(op);
  if (thread < head) sum = op(sum, impl::lift<Op>(x[thread]));
  if (tail + thread < count) sum = op(sum, impl::lift<Op>(x[tail + thread]));
  for (unsigned first = thread; first < vectors; first += ahead * warp_size) {
    uint4 bits[ahead];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (first + k * warp_size < vectors) bits[k] = body[first + k * warp_size];
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (first + k * warp_size >= vectors) break;
      T element[vector];
      memcpy(element, &bits[k], sizeof element);
#pragma unroll
      for (unsigned i = 0; i < vector; ++i) element[i] = impl::lift<Op>(element[i]);
      tree_reduce<vector>([&](unsigned i, unsigned other) { element[i] = op(element[i], element[other]); });
      sum = op(sum, element[0]);
    }
  }
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) sum = op(sum, shuffle_down(sum, half));
  return sum;
}

/// Results of tiles, which other blocks of this launch have written: not to be loaded through the read-only
/// cache.
template <class T>
struct results_of_tiles {
  const T* x;
  __device__ T operator()(std::size_t i) const { return x[i]; }
};

/// Reduces `count` elements from element `first` on, at most a tile, by a warp; the result is in lane 0.
template <class T, class Load, class Op>
__device__ T reduce_neighbours(const Load& load, std::size_t first, std::size_t count, const Op& op) {
  auto from_first = [&](std::size_t i) { return load(first + i); };
  const unsigned lane = threadIdx.x % warp_size;
  constexpr unsigned items = order::striped<T, Op> ? order::accumulators<T, Op> / warp_size : order::rows;
  if constexpr (order::striped<T, Op>) {
    if constexpr (requires { load.x; } && sizeof(T) * order::accumulators<T, Op> == 512) {
      const T* const x = load.x + first;
      if (count == order::tile<T, Op> && reinterpret_cast<std::uintptr_t>(x) % 16 == 0) {
        return order::canonical(reduce_tile_aligned<T, std::is_same_v<Load, results_of_tiles<T>>>(x, op));
      }
    }
    if constexpr (order::order_is_free<T, Op> && requires { load.x; }) {
      return reduce_in_any_order(load.x + first, static_cast<unsigned>(count), op);
    }
  }
  return order::canonical(
      reduce_by_lanes<items, T>(from_first, static_cast<unsigned>(count), lane, warp_size, op));
}

}  // namespace heddle::gpu
