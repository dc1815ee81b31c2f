#pragma once

#include <heddle/compiler.hpp>
#include <heddle/operators.hpp>
#include <heddle/support/warp.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Kernels that advance a grid. A word is 32 cells.
namespace heddle::life::gpu {

using word = std::uint32_t;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// Any function of three bits, on 32 at once; bit 4a + 2b + c of Table is its value.
template <unsigned Table>
__device__ __forceinline__ word logic(word a, word b, word c) {
#if HD_PTX_ARCH > 0
  word result;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(Table));
  return result;
#else
  word result = 0;
  for (unsigned bits = 0; bits < 8; ++bits) {
    if ((Table >> bits & 1) == 0) continue;
    result |= (bits & 4 ? a : ~a) & (bits & 2 ? b : ~b) & (bits & 1 ? c : ~c);
  }
  return result;
#endif
}
__device__ __forceinline__ word xor3(word a, word b, word c) {
  return logic<0x96>(a, b, c);
}
__device__ __forceinline__ word majority(word a, word b, word c) {
  return logic<0xe8>(a, b, c);
}
/// Where `which` is 1 the bits of a, elsewhere those of b.
__device__ __forceinline__ word choose(word which, word a, word b) {
  return logic<0xca>(which, a, b);
}

/// Counts of 0 to 3 cells, a bit each in two words: of three cells in a row or in a column.
struct count {
  word ones, twos;
};
__device__ __forceinline__ count count_of(word a, word b, word c) {
  return {xor3(a, b, c), majority(a, b, c)};
}

/// Three cells live among the nine, or four with a live one in the middle: that is B3/S23.
struct conway {
  __device__ __forceinline__ word operator()(count a, count b, count c, word alive) const {
    const word odd = xor3(a.ones, b.ones, c.ones), carry = majority(a.ones, b.ones, c.ones);
    const word x = xor3(a.twos, b.twos, c.twos), y = majority(a.twos, b.twos, c.twos);
    // The nine cells are odd + 2·(x + carry + 2y).
    const word one = logic<0x14>(x, carry, y), two = logic<0x42>(x, carry, y);
    return choose(odd, one, two & alive);
  }
};

/// Any rule: the count of the nine cells in four bits selects what becomes of live and dead cells.
struct any_rule {
  word born[10], stays[10];  // all ones or zeros, by how many of the nine live

  __device__ __forceinline__ word outcome(int n, word alive) const {
    return choose(alive, stays[n], born[n]);
  }
  __device__ __forceinline__ word either(int n, word odd, word alive) const {
    return choose(odd, outcome(n + 1, alive), outcome(n, alive));
  }
  __device__ __forceinline__ word operator()(count a, count b, count c, word alive) const {
    const word odd = xor3(a.ones, b.ones, c.ones), carry = majority(a.ones, b.ones, c.ones);
    const word x = xor3(a.twos, b.twos, c.twos), y = majority(a.twos, b.twos, c.twos);
    const word both = x & carry, twos = x ^ carry, fours = y ^ both, eights = y & both;
    const word low = choose(twos, either(2, odd, alive), either(0, odd, alive));
    const word high = choose(twos, either(6, odd, alive), either(4, odd, alive));
    return choose(eights, either(8, odd, alive), choose(fours, high, low));
  }
};

inline constexpr unsigned count_threads = 256;

/// Adds the bits that are set to *total.
__global__ void __launch_bounds__(count_threads)
    count_bits(const word* words, std::size_t n, unsigned long long* total) {
  unsigned long long found = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * count_threads + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * count_threads) {
    found += static_cast<unsigned>(__popc(words[i]));
  }
  found = heddle::gpu::combine_lanes(found, plus{});
  if (threadIdx.x % 32 == 0 && found != 0) atomicAdd(total, found);
}

struct small_grid {
  unsigned width, height;  // up to 32 each
  bool torus;
};

/// One warp, a row a lane: rows pass between lanes by shuffles, and nothing waits for anything else. Whole is
/// a torus of 32×32. Rows of the array are two words apart.
template <bool Whole, class Law>
__global__ void __launch_bounds__(32)
    advance_in_a_warp(word* rows, small_grid all, unsigned long long generations,
                      const __grid_constant__ Law law) {
  const unsigned lane = threadIdx.x, last = all.height - 1;
  word cells = lane < all.height ? rows[2 * lane] : 0;
  const unsigned up = lane == 0 ? last : lane - 1, down = lane >= last ? 0 : lane + 1;
  const word inside = Whole || all.width == 32 ? ~word{0} : (word{1} << all.width) - 1;
  const word has_up = all.torus || lane != 0 ? ~word{0} : 0,
             has_down = all.torus || lane != last ? ~word{0} : 0;
  const unsigned wrap = all.width - 1;
  const word wraps = all.torus ? ~word{0} : 0;
#pragma unroll 4
  for (; generations > 0; --generations) {
    word above = __shfl_sync(all_lanes, cells, up), below = __shfl_sync(all_lanes, cells, down);
    if (!Whole) {
      above &= has_up;
      below &= has_down;
    }
    const count middle = count_of(above, cells, below);
    const auto from_left = [&](word v) {
      return Whole ? __funnelshift_l(v, v, 1) : v << 1 | (v >> wrap & wraps);
    };
    const auto from_right = [&](word v) {
      return Whole ? __funnelshift_r(v, v, 1) : v >> 1 | (v << wrap & wraps);
    };
    // What comes from beyond the width stands in bits that are cleared at the end.
    cells = law({from_left(middle.ones), from_left(middle.twos)}, middle,
                {from_right(middle.ones), from_right(middle.twos)}, cells);
    if (!Whole) cells &= inside;
  }
  if (lane < all.height) rows[2 * lane] = cells;
}

struct row_grid {
  std::size_t width, height, stride;  // the stride in words
  bool torus;
  std::size_t first = 0, last = height;  // the rows to find
};
inline constexpr unsigned row_threads = 256;

/// One generation, a word a thread.
template <class Law>
__global__ void __launch_bounds__(row_threads)
    advance_rows(const word* now, word* next, row_grid all, const __grid_constant__ Law law) {
  const std::size_t words = (all.width + 31) / 32, n = words * (all.last - all.first);
  const unsigned last_bit = (all.width - 1) % 32;
  for (std::size_t i = std::size_t{blockIdx.x} * row_threads + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * row_threads) {
    const std::size_t row = i / words, x = i - row * words, y = all.first + row;
    word left[3], middle[3], right[3];
#pragma unroll
    for (int of = 0; of < 3; ++of) {
      std::size_t from_y = y;
      bool dead = false;
      if (of == 0) {
        dead = !all.torus && y == 0;
        from_y = y == 0 ? all.height - 1 : y - 1;
      } else if (of == 2) {
        dead = !all.torus && y + 1 == all.height;
        from_y = y + 1 == all.height ? 0 : y + 1;
      }
      const word* const from = now + from_y * all.stride;
      const word cells = dead ? 0 : from[x];
      word before = 0, after = 0;
      if (!dead) {
        if (x > 0) {
          before = from[x - 1] >> 31;
        } else if (all.torus) {
          before = from[words - 1] >> last_bit & 1;
        }
        if (x + 1 < words) {
          after = from[x + 1] << 31;
        } else if (all.torus) {
          after = (from[0] & 1) << last_bit;
        }
      }
      left[of] = cells << 1 | before;
      middle[of] = cells;
      right[of] = cells >> 1 | after;
    }
    word result = law(count_of(left[0], left[1], left[2]), count_of(middle[0], middle[1], middle[2]),
                      count_of(right[0], right[1], right[2]), middle[1]);
    if (x + 1 == words && last_bit != 31) result &= (word{2} << last_bit) - 1;
    next[y * all.stride + x] = result;
  }
}

/// A grid in slices: the columns are cut into 32 runs of `positions` columns, and a word holds one column of
/// every run. The neighbours of its cells are in the words beside it, without shifts; run l goes on in run
/// l + 1, so that beyond the ends of a row its words stand rotated.
struct sliced_grid {
  std::size_t positions;
  long long height;
  std::size_t tiles, chunks;
  long long rows;                              // of a chunk
  long long first_row = 0, last_row = height;  // the rows to find
};

inline constexpr unsigned march_threads = 128;

/// A warp's part of a row: four words a lane, of which those near the ends become wrong as generations pass.
template <int Generations>
struct march_tile {
  static constexpr int words = 4, halo = (Generations + words - 1) / words * words;
  static constexpr int kept = 32 * words - 2 * halo;
};

/// What one generation keeps of the last two rows that came to it.
struct march_stage {
  count row[2][4];
  word alive[4];
};

/// A row of one generation comes, and the row before it of the next generation goes.
template <int Parity, class Law>
__device__ __forceinline__ void march_step(march_stage& stage, word (&cells)[4], const Law& law) {
  const word left = __shfl_up_sync(all_lanes, cells[3], 1), right = __shfl_down_sync(all_lanes, cells[0], 1);
  const count came[4] = {count_of(left, cells[0], cells[1]), count_of(cells[0], cells[1], cells[2]),
                         count_of(cells[1], cells[2], cells[3]), count_of(cells[2], cells[3], right)};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const word next = law(stage.row[Parity][i], stage.row[1 - Parity][i], came[i], stage.alive[i]);
    stage.row[Parity][i] = came[i];
    stage.alive[i] = cells[i];
    cells[i] = next;
  }
}

/// Each warp goes down a chunk of rows, a tile wide, and all generations go with it, each a row after the one
/// before it, in registers. Memory is read and written once for all of them.
template <int Generations, bool Torus, class Law>
__global__ void __launch_bounds__(march_threads, Generations == 8 ? 2 : 3)
    march(const word* __restrict__ now, word* __restrict__ next, sliced_grid all,
          const __grid_constant__ Law law) {
  using tile = march_tile<Generations>;
  const std::size_t warp = (std::size_t{blockIdx.x} * march_threads + threadIdx.x) / 32;
  if (warp >= all.tiles * all.chunks) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::size_t chunk = warp / all.tiles;
  const long long positions = static_cast<long long>(all.positions);
  const long long position =
      static_cast<long long>(warp - chunk * all.tiles) * tile::kept - tile::halo + lane * tile::words;
  // How many whole rows the position is beyond the row, and where it is in one.
  const long long turns = (position >= 0 ? position : position - positions + 1) / positions;
  const std::size_t at = static_cast<std::size_t>(position - turns * positions);
  const unsigned turn = static_cast<unsigned>(turns & 31);
  // Slices whose columns are on the plane.
  word inside = ~word{0};
  if (!Torus && turns != 0) {
    inside = turns >= 32 || turns <= -32 ? 0 : turns > 0 ? ~word{0} >> turns : ~word{0} << -turns;
  }
  const bool stores =
      turns == 0 && lane * tile::words >= tile::halo && lane * tile::words < tile::halo + tile::kept;

  const long long first = all.first_row + static_cast<long long>(chunk) * all.rows;
  const long long end = first + all.rows < all.last_row ? first + all.rows : all.last_row;
  // The row that comes next, and where it is on the torus.
  long long row = first - Generations;
  long long wrapped = row % all.height;
  if (wrapped < 0) wrapped += all.height;
  const auto load = [&](long long y) -> uint4 {
    uint4 words = make_uint4(0, 0, 0, 0);
    if (Torus || (y >= 0 && y < all.height)) {
      words = *reinterpret_cast<const uint4*>(now + static_cast<std::size_t>(wrapped) * all.positions + at);
    }
    if (++wrapped == all.height) wrapped = 0;
    return words;
  };

  march_stage stages[Generations] = {};
  const auto step = [&]<int Parity>(std::integral_constant<int, Parity>, uint4 words) {
    word cells[4] = {__funnelshift_r(words.x, words.x, turn), __funnelshift_r(words.y, words.y, turn),
                     __funnelshift_r(words.z, words.z, turn), __funnelshift_r(words.w, words.w, turn)};
    if (!Torus) {
#pragma unroll
      for (int i = 0; i < 4; ++i) cells[i] &= inside;
    }
#pragma unroll
    for (int generation = 0; generation < Generations; ++generation) {
      march_step<Parity>(stages[generation], cells, law);
      if (!Torus) {
        const long long y = row - generation - 1;
        const word alive = y >= 0 && y < all.height ? inside : 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) cells[i] &= alive;
      }
    }
    const long long out = row - Generations;
    if (stores && out >= first && out < end) {
      *reinterpret_cast<uint4*>(next + static_cast<std::size_t>(out) * all.positions + at) =
          make_uint4(cells[0], cells[1], cells[2], cells[3]);
    }
    ++row;
  };

  // Two rows a round, because a row takes the place of the last but one; the next two are on their way.
  uint4 even = load(row), odd = load(row + 1);
  while (row < end + Generations) {
    const uint4 next_even = load(row + 2), next_odd = load(row + 3);
    step(std::integral_constant<int, 0>{}, even);
    step(std::integral_constant<int, 1>{}, odd);
    even = next_even;
    odd = next_odd;
  }
}

inline constexpr unsigned transpose_threads = 128;

/// Between rows and slices: a warp transposes a square of 32 runs and 32 positions, or fewer at the end of
/// the runs. Rows have `positions` words in both; those that are written to by parts, as runs begin anywhere
/// in a word, are 0 before.
template <bool Slice>
__global__ void __launch_bounds__(transpose_threads)
    transpose_squares(const word* from, word* to, std::size_t positions, std::size_t squares) {
  const std::size_t in_row = (positions + 31) / 32;
  const unsigned lane = threadIdx.x % 32;
  constexpr unsigned warps = transpose_threads / 32;
  for (std::size_t square = std::size_t{blockIdx.x} * warps + threadIdx.x / 32; square < squares;
       square += std::size_t{gridDim.x} * warps) {
    const std::size_t y = square / in_row, first = (square - y * in_row) * 32;
    const std::size_t row = y * positions, column = lane * positions + first;
    const std::size_t of_run = column / 32, of_position = first + lane;
    const unsigned shift = column % 32;
    const unsigned count = positions - first < 32 ? static_cast<unsigned>(positions - first) : 32;
    word bits = 0;
    if (Slice) {
      const word after = of_run + 1 < positions ? from[row + of_run + 1] : 0;
      bits = __funnelshift_r(from[row + of_run], after, shift);
    } else if (lane < count) {
      bits = from[row + of_position];
    }
    word mask = 0x0000ffffu;
#pragma unroll
    for (unsigned half = 16; half > 0; half /= 2) {
      const word other = __shfl_xor_sync(all_lanes, bits, half);
      bits = lane & half ? (bits & ~mask) | (other >> half & mask) : (bits & mask) | (other & mask) << half;
      mask ^= mask << half / 2;
    }
    if (Slice) {
      if (lane < count) to[row + of_position] = bits;
    } else if (shift == 0 && count == 32) {
      to[row + of_run] = bits;
    } else {
      atomicOr(to + row + of_run, bits << shift);
      if (shift + count > 32) atomicOr(to + row + of_run + 1, bits >> (32 - shift));
    }
  }
}

struct cell_grid {
  std::size_t width, height;
  bool torus;
  std::uint16_t birth, survival;
  std::size_t first = 0, last = height;  // the rows to find
};
inline constexpr unsigned tile_width = 32, tile_height = 8;
inline constexpr unsigned block_threads = 1024;
inline constexpr std::size_t block_shared_bytes = 48 * 1024;

/// A cell, or 0 outside a plane. x and y are one beyond the grid at most.
__device__ __forceinline__ int cell_at(const unsigned char* cells, const cell_grid& all, long long x,
                                       long long y) {
  const long long width = static_cast<long long>(all.width), height = static_cast<long long>(all.height);
  if (!all.torus && (x < 0 || y < 0 || x >= width || y >= height)) return 0;
  x = x < 0 ? width - 1 : x >= width ? 0 : x;
  y = y < 0 ? height - 1 : y >= height ? 0 : y;
  return cells[y * width + x];
}

__device__ __forceinline__ unsigned char cell_after(const unsigned char* cells, const cell_grid& all,
                                                    long long x, long long y) {
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx != 0 || dy != 0) neighbours += cell_at(cells, all, x + dx, y + dy);
    }
  }
  const bool alive = cells[y * static_cast<long long>(all.width) + x] != 0;
  return (alive ? all.survival : all.birth) >> neighbours & 1;
}

/// One generation, a cell a thread, all from global memory.
__global__ void __launch_bounds__(tile_width* tile_height)
    advance_cells(const unsigned char* now, unsigned char* next, cell_grid all, std::size_t tiles) {
  const std::size_t across = (all.width + tile_width - 1) / tile_width;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::size_t x = tile % across * tile_width + threadIdx.x;
    const std::size_t y = all.first + tile / across * tile_height + threadIdx.y;
    if (x >= all.width || y >= all.last) continue;
    next[y * all.width + x] = cell_after(now, all, static_cast<long long>(x), static_cast<long long>(y));
  }
}

/// One generation, a cell a thread, from a tile and its border in shared memory.
__global__ void __launch_bounds__(tile_width* tile_height)
    advance_tiles(const unsigned char* now, unsigned char* next, cell_grid all, std::size_t tiles) {
  __shared__ unsigned char cells[tile_height + 2][tile_width + 2];
  const std::size_t across = (all.width + tile_width - 1) / tile_width;
  const unsigned thread = threadIdx.y * tile_width + threadIdx.x;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::size_t left = tile % across * tile_width, top = all.first + tile / across * tile_height;
    for (unsigned i = thread; i < (tile_height + 2) * (tile_width + 2); i += tile_width * tile_height) {
      const unsigned x = i % (tile_width + 2), y = i / (tile_width + 2);
      // What is two or more beyond the grid is no cell's neighbour.
      const bool near = left + x < all.width + 2 && top + y < all.height + 2;
      cells[y][x] = near ? static_cast<unsigned char>(cell_at(now, all, static_cast<long long>(left + x) - 1,
                                                              static_cast<long long>(top + y) - 1))
                         : 0;
    }
    __syncthreads();
    const std::size_t x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < all.width && y < all.last) {
      int nine = 0;
      for (unsigned dy = 0; dy < 3; ++dy) {
        for (unsigned dx = 0; dx < 3; ++dx) nine += cells[threadIdx.y + dy][threadIdx.x + dx];
      }
      const int alive = cells[threadIdx.y + 1][threadIdx.x + 1];
      next[y * all.width + x] =
          static_cast<unsigned char>((alive != 0 ? all.survival : all.birth) >> (nine - alive) & 1);
    }
    __syncthreads();
  }
}

/// Any number of generations of a grid in the shared memory of one block, with a barrier after each.
__global__ void __launch_bounds__(block_threads)
    advance_in_a_block(unsigned char* cells, cell_grid all, unsigned long long generations) {
  extern __shared__ unsigned char both[];
  const unsigned n = static_cast<unsigned>(all.width * all.height);
  unsigned char *now = both, *next = both + n;
  for (unsigned i = threadIdx.x; i < n; i += block_threads) now[i] = cells[i];
  __syncthreads();
  const unsigned width = static_cast<unsigned>(all.width);
  for (; generations > 0; --generations) {
    for (unsigned i = threadIdx.x; i < n; i += block_threads)
      next[i] = cell_after(now, all, i % width, i / width);
    __syncthreads();
    unsigned char* const swapped = now;
    now = next;
    next = swapped;
  }
  for (unsigned i = threadIdx.x; i < n; i += block_threads) cells[i] = now[i];
}

}  // namespace heddle::life::gpu
