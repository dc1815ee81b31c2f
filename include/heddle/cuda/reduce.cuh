#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/scratch.cuh>
#include <heddle/cuda/short_rows.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/elementwise.hpp>
#include <heddle/grouping.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Reduce on a GPU, in the order of grouping.hpp: a warp folds a tile of neighbours, a block of 32 columns
/// folds a tile of each column. A whole array takes one launch, in which whoever comes last folds the results
/// of tiles; rows and columns take one for each level of tiles.
namespace heddle::cuda {

/// Calls combine(i, i + half) for i = 0 … half − 1 with half = N/2, N/4 … 1. By recursion, because nvcc keeps
/// arrays in memory that a loop of halves goes through from sixteen on.
template <unsigned N, class F>
__device__ __forceinline__ void by_halves(const F& combine) {
  if constexpr (N > 1) {
#pragma unroll
    for (unsigned i = 0; i < N / 2; ++i) combine(i, i + N / 2);
    by_halves<N / 2>(combine);
  }
}

/// 16 bytes of elements, loaded at once.
template <class T>
struct alignas(16) sixteen_bytes {
  T values[16 / sizeof(T)];
};

/// Folds elements load(0) … load(count−1), at most a tile of them; the result is in lane 0 of the warp. A
/// thread of the warp holds the tile's lanes thread, thread + 32, …
template <class T, class Op, class Load>
__device__ T fold_tile_striped(const Load& load, std::size_t count, const Op& op) {
  constexpr unsigned lanes = grouping::lanes<T, Op>;
  constexpr unsigned held = lanes / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  grouping::uninitialized<T, held> sum;
#pragma unroll
  for (unsigned v = 0; v < held; ++v) {
    const unsigned lane = v * warp_size + thread;
    if (lane < count) sum[v] = load(lane);
  }
  if (count == grouping::tile<T, Op>) {
    for (unsigned row = 1; row < grouping::rows; ++row) {
#pragma unroll
      for (unsigned v = 0; v < held; ++v) sum[v] = op(sum[v], load(row * lanes + v * warp_size + thread));
    }
  } else {
    for (unsigned row = 1; row * lanes < count; ++row) {
#pragma unroll
      for (unsigned v = 0; v < held; ++v) {
        const unsigned i = row * lanes + v * warp_size + thread;
        if (i < count) sum[v] = op(sum[v], load(i));
      }
    }
  }
  by_halves<held>([&](unsigned v, unsigned other) {
    if (other * warp_size + thread < count) sum[v] = op(sum[v], sum[other]);
  });
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) {
    const T other = shuffle_down(sum[0], half);
    if (thread < half && thread + half < count) sum[0] = op(sum[0], other);
  }
  return sum[0];
}

/// A whole tile of neighbours from an address that is a multiple of 16: the lanes of a thread are side by
/// side.
template <class T, bool WrittenByThisLaunch, class Op>
__device__ T fold_tile_aligned(const T* x, const Op& op) {
  constexpr unsigned held = 16 / sizeof(T);
  const unsigned thread = threadIdx.x % warp_size;
  const auto* const packs = reinterpret_cast<const sixteen_bytes<T>*>(x);
  auto load = [&](unsigned row) {
    static_assert(sizeof(uint4) == sizeof(sixteen_bytes<T>));
    grouping::uninitialized<T, held> pack;
    const uint4* const from = reinterpret_cast<const uint4*>(packs) + row * warp_size + thread;
    const uint4 bits = WrittenByThisLaunch ? *from : __ldg(from);
    memcpy(&pack, &bits, sizeof bits);
    return pack;
  };
  if constexpr (adds_small_integers<T, Op>) {
    unsigned total = 0;
#pragma unroll
    for (unsigned row = 0; row < grouping::rows; ++row) {
      const grouping::uninitialized<T, held> next = load(row);
      total = add_small_integers<T>(&next, total);
    }
    return static_cast<T>(sum_of_warp(total));
  }
  grouping::uninitialized<T, held> sum = load(0);
#pragma unroll
  for (unsigned v = 0; v < held; ++v) sum[v] = detail::lift<Op>(sum[v]);
#pragma unroll
  for (unsigned row = 1; row < grouping::rows; ++row) {
    const grouping::uninitialized<T, held> next = load(row);
#pragma unroll
    for (unsigned v = 0; v < held; ++v) sum[v] = op(sum[v], detail::lift<Op>(next[v]));
  }
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) {
#pragma unroll
    for (unsigned v = 0; v < held; ++v) {
      const T other = shuffle_down(sum[v], half);
      if (thread < half) sum[v] = op(sum[v], other);
    }
  }
  by_halves<held>([&](unsigned v, unsigned other) { sum[v] = op(sum[v], sum[other]); });
  return sum[0];
}

/// As fold_tile_striped for an operator that does not commute: a thread holds 16 neighbours.
template <class T, class Op, class Load>
__device__ T fold_tile_blocked(const Load& load, std::size_t count, const Op& op) {
  const unsigned thread = threadIdx.x % warp_size;
  const unsigned first = thread * grouping::rows;
  const unsigned active = static_cast<unsigned>((count + grouping::rows - 1) / grouping::rows);
  grouping::uninitialized<T, 1> sum;
  if (thread < active) {
    const unsigned end =
        first + grouping::rows < count ? first + grouping::rows : static_cast<unsigned>(count);
    sum[0] = load(first);
    for (unsigned i = first + 1; i < end; ++i) sum[0] = op(sum[0], load(i));
  }
#pragma unroll
  for (unsigned step = 1; step < warp_size; step *= 2) {
    const T other = shuffle_down(sum[0], step);
    if (thread % (2 * step) == 0 && thread + step < active) sum[0] = op(sum[0], other);
  }
  return sum[0];
}

template <class T, class Op>
inline constexpr T constant_identity = Op::template identity<T>();

/// Neighbours from anywhere, folded by a warp granule by granule; the result is in lane 0.
template <class T, class Op>
__device__ T fold_in_any_order(const T* x, unsigned count, const Op& op) {
  constexpr unsigned pack = 16 / sizeof(T), ahead = 4;
  const unsigned thread = threadIdx.x % warp_size;
  const unsigned past = bytes_past_granule(x) / static_cast<unsigned>(sizeof(T));
  const unsigned head = past == 0 ? 0 : min(count, pack - past);
  const unsigned granules = (count - head) / pack, tail = head + granules * pack;
  const uint4* const body = reinterpret_cast<const uint4*>(x + head);
  T sum = constant_identity<T, Op>;
  if (thread < head) sum = op(sum, detail::lift<Op>(x[thread]));
  if (tail + thread < count) sum = op(sum, detail::lift<Op>(x[tail + thread]));
  for (unsigned first = thread; first < granules; first += ahead * warp_size) {
    uint4 bits[ahead];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (first + k * warp_size < granules) bits[k] = body[first + k * warp_size];
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (first + k * warp_size >= granules) break;
      T element[pack];
      memcpy(element, &bits[k], sizeof element);
#pragma unroll
      for (unsigned i = 0; i < pack; ++i) element[i] = detail::lift<Op>(element[i]);
      by_halves<pack>([&](unsigned i, unsigned other) { element[i] = op(element[i], element[other]); });
      sum = op(sum, element[0]);
    }
  }
#pragma unroll
  for (unsigned half = warp_size / 2; half > 0; half /= 2) sum = op(sum, shuffle_down(sum, half));
  return sum;
}

/// Results of tiles, which other blocks of this launch have written.
template <class T>
struct results_of_tiles {
  const T* x;
  __device__ T operator()(std::size_t i) const { return x[i]; }
};

/// Folds `count` neighbours from element `first` on, at most a tile of them, by a warp; the result is in its
/// lane 0.
template <class T, class Load, class Op>
__device__ T fold_neighbours(const Load& load, std::size_t first, std::size_t count, const Op& op) {
  auto from_first = [&](std::size_t i) { return load(first + i); };
  if constexpr (!grouping::striped<T, Op>) {
    return grouping::canonical(fold_tile_blocked<T>(from_first, count, op));
  } else {
    if constexpr (requires { load.x; } && sizeof(T) * grouping::lanes<T, Op> == 512) {
      const T* const x = load.x + first;
      if (count == grouping::tile<T, Op> && reinterpret_cast<std::uintptr_t>(x) % 16 == 0) {
        return grouping::canonical(fold_tile_aligned<T, std::is_same_v<Load, results_of_tiles<T>>>(x, op));
      }
    }
    if constexpr (grouping::order_is_free<T, Op> && std::is_same_v<Load, detail::element_at<T, Op>>) {
      return fold_in_any_order(load.x + first, static_cast<unsigned>(count), op);
    }
    return grouping::canonical(fold_tile_striped<T>(from_first, count, op));
  }
}

inline constexpr unsigned fold_rows_threads = 256;

/// A warp folds each tile of neighbours.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(fold_rows_threads)
    fold_rows(Load load, Op op, grouping::tiling tiles, T* out) {
  constexpr unsigned warps = fold_rows_threads / warp_size;
  const std::size_t stride = std::size_t{gridDim.x} * warps;
  const std::size_t pieces = tiles.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces; p += stride) {
    const grouping::piece piece = tiles[p];
    const T sum = fold_neighbours<T>(load, piece.first, piece.count, op);
    if (threadIdx.x % warp_size == 0) out[piece.result] = sum;
  }
}

inline constexpr unsigned reduce_whole_threads = 256;
inline constexpr unsigned reduce_whole_blocks = 4;  ///< that a multiprocessor holds

/// Reduces load(0) … load(n−1) in one launch. A block folds tiles that stand side by side. The results of a
/// tile of results are counted, and whoever adds the last of them folds that tile too, and so on to the last
/// result; so it does not matter who is last. Counters are zero before and after.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(reduce_whole_threads, reduce_whole_blocks)
    reduce_whole(Load load, Op op, std::size_t n, T* results, unsigned* counters, T* out) {
  constexpr unsigned warps = reduce_whole_threads / warp_size;
  constexpr std::size_t tile = grouping::tile<T, Op>;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  std::size_t count = (n + tile - 1) / tile;
  wait_for_kernels_before();
  const std::size_t each = count / gridDim.x, rest = count % gridDim.x;
  const std::size_t first = blockIdx.x * each + (blockIdx.x < rest ? blockIdx.x : rest);
  const std::size_t last = first + each + (blockIdx.x < rest ? 1 : 0);
  for (std::size_t p = first + warp; p < last; p += warps) {
    const T sum = fold_neighbours<T>(load, p * tile, n - p * tile < tile ? n - p * tile : tile, op);
    if (lane == 0) (count == 1 ? out : results)[p] = sum;
  }
  if (count == 1) return;
  __syncthreads();
  for (std::size_t group = first / tile + warp; group * tile < last; group += warps) {
    const std::size_t group_end = (group + 1) * tile;
    auto added = static_cast<unsigned>((last < group_end ? last : group_end) -
                                       (first > group * tile ? first : group * tile));
    T* of_level = results;
    unsigned* counter = counters;
    std::size_t g = group, in_level = count;
    while (true) {
      const auto size = static_cast<unsigned>(in_level - g * tile < tile ? in_level - g * tile : tile);
      unsigned before = 0;
      if (lane == 0) {
        __threadfence();
        before = atomicAdd(counter + g, added);
      }
      if (__shfl_sync(whole_warp, before, 0) + added != size) break;
      __syncwarp();  // a shuffle orders no memory
      __threadfence();
      const T sum = fold_neighbours<T>(results_of_tiles<T>{of_level}, g * tile, size, op);
      const std::size_t groups = (in_level + tile - 1) / tile;
      // The next level begins at a multiple of 16 bytes.
      T* const next_level = of_level + (in_level + 15) / 16 * 16;
      if (lane == 0) {
        counter[g] = 0;
        (groups == 1 ? out : next_level)[g] = sum;
      }
      if (groups == 1) break;
      of_level = next_level;
      counter += groups;
      in_level = groups;
      added = 1;
      g /= tile;
    }
  }
}

/// Neighbouring columns that a thread folds where they are read as one word of four bytes.
template <class T>
inline constexpr unsigned columns_in_word = sizeof(T) < 4 ? 4 / sizeof(T) : 1;

/// Elements i … i + Columns − 1, which are a word where they are more than one.
template <unsigned Columns, class T, class Load, class Op>
__device__ grouping::uninitialized<T, Columns> load_columns(const Load& load, std::size_t i, const Op&) {
  grouping::uninitialized<T, Columns> x;
  if constexpr (Columns == 1) {
    x[0] = load(i);
  } else {
    static_assert(Columns * sizeof(T) == sizeof(std::uint32_t));
    const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(load.x + i);
    memcpy(&x, &word, sizeof word);
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) x[c] = detail::lift<Op>(x[c]);
  }
  return x;
}

/// Rows of threads that share a tile of columns: as many as exchange their sums within 32 KiB of shared
/// memory.
template <class T>
inline constexpr unsigned column_rows = sizeof(T) <= 128 ? 8 : 1;

/// A block folds a tile of up to 32 · Columns columns. Thread (c, y) folds lanes y, y + Rows, … of Columns
/// columns; or, when order matters, as many neighbouring lanes; or, where it does not even matter to the
/// bits, elements y, y + Rows, ….
template <unsigned Columns, unsigned Rows, class T, class Load, class Op>
__global__ void __launch_bounds__(warp_size* Rows)
    fold_columns(Load load, Op op, grouping::tiling tiles, T* out) {
  constexpr unsigned rows_of_threads = Rows;
  constexpr unsigned lanes =
      grouping::order_is_free<T, Op> ? rows_of_threads : static_cast<unsigned>(grouping::lanes<T, Op>);
  constexpr unsigned held = lanes / rows_of_threads;
  // Elements of each lane that are asked for before one is combined.
  constexpr unsigned ahead = sizeof(T) > 16 || held >= 8 ? 1 : 8 / held;
  constexpr bool striped = grouping::striped<T, Op>;
  using columns = grouping::uninitialized<T, Columns>;
  constexpr unsigned exchanged = rows_of_threads > 1 ? rows_of_threads * warp_size * sizeof(columns) : 1;
  __shared__ alignas(16) unsigned char exchange_bytes[exchanged];
  columns* const exchange = reinterpret_cast<columns*>(exchange_bytes);
  const auto combine = [&op](columns& to, const columns& other) {
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) to[c] = op(to[c], other[c]);
  };
  const unsigned column = threadIdx.x * Columns, y = threadIdx.y;
  const std::size_t pieces = tiles.pieces();
  for (std::size_t p = blockIdx.x; p < pieces; p += gridDim.x) {
    const grouping::piece piece = tiles[p];
    const bool inside = column < piece.width;
    const std::size_t first = piece.first + column;
    const unsigned count = static_cast<unsigned>(piece.count);
    const unsigned active = striped ? (count < lanes ? count : lanes)
                                    : static_cast<unsigned>((count + grouping::rows - 1) / grouping::rows);
    const auto lane_of = [&](unsigned v) { return striped ? v * rows_of_threads + y : y * held + v; };
    // Element r of a lane.
    const auto place = [&](unsigned v, unsigned r) {
      return striped ? r * lanes + lane_of(v) : lane_of(v) * static_cast<unsigned>(grouping::rows) + r;
    };
    const auto read = [&](unsigned v, unsigned r) {
      return load_columns<Columns, T>(load, first + place(v, r) * piece.stride, op);
    };
    columns sum[held];
    const auto fold_lanes = [&](auto whole) {
      const auto is_there = [&](unsigned v, unsigned r) {
        if constexpr (decltype(whole)::value) return r * lanes < grouping::tile<T, Op>;
        return place(v, r) < count && (striped || r < grouping::rows);
      };
#pragma unroll
      for (unsigned v = 0; v < held; ++v) {
        if (is_there(v, 0)) sum[v] = read(v, 0);
      }
      for (unsigned r = 1; is_there(0, r); r += ahead) {
        if constexpr (sizeof(T) > 16) {
          for (unsigned v = 0; v < held; ++v) {
            if (is_there(v, r)) combine(sum[v], read(v, r));
          }
        } else {
          columns next[ahead][held];
#pragma unroll
          for (unsigned i = 0; i < ahead * held; ++i) {
            const unsigned v = i % held, d = i / held;
            if (is_there(v, r + d)) next[d][v] = read(v, r + d);
          }
#pragma unroll
          for (unsigned i = 0; i < ahead * held; ++i) {
            const unsigned v = i % held, d = i / held;
            if (is_there(v, r + d)) combine(sum[v], next[d][v]);
          }
        }
      }
    };
    if (inside) {
      if (count == grouping::tile<T, Op>) {
        fold_lanes(std::true_type());
      } else {
        fold_lanes(std::false_type());
      }
      if constexpr (striped) {
        by_halves<held>([&](unsigned v, unsigned other) {
          if (lane_of(other) < active) combine(sum[v], sum[other]);
        });
      } else {
#pragma unroll
        for (unsigned step = 1; step < held; step *= 2) {
#pragma unroll
          for (unsigned v = 0; v + step < held; v += 2 * step) {
            if (lane_of(v + step) < active) combine(sum[v], sum[v + step]);
          }
        }
      }
    }
    if constexpr (rows_of_threads > 1) {
      columns* const mine = exchange + y * warp_size + threadIdx.x;
      if (inside) *mine = sum[0];
      __syncthreads();
      for (unsigned step = striped ? rows_of_threads / 2 : 1; striped ? step > 0 : step < rows_of_threads;
           step = striped ? step / 2 : step * 2) {
        const bool left = striped ? y < step : y % (2 * step) == 0;
        const unsigned other = y + step;
        const bool other_took_part = (striped ? other : other * held) < active;
        if (inside && left && other_took_part) combine(*mine, mine[step * warp_size]);
        __syncthreads();
      }
      if (inside && y == 0) sum[0] = *mine;
      __syncthreads();
    }
    if (inside && y == 0) {
#pragma unroll
      for (unsigned c = 0; c < Columns; ++c) out[piece.result + column + c] = grouping::canonical(sum[0][c]);
    }
  }
}

inline constexpr unsigned fold_few_rows_threads = 256;
/// Columns of at most so many elements are folded by a thread.
inline constexpr unsigned few_rows = 32;

/// A thread folds Columns columns of at most Most elements, all of which it asks for at once; AndMore: of
/// more, so many at a time, which takes an operator that gives the same bits in every order.
template <unsigned Most, bool AndMore, unsigned Columns, class T, class Load, class Op>
__global__ void __launch_bounds__(fold_few_rows_threads)
    fold_few_rows(Load load, Op op, segments all, T* out) {
  using columns = grouping::uninitialized<T, Columns>;
  const unsigned count = static_cast<unsigned>(all.length);
  const std::size_t results = all.count();
  const auto combine = [&op](columns& to, const columns& other) {
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) to[c] = op(to[c], other[c]);
  };
  for (std::size_t result = (std::size_t{blockIdx.x} * fold_few_rows_threads + threadIdx.x) * Columns;
       result < results; result += std::size_t{gridDim.x} * fold_few_rows_threads * Columns) {
    const std::size_t outer = result < all.inner ? 0 : result / all.inner;
    const std::size_t first = outer * (all.length - 1) * all.inner + result;
    const auto read = [&](unsigned i) { return load_columns<Columns, T>(load, first + i * all.inner, op); };
    columns x[Most];
#pragma unroll
    for (unsigned i = 0; i < Most; ++i) {
      if (i < count) x[i] = read(i);
    }
    if constexpr (AndMore) {
      static_assert(grouping::order_is_free<T, Op>);
      for (unsigned start = Most; start < count; start += Most) {
        columns next[Most];
#pragma unroll
        for (unsigned i = 0; i < Most; ++i) {
          if (start + i < count) next[i] = read(start + i);
        }
#pragma unroll
        for (unsigned i = 0; i < Most; ++i) {
          if (start + i < count) combine(x[i], next[i]);
        }
      }
    }
    if constexpr (grouping::striped<T, Op>) {
      static_assert(Most <= grouping::lanes<T, Op>);
      by_halves<Most>([&](unsigned i, unsigned other) {
        if (other < count) combine(x[i], x[other]);
      });
    } else {
#pragma unroll
      for (unsigned i = 1; i < Most; ++i) {
        const unsigned lane = i / grouping::rows * grouping::rows;
        if (i != lane && i < count) combine(x[lane], x[i]);
      }
#pragma unroll
      for (unsigned step = grouping::rows; step < Most; step *= 2) {
#pragma unroll
        for (unsigned i = 0; i + step < Most; i += 2 * step) {
          if (i + step < count) combine(x[i], x[i + step]);
        }
      }
    }
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) out[result + c] = grouping::canonical(x[0][c]);
  }
}

/// Elements of a row that a lane of its group folds side by side.
template <class T, class Op>
inline constexpr unsigned elements_of_lane = grouping::striped<T, Op>
                                                 ? (grouping::lanes<T, Op> + warp_size - 1) / warp_size
                                                 : grouping::rows;

/// Folds a row of at most a tile by the lanes of a group, which this is the `thread`th of; the result is in
/// the first.
template <class T, class Op>
__device__ T fold_short_row(const T* row, unsigned count, unsigned thread, unsigned group, const Op& op) {
  constexpr unsigned held = elements_of_lane<T, Op>, lanes = grouping::lanes<T, Op>;
  auto load = [&](unsigned i) { return detail::lift<Op>(row[i]); };
  if constexpr (grouping::order_is_free<T, Op>) {
    T sum = 0;
    if (thread < count) sum = load(thread);
    for (unsigned i = thread + group; i < count; i += group) sum = op(sum, load(i));
    for (unsigned half = group / 2; half > 0; half /= 2) {
      const T other = shuffle_down(sum, half);
      if (thread < half && thread + half < count) sum = op(sum, other);
    }
    return sum;
  } else if constexpr (grouping::striped<T, Op>) {
    grouping::uninitialized<T, held> sum;
    const unsigned active = count < lanes ? count : lanes;
#pragma unroll
    for (unsigned v = 0; v < held; ++v) {
      const unsigned lane = v * group + thread;
      if (lane < active) {
        sum[v] = load(lane);
        for (unsigned i = lane + lanes; i < count; i += lanes) sum[v] = op(sum[v], load(i));
      }
    }
    by_halves<held>([&](unsigned v, unsigned other) {
      if (other * group + thread < active) sum[v] = op(sum[v], sum[other]);
    });
    for (unsigned half = group / 2; half > 0; half /= 2) {
      const T other = shuffle_down(sum[0], half);
      if (thread < half && thread + half < active) sum[0] = op(sum[0], other);
    }
    return sum[0];
  } else {
    const unsigned active = (count + held - 1) / held, first = thread * held;
    grouping::uninitialized<T, 1> sum;
    if (thread < active) {
      sum[0] = load(first);
      for (unsigned i = first + 1; i < first + held && i < count; ++i) sum[0] = op(sum[0], load(i));
    }
    for (unsigned step = 1; step < group; step *= 2) {
      const T other = shuffle_down(sum[0], step);
      if (thread % (2 * step) == 0 && thread + step < active) sum[0] = op(sum[0], other);
    }
    return sum[0];
  }
}

/// A warp folds several rows at a time.
template <class T, class Op>
__global__ void __launch_bounds__(short_rows_warps* warp_size)
    fold_short_rows(const T* x, Op op, short_rows shape, T* out) {
  extern __shared__ __align__(128) unsigned char stages[];
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  unsigned char* const stage = stages + warp * shape.stage_bytes<T>();
  const std::size_t stride = std::size_t{gridDim.x} * short_rows_warps * shape.at_once;
  for (std::size_t base = (std::size_t{blockIdx.x} * short_rows_warps + warp) * shape.at_once;
       base < shape.rows; base += stride) {
    const std::size_t left = shape.rows - base;
    const unsigned rows = left < shape.at_once ? static_cast<unsigned>(left) : shape.at_once;
    const T* const staged =
        bring_elements(x, shape.rows * shape.length, base * shape.length, rows * shape.length, stage);
    for (unsigned first = 0; first < rows; first += warp_size / shape.group) {
      const unsigned row = first + lane / shape.group, thread = lane % shape.group;
      const T sum =
          fold_short_row(staged + min(row, rows - 1) * shape.length, shape.length, thread, shape.group, op);
      if (thread == 0 && row < rows) out[base + row] = grouping::canonical(sum);
    }
    __syncwarp();
  }
}

/// Folds every tile of segments that are columns, so many of which a thread takes side by side.
template <unsigned Columns, class T, class Load, class Op>
void fold_columns_by(const target& where, const Load& load, const Op& op, const grouping::tiling& tiles,
                     T* out) {
  if constexpr (sizeof(T) <= 16) {
    // As many columns fill a GPU by themselves.
    constexpr std::size_t many_columns = std::size_t{1} << 18;
    constexpr bool free = grouping::order_is_free<T, Op>;
    const bool are_many = tiles.all.count() / Columns >= many_columns && tiles.parts() == 1;
    if (tiles.all.length <= few_rows || (free && are_many)) {
      constexpr unsigned most = free ? 8 : few_rows;
      const auto kernel = tiles.all.length <= 8 ? fold_few_rows<8, false, Columns, T, Load, Op>
                                                : fold_few_rows<most, free, Columns, T, Load, Op>;
      const unsigned grid = grid_for(tiles.all.count(), fold_few_rows_threads * Columns);
      kernel<<<grid, fold_few_rows_threads, 0, where.stream()>>>(load, op, tiles.all, out);
      return check(cudaGetLastError(), "launch of fold_few_rows");
    }
  }
  const grouping::tiling strips{tiles.all, tiles.part, warp_size * Columns};
  const auto launch = [&](auto kernel, unsigned rows) {
    kernel<<<grid_for(strips.pieces(), 1), dim3(warp_size, rows), 0, where.stream()>>>(load, op, strips, out);
  };
  constexpr unsigned rows = column_rows<T>, lanes = grouping::lanes<T, Op>;
  if constexpr (!grouping::order_is_free<T, Op> && rows > 1 && lanes / rows > 8) {
    // Eight lanes a thread are better than sixteen, unless most of them are empty.
    if (tiles.all.length > lanes) {
      launch(fold_columns<Columns, 2 * rows, T, Load, Op>, 2 * rows);
      return check(cudaGetLastError(), "launch of fold_columns");
    }
  }
  launch(fold_columns<Columns, rows, T, Load, Op>, rows);
  check(cudaGetLastError(), "launch of fold_columns");
}

/// Folds every tile of the segments; one launch.
template <class T, class Load, class Op>
void fold_tiles(const target& where, const Load& load, const Op& op, const grouping::tiling& tiles, T* out) {
  const std::size_t pieces = tiles.pieces();
  if constexpr (std::is_same_v<Load, detail::element_at<T, Op>> && sizeof(T) <= 16) {
    if (tiles.all.inner == 1 && tiles.all.length * sizeof(T) <= 2048 && tiles.parts() == 1) {
      constexpr unsigned held = elements_of_lane<T, Op>;
      const auto shape = shape_short_rows<T>(pieces, tiles.all.length, held);
      return launch_short_rows<T>(where, fold_short_rows<T, Op>, "launch of fold_short_rows", shape, load.x,
                                  op, shape, out);
    }
  }
  if (tiles.all.inner == 1) {
    constexpr unsigned warps = fold_rows_threads / warp_size;
    fold_rows<T><<<grid_for(pieces, warps), fold_rows_threads, 0, where.stream()>>>(load, op, tiles, out);
    check(cudaGetLastError(), "launch of fold_rows");
  } else if constexpr (std::is_same_v<Load, detail::element_at<T, Op>> && grouping::order_is_free<T, Op> &&
                       columns_in_word<T> > 1) {
    constexpr unsigned columns = columns_in_word<T>;
    const bool are_words = tiles.all.inner % columns == 0 &&
                           reinterpret_cast<std::uintptr_t>(load.x) % sizeof(std::uint32_t) == 0;
    if (are_words) return fold_columns_by<columns>(where, load, op, tiles, out);
    fold_columns_by<1>(where, load, op, tiles, out);
  } else {
    fold_columns_by<1>(where, load, op, tiles, out);
  }
}

/// Reduces load(0) … load(n−1) to *out, which may be in memory of the CPU that the GPU can write to.
template <class T, class Load, class Op>
void reduce_flat(const target& where, const Load& load, const Op& op, std::size_t n, T* out) {
  constexpr std::size_t tile = grouping::tile<T, Op>;
  constexpr unsigned warps = reduce_whole_threads / warp_size;
  const std::size_t tiles = (n + tile - 1) / tile;
  scratch_sizes sizes;
  for (std::size_t in_level = tiles; in_level > 1;) {
    sizes.bytes += (in_level + 15) / 16 * 16 * sizeof(T);
    in_level = (in_level + tile - 1) / tile;
    sizes.counters += in_level;
  }
  const lent_scratch scratch(where, sizes);
  const std::size_t resident = std::size_t{reduce_whole_blocks} * multiprocessors(where);
  const std::size_t wanted = (tiles + warps - 1) / warps;
  const auto grid = static_cast<unsigned>(wanted < resident ? wanted : resident);
  static overlapping_kernel kernel(reduce_whole<T, Load, Op>, "launch of reduce_whole");
  kernel.launch(where, grid, reduce_whole_threads, load, op, n, static_cast<T*>(scratch.bytes()),
                scratch.counters(), out);
}

/// Reduces each of `all` segments of load(0), load(1), … to one element of `out`, on the GPU's stream. Reads
/// each input once; one launch when there is one segment, and
/// otherwise one for each factor of `tile` in the length.
template <class T, class Load, class Op>
void reduce(const target& where, const Load& load, const Op& op, segments all, T* out) {
  if (all.count() == 0) return;
  const current_device on(where);
  if (all.count() == 1) return reduce_flat(where, load, op, all.length, out);
  const grouping::tiling tiles{all, grouping::tile<T, Op>, warp_size};
  if (tiles.parts() == 1) return fold_tiles(where, load, op, tiles, out);
  const detail::memory partials(tiles.results().elements() * sizeof(T), where);
  T* const to = static_cast<T*>(partials.data());
  fold_tiles(where, load, op, tiles, to);
  reduce(where, detail::element_at<T, Op>{to}, op, tiles.results(), out);
}

}  // namespace heddle::cuda
