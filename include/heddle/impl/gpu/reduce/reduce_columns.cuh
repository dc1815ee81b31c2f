#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/order.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

/// Reductions of columns: neighbouring threads take neighbouring columns, so that a warp reads what stands
/// side by side. Long columns are folded a block to a tile, short ones a thread to a column.
namespace heddle::gpu {

/// Rows of threads that share a tile of columns: as many as exchange their sums within 32 KiB of shared
/// memory.
template <class T>
inline constexpr unsigned column_rows = sizeof(T) <= 128 ? 8 : 1;

/// A block folds a tile of up to 32 columns. Thread (c, y) folds lanes y, y + Rows, … of column c; or, when
/// order matters, as many neighbouring lanes; or, where it does not even matter to the bits, elements
/// y, y + Rows, …. Few: `across` threads, a power of two no less than the columns, stand side by side, and a
/// block folds several tiles; the lanes of a warp, elements that follow each other.
template <unsigned Rows, bool Few, class T, class Load, class Op>
__global__ void __launch_bounds__(warp_size* Rows)
    reduce_columns(Load load, Op op, order::tiling tiles, unsigned across, T* out) {
  constexpr unsigned lanes =
      order::order_is_free<T, Op> ? Rows : static_cast<unsigned>(order::accumulators<T, Op>);
  constexpr unsigned held = lanes / Rows;
  // Elements of each lane that are asked for before one is combined.
  constexpr unsigned ahead = sizeof(T) > 16 || held >= 8 ? 1 : 8 / held;
  constexpr bool striped = order::striped<T, Op>;
  using element = order::uninitialized<T, 1>;
  constexpr unsigned exchanged = Rows > 1 ? Rows * warp_size * sizeof(element) : 1;
  __shared__ alignas(16) unsigned char exchange_bytes[exchanged];
  element* const exchange = reinterpret_cast<element*>(exchange_bytes);
  const auto combine = [&op](element& to, const element& other) { to[0] = op(to[0], other[0]); };
  const unsigned thread = threadIdx.y * warp_size + threadIdx.x, side = Few ? across : warp_size;
  const unsigned column = thread % side, y = thread / side % Rows, number = thread / (side * Rows),
                 of_block = warp_size / side;
  const std::size_t pieces = tiles.pieces();
  for (std::size_t first_piece = std::size_t{blockIdx.x} * of_block; first_piece < pieces;
       first_piece += std::size_t{gridDim.x} * of_block) {
    const std::size_t p = first_piece + number;
    const order::piece piece = tiles[min(p, pieces - 1)];
    const bool inside = p < pieces && column < piece.width;
    const std::size_t first = piece.first + column;
    const unsigned count = static_cast<unsigned>(piece.count);
    const unsigned active = striped ? (count < lanes ? count : lanes)
                                    : static_cast<unsigned>((count + order::rows - 1) / order::rows);
    const auto lane_of = [&](unsigned v) { return striped ? v * Rows + y : y * held + v; };
    // Element r of a lane.
    const auto place = [&](unsigned v, unsigned r) {
      return striped ? r * lanes + lane_of(v) : lane_of(v) * static_cast<unsigned>(order::rows) + r;
    };
    const auto read = [&](unsigned v, unsigned r) {
      element x;
      x[0] = load(first + place(v, r) * piece.stride);
      return x;
    };
    element sum[held];
    const auto reduce_accumulators = [&](auto whole) {
      const auto is_there = [&](unsigned v, unsigned r) {
        if constexpr (decltype(whole)::value) return r * lanes < order::tile<T, Op>;
        return place(v, r) < count && (striped || r < order::rows);
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
          element next[ahead][held];
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
      if (count == order::tile<T, Op>) {
        reduce_accumulators(std::true_type());
      } else {
        reduce_accumulators(std::false_type());
      }
      if constexpr (striped) {
        tree_reduce<held>([&](unsigned v, unsigned other) {
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
    if constexpr (Rows > 1) {
      element* const mine = exchange + thread;
      if (inside) *mine = sum[0];
      __syncthreads();
      for (unsigned step = striped ? Rows / 2 : 1; striped ? step > 0 : step < Rows;
           step = striped ? step / 2 : step * 2) {
        const bool left = striped ? y < step : y % (2 * step) == 0;
        const unsigned other = y + step;
        const bool other_took_part = (striped ? other : other * held) < active;
        if (inside && left && other_took_part) combine(*mine, mine[step * side]);
        __syncthreads();
      }
      if (inside && y == 0) sum[0] = *mine;
      __syncthreads();
    }
    if (inside && y == 0) out[piece.result + column] = order::canonical(sum[0][0]);
  }
}

inline constexpr unsigned reduce_few_rows_threads = 256;
/// Columns of at most so many elements are folded by a thread, and so short ones without a loop.
inline constexpr unsigned max_rows_per_thread = 32, min_rows_per_thread = 8;

/// Folds columns of one or two elements: a thread takes several, so that it has as much in flight as one that
/// folds a longer column.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(reduce_few_rows_threads)
    fold_two_rows(Load load, Op op, segments all, T* out) {
  constexpr unsigned columns = min_rows_per_thread, block = reduce_few_rows_threads * columns;
  const bool are_two = all.length == 2;
  const std::size_t results = all.count();
  for (std::size_t begin = std::size_t{blockIdx.x} * block; begin < results;
       begin += std::size_t{gridDim.x} * block) {
    const auto outer_of = [&](std::size_t result) { return result < all.inner ? 0 : result / all.inner; };
    const auto first_of = [&](std::size_t result, std::size_t outer) {
      return are_two ? outer * all.inner + result : result;
    };
    const std::size_t outer = outer_of(begin), result = begin + threadIdx.x;
    if (begin + block <= (outer + 1) * all.inner) {
      const std::size_t first = first_of(result, outer);
      order::uninitialized<T, columns> x;
#pragma unroll
      for (unsigned c = 0; c < columns; ++c) x[c] = load(first + c * reduce_few_rows_threads);
      if (are_two) {
        order::uninitialized<T, columns> second;
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
          second[c] = load(first + all.inner + c * reduce_few_rows_threads);
#pragma unroll
        for (unsigned c = 0; c < columns; ++c) x[c] = op(x[c], second[c]);
      }
#pragma unroll
      for (unsigned c = 0; c < columns; ++c)
        out[result + c * reduce_few_rows_threads] = order::canonical(x[c]);
    } else {
      for (unsigned c = 0; c < columns && result + c * reduce_few_rows_threads < results; ++c) {
        const std::size_t r = result + c * reduce_few_rows_threads, first = first_of(r, outer_of(r));
        const T x = load(first);
        out[r] = order::canonical(are_two ? op(x, load(first + all.inner)) : x);
      }
    }
  }
}

/// A thread folds a column of at most Most elements, all of which it asks for at once; AndMore: of more, so
/// many at a time, which takes an operator that gives the same bits in every order.
template <unsigned Most, bool AndMore, class T, class Load, class Op>
__global__ void __launch_bounds__(reduce_few_rows_threads)
    reduce_few_rows(Load load, Op op, segments all, T* out) {
  const unsigned count = static_cast<unsigned>(all.length);
  const std::size_t results = all.count();
  const auto combine = [&op](T& to, const T& other) { to = op(to, other); };
  for (std::size_t result = std::size_t{blockIdx.x} * reduce_few_rows_threads + threadIdx.x; result < results;
       result += std::size_t{gridDim.x} * reduce_few_rows_threads) {
    const std::size_t outer = result < all.inner ? 0 : result / all.inner;
    const std::size_t first = outer * (all.length - 1) * all.inner + result;
    const auto read = [&](unsigned i) { return load(first + i * all.inner); };
    order::uninitialized<T, Most> x;
#pragma unroll
    for (unsigned i = 0; i < Most; ++i) {
      if (i < count) x[i] = read(i);
    }
    if constexpr (AndMore) {
      static_assert(order::order_is_free<T, Op>);
      for (unsigned start = Most; start < count; start += Most) {
        order::uninitialized<T, Most> next;
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
    if constexpr (order::striped<T, Op>) {
      static_assert(Most <= order::accumulators<T, Op>);
      tree_reduce<Most>([&](unsigned i, unsigned other) {
        if (other < count) combine(x[i], x[other]);
      });
    } else {
#pragma unroll
      for (unsigned i = 1; i < Most; ++i) {
        const unsigned lane = i / order::rows * order::rows;
        if (i != lane && i < count) combine(x[lane], x[i]);
      }
#pragma unroll
      for (unsigned step = order::rows; step < Most; step *= 2) {
#pragma unroll
        for (unsigned i = 0; i + step < Most; i += 2 * step) {
          if (i + step < count) combine(x[i], x[i + step]);
        }
      }
    }
    out[result] = order::canonical(x[0]);
  }
}

/// Lanes of a column that a thread asks for at once.
inline constexpr unsigned accumulators_per_thread = 16;

/// Blocks of which a multiprocessor's registers hold those lanes, and as many again where each has several
/// rows.
template <class T, bool SeveralRows>
inline constexpr unsigned reduce_many_columns_blocks = SeveralRows || (sizeof(T) > 4 && sizeof(T) <= 8) ? 4
                                                       : sizeof(T) <= 4                                 ? 5
                                                                                                        : 2;

/// Of the tree in which the lanes of a column are combined, those above what is asked for at once.
template <class T, class Op>
inline constexpr unsigned levels_of_lanes =
    std::bit_width(order::accumulators<T, Op> / accumulators_per_thread) - 1;

/// The distance between the lanes that a thread asks for at once: the least power of two that shares all
/// lanes of a column among so many places.
template <class T, class Op>
unsigned lanes_apart(std::size_t length) {
  unsigned apart = 1;
  while (apart * accumulators_per_thread < std::min(length, order::accumulators<T, Op>)) apart *= 2;
  return apart;
}

/// A thread folds a column of at most a tile: lanes j, j + apart, … at once, for j after j in an order in
/// which those that are to be combined follow each other. SeveralRows: lanes have more than one element.
template <bool SeveralRows, class T, class Load, class Op>
__global__ void __launch_bounds__(reduce_few_rows_threads, reduce_many_columns_blocks<T, SeveralRows>)
    reduce_many_columns(Load load, Op op, segments all, unsigned apart, T* out) {
  constexpr unsigned lanes = static_cast<unsigned>(order::accumulators<T, Op>);
  static_assert(order::striped<T, Op> && lanes >= accumulators_per_thread);
  const unsigned count = static_cast<unsigned>(all.length);
  const std::size_t results = all.count(), step = apart * all.inner;
  for (std::size_t result = std::size_t{blockIdx.x} * reduce_few_rows_threads + threadIdx.x; result < results;
       result += std::size_t{gridDim.x} * reduce_few_rows_threads) {
    const std::size_t outer = result < all.inner ? 0 : result / all.inner;
    const std::size_t first = outer * (all.length - 1) * all.inner + result;
    constexpr unsigned levels = levels_of_lanes<T, Op>;
    order::uninitialized<T, levels> waiting;  // what 1, 2, 4, … of the j before were folded to
    order::uninitialized<T, accumulators_per_thread> sum;
#pragma unroll 1
    for (unsigned turn = 0; turn < apart; ++turn) {
      const unsigned j = __brev(turn) >> 1 >> __clz(apart);
      const auto read = [&](unsigned row, auto& x) {
        const unsigned there = (count - row - j + apart - 1) / apart;
        std::size_t at = first + (row + j) * all.inner;
#pragma unroll
        for (unsigned m = 0; m < accumulators_per_thread; ++m, at += step) {
          if (m < there) x[m] = load(at);
        }
        return there;
      };
      const unsigned active = read(0, sum);
      if constexpr (SeveralRows) {
#pragma unroll 1
        for (unsigned row = lanes; row + j < count; row += lanes) {
          order::uninitialized<T, accumulators_per_thread> next;
          const unsigned there = read(row, next);
#pragma unroll
          for (unsigned m = 0; m < accumulators_per_thread; ++m) {
            if (m < there) sum[m] = op(sum[m], next[m]);
          }
        }
      }
      tree_reduce<accumulators_per_thread>([&](unsigned m, unsigned other) {
        if (other < active) sum[m] = op(sum[m], sum[other]);
      });
      bool is_waiting = false;  // and no break, which would have the compiler keep an array in memory
#pragma unroll
      for (unsigned level = 0; level < levels; ++level) {
        if (is_waiting) continue;
        is_waiting = (turn >> level & 1) == 0;
        if (is_waiting) {
          waiting[level] = sum[0];
        } else {
          sum[0] = op(waiting[level], sum[0]);
        }
      }
    }
    out[result] = order::canonical(sum[0]);
  }
}

template <unsigned Rows, class T, class Load, class Op>
void launch_reduce_columns(const target& where, const Load& load, const Op& op, const order::tiling& tiles,
                           T* out) {
  const auto across = static_cast<unsigned>(std::bit_ceil(std::min<std::size_t>(tiles.all.inner, warp_size)));
  const auto kernel =
      across < warp_size ? reduce_columns<Rows, true, T, Load, Op> : reduce_columns<Rows, false, T, Load, Op>;
  const unsigned grid = grid_for(tiles.pieces(), warp_size / across);
  kernel<<<grid, dim3(warp_size, Rows), 0, where.stream()>>>(load, op, tiles, across, out);
  check(cudaGetLastError(), "launch of reduce_columns");
}

/// Folds every tile of columns that are longer than a tile has lanes.
template <class T, class Load, class Op>
void reduce_long_columns(const target& where, const Load& load, const Op& op, const order::tiling& tiles,
                         T* out) {
  constexpr unsigned rows = column_rows<T>, lanes = order::accumulators<T, Op>;
  // Eight lanes a thread are better than sixteen, unless most of them are empty.
  constexpr bool has_many_lanes = !order::order_is_free<T, Op> && rows > 1 && lanes / rows > 8;
  launch_reduce_columns<has_many_lanes ? 2 * rows : rows>(where, load, op, tiles, out);
}

/// Folds every tile of segments that are columns.
template <class T, class Load, class Op>
void reduce_tiles_of_columns(const target& where, const Load& load, const Op& op, const order::tiling& tiles,
                             T* out) {
  if constexpr (sizeof(T) <= 16) {
    // As many columns fill a GPU by themselves, a thread to each; one that asks for more at once needs fewer.
    constexpr bool free = order::order_is_free<T, Op>;
    constexpr std::size_t many_columns = std::size_t{1} << (free ? 18 : 17);
    const bool are_many = tiles.all.count() >= many_columns && tiles.parts() == 1;
    if constexpr (order::striped<T, Op> && !free) {
      // Larger elements are as well off with a block to a tile, unless its lanes have one element.
      constexpr bool lanes_of_rows = sizeof(T) <= 4;
      if (tiles.all.length > min_rows_per_thread &&
          (tiles.all.length <= max_rows_per_thread ||
           (are_many && (lanes_of_rows || tiles.all.length <= order::accumulators<T, Op>)))) {
        auto kernel = reduce_many_columns<false, T, Load, Op>;
        if constexpr (lanes_of_rows) {
          if (tiles.all.length > order::accumulators<T, Op>) kernel = reduce_many_columns<true, T, Load, Op>;
        }
        const unsigned grid = grid_for(tiles.all.count(), reduce_few_rows_threads);
        kernel<<<grid, reduce_few_rows_threads, 0, where.stream()>>>(
            load, op, tiles.all, lanes_apart<T, Op>(tiles.all.length), out);
        return check(cudaGetLastError(), "launch of reduce_many_columns");
      }
    }
    // Elsewhere the columns of a block would not follow each other.
    const bool follow =
        tiles.all.outer == 1 || tiles.all.inner >= reduce_few_rows_threads * min_rows_per_thread;
    if (tiles.all.length <= 2 && follow) {
      const unsigned grid = grid_for(tiles.all.count(), reduce_few_rows_threads * min_rows_per_thread);
      fold_two_rows<<<grid, reduce_few_rows_threads, 0, where.stream()>>>(load, op, tiles.all, out);
      return check(cudaGetLastError(), "launch of fold_two_rows");
    }
    if (tiles.all.length <= max_rows_per_thread || (free && are_many)) {
      constexpr unsigned most = free || order::striped<T, Op> ? min_rows_per_thread : max_rows_per_thread;
      const auto kernel = tiles.all.length <= min_rows_per_thread
                              ? reduce_few_rows<min_rows_per_thread, false, T, Load, Op>
                              : reduce_few_rows<most, free, T, Load, Op>;
      const unsigned grid = grid_for(tiles.all.count(), reduce_few_rows_threads);
      kernel<<<grid, reduce_few_rows_threads, 0, where.stream()>>>(load, op, tiles.all, out);
      return check(cudaGetLastError(), "launch of reduce_few_rows");
    }
  }
  if (tiles.all.length > order::accumulators<T, Op>) return reduce_long_columns(where, load, op, tiles, out);
  launch_reduce_columns<column_rows<T>>(where, load, op, tiles, out);
}

}  // namespace heddle::gpu
