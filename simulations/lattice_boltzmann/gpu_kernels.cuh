#pragma once

#include "lattice_boltzmann/boundary.hpp"
#include "lattice_boltzmann/collision.hpp"
#include <heddle/compiler.hpp>
#include <heddle/support/warp.cuh>

#include <cstddef>
#include <cstdint>

/// Kernels of a step, of what happens at boundaries, and of what a flow is asked for.
namespace heddle::lbm::gpu {

struct device_math {
  __device__ __forceinline__ float root(float x) const { return sqrtf(x); }
  __device__ __forceinline__ double root(double x) const { return sqrt(x); }
  __device__ __forceinline__ float inverse(float x) const { return __fdividef(1.0f, x); }
  __device__ __forceinline__ double inverse(double x) const { return 1 / x; }
  /// The nearest integer of |x| < 2^22, by the rounding of an addition: a conversion takes a unit that a
  /// multiprocessor has few of.
  __device__ __forceinline__ int rounded(float x) const {
    return __float_as_int(x + 12582912.0f) - 0x4b400000;
  }
};

/// Blocks go along rows, row after row: first, first + apart, and so on.
struct tiling {
  layout grid;
  unsigned tiles;  // across a row
  unsigned first = 0, apart = 1;
};

template <class S>
inline constexpr unsigned step_threads = sizeof(S) == 4 ? 128 : 256;
/// Neighbouring cells that a thread takes.
template <class S>
inline constexpr int cells_of_thread = is_fixed<S> ? 4 : 16 / sizeof(S);

// ----------------------------------------------------------------------------- sixteen bytes a thread
//
// Planes that are read one cell further on are read in the same words as the others: each lane has its first
// cell from the end of its own and the rest from the beginning, and gives the one that it lacks to its
// neighbour. Only a warp's ends move single cells.

template <class S>
struct alignas(16) word_of {
  S cells[cells_of_thread<S>];
};

#if HD_PTX_ARCH == 0
/// A word, or what is behind its first cell: that one the last lane of another warp writes meanwhile, and the
/// first lane of this one has no use for it. A GPU reads it with the others and drops it.
template <class Cell, class Word>
__device__ Word useful_cells(const Word* from, bool without_first) {
  if (!without_first) return *from;
  Word word{};
  for (std::size_t i = 1; i < sizeof(Word) / sizeof(Cell); ++i) {
    reinterpret_cast<Cell*>(&word)[i] = reinterpret_cast<const Cell*>(from)[i];
  }
  return word;
}
#endif

template <class S, collision_kind Kind, bool General>
__global__ void __launch_bounds__(step_threads<S>)
    step_words(const __grid_constant__ populations<S> at, const __grid_constant__ tiling over,
               const __grid_constant__ rates<arithmetic<S>> given) {
  constexpr unsigned whole = 0xffffffffu;
  constexpr int cells = cells_of_thread<S>;
  const unsigned row = over.first + blockIdx.x / over.tiles * over.apart, tile = blockIdx.x % over.tiles;
  const unsigned x = cells * (tile * step_threads<S> + threadIdx.x), lane = threadIdx.x % 32;
  // Whole warps: what they compute beyond the row lies in the columns between two rows, and means nothing.
  static_assert(32 * cells <= 2 * layout::row_alignment);
  if (x - cells * lane >= static_cast<unsigned>(over.grid.width)) return;
  // One further begins the next row, where what has come from another rank may lie already.
  const bool ends_in_row = lane == 31 && x + cells <= static_cast<unsigned>(over.grid.width);
  const std::ptrdiff_t n = over.grid.at(x, row);
  const auto word_at = [n](S* plane) { return reinterpret_cast<word_of<S>*>(plane + n); };

  word_of<S> rest = *word_at(at.rest), own[pairs], ahead[pairs];
  S beyond[pairs];
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    own[p] = *word_at(at.own[p]);
#if HD_PTX_ARCH > 0
    ahead[p] = *word_at(at.ahead[p]);
#else
    ahead[p] = useful_cells<S>(word_at(at.ahead[p]), pair_x(p) != 0 && lane == 0);
#endif
    if (pair_x(p) != 0 && lane == 31) beyond[p] = at.ahead[p][n + cells];
  }
  S next[pairs];
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    if (pair_x(p) == 0) continue;
    next[p] = __shfl_down_sync(whole, ahead[p].cells[0], 1);
    if (lane == 31) next[p] = beyond[p];
  }
#pragma unroll
  for (int c = 0; c < cells; ++c) {
    S g[velocities];
    g[0] = rest.cells[c];
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      g[2 * p + 1] = own[p].cells[c];
      g[2 * p + 2] = pair_x(p) == 0  ? ahead[p].cells[c]
                     : c + 1 < cells ? ahead[p].cells[(c + 1) % cells]
                                     : next[p];
    }
    collide<Kind, General>(g, given, device_math(), S(1), S(1));
    rest.cells[c] = g[0];
    // The places of `ahead` that have been read hold what goes there: of the cell before, where it is
    // shifted.
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      own[p].cells[c] = g[2 * p + 2];
      if (pair_x(p) == 0) {
        ahead[p].cells[c] = g[2 * p + 1];
      } else if (c + 1 < cells) {
        ahead[p].cells[(c + 1) % cells] = g[2 * p + 1];
      } else {
        next[p] = g[2 * p + 1];
      }
    }
  }
  *word_at(at.rest) = rest;
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    *word_at(at.own[p]) = own[p];
    if (pair_x(p) == 0) {
      *word_at(at.ahead[p]) = ahead[p];
      continue;
    }
    ahead[p].cells[0] = __shfl_up_sync(whole, next[p], 1);
    if (lane == 0) {
#pragma unroll
      for (int c = 1; c < cells; ++c) at.ahead[p][n + c] = ahead[p].cells[c];
    } else {
      *word_at(at.ahead[p]) = ahead[p];
    }
    if (ends_in_row) at.ahead[p][n + cells] = next[p];
  }
}

// ---------------------------------------------------------------------- words of two cells of 16 bits
//
// Planes that are read one cell further on have the second half of a word and the first of the next, which a
// lane gets from its neighbour behind its last one; only a warp's ends move halves of words.

/// The cells of a word as numbers, in units: an integer below 2^23 is added to 2^23 by writing it into the
/// lower bits of that.
__device__ __forceinline__ void unpack(std::uint32_t word, float& first, float& second) {
  constexpr float away = 8388608 + 32768;
  const std::uint32_t biased = word ^ 0x80008000u;
  first = __uint_as_float(__byte_perm(biased, 0x4b000000u, 0x7610)) - away;
  second = __uint_as_float(__byte_perm(biased, 0x4b000000u, 0x7632)) - away;
}
/// What is out of range becomes its end.
__device__ __forceinline__ std::uint32_t pack(int first, int second) {
#if HD_PTX_ARCH > 0
  std::uint32_t word;
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(word) : "r"(second), "r"(first));
  return word;
#else
  const auto half = [](int value) { return static_cast<std::uint16_t>(min(max(value, -32768), 32767)); };
  return std::uint32_t{half(second)} << 16 | half(first);
#endif
}

/// Words that a thread takes, side by side.
inline constexpr int words_of_thread = cells_of_thread<fixed16> / 2;
struct alignas(4 * words_of_thread) word_pairs {
  std::uint32_t words[words_of_thread];
};

/// The second cell of a word and the first cell of the next word.
__device__ __forceinline__ std::uint32_t cells_between(std::uint32_t word, std::uint32_t next) {
  return __byte_perm(word, next, 0x5432);
}
/// Replaces each cell of a lane by the cell after it. `next` is the first word of the next lane.
__device__ __forceinline__ void shift_to_cells_after(word_pairs& cells, std::uint32_t next) {
#pragma unroll
  for (int w = 0; w < words_of_thread; ++w)
    cells.words[w] = cells_between(cells.words[w], w + 1 < words_of_thread ? cells.words[w + 1] : next);
}
/// Replaces each cell of a lane by the cell before it. `before` is the last word of the lane before.
__device__ __forceinline__ void shift_to_cells_before(word_pairs& cells, std::uint32_t before) {
#pragma unroll
  for (int w = 0; w < words_of_thread; ++w) {
    const std::uint32_t here = cells.words[w];
    cells.words[w] = cells_between(before, here);
    before = here;
  }
}

/// Collides the two cells of word `w`. Each population then changes places with its opposite, as it goes on
/// from there.
template <collision_kind Kind, bool General>
__device__ __forceinline__ void collide_word(word_pairs (&of)[velocities], int w, const rates<float>& given) {
  float one[velocities], two[velocities];
#pragma unroll
  for (int i = 0; i < velocities; ++i) unpack(of[i].words[w], one[i], two[i]);
  int first[velocities], second[velocities];
  collide_units<Kind, General>(one, given, device_math(), first);
  collide_units<Kind, General>(two, given, device_math(), second);
  of[0].words[w] = pack(first[0], second[0]);
#pragma unroll
  for (int i = 1; i < velocities; ++i) of[i].words[w] = pack(first[opposite(i)], second[opposite(i)]);
}

template <collision_kind Kind, bool General>
__global__ void __launch_bounds__(step_threads<fixed16>)
    step_pairs(const __grid_constant__ populations<fixed16> at, const __grid_constant__ tiling over,
               const __grid_constant__ rates<float> given) {
  constexpr unsigned whole = 0xffffffffu;
  constexpr int cells = cells_of_thread<fixed16>, last = words_of_thread - 1;
  const unsigned row = over.first + blockIdx.x / over.tiles * over.apart, tile = blockIdx.x % over.tiles;
  const unsigned x = cells * (tile * step_threads<fixed16> + threadIdx.x), lane = threadIdx.x % 32;
  // Whole warps: what they compute beyond the row lies in the columns between two rows, and means nothing.
  static_assert(32 * cells <= 2 * layout::row_alignment);
  if (x - cells * lane >= static_cast<unsigned>(over.grid.width)) return;
  // One further begins the next row, where what has come from another rank may lie already.
  const bool ends_in_row = lane == 31 && x + cells <= static_cast<unsigned>(over.grid.width);
  const std::ptrdiff_t n = over.grid.at(x, row);
  const auto words_at = [n](fixed16* plane) { return reinterpret_cast<word_pairs*>(plane + n); };
  const auto half_at = [n](fixed16* plane, int further) {
    return reinterpret_cast<std::uint16_t*>(plane + n + further);
  };

  word_pairs of[velocities];
  std::uint32_t beyond[pairs];
  of[0] = *words_at(at.rest);
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    of[2 * p + 1] = *words_at(at.own[p]);
#if HD_PTX_ARCH > 0
    of[2 * p + 2] = *words_at(at.ahead[p]);
#else
    of[2 * p + 2] = useful_cells<std::uint16_t>(words_at(at.ahead[p]), pair_x(p) != 0 && lane == 0);
#endif
    beyond[p] = pair_x(p) != 0 && lane == 31 ? *half_at(at.ahead[p], cells) : 0;
  }
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    if (pair_x(p) == 0) continue;
    word_pairs& ahead = of[2 * p + 2];
    std::uint32_t next = __shfl_down_sync(whole, ahead.words[0], 1);
    if (lane == 31) next = beyond[p];
    shift_to_cells_after(ahead, next);
  }
#pragma unroll
  for (int w = 0; w <= last; ++w) collide_word<Kind, General>(of, w, given);
  *words_at(at.rest) = of[0];
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    *words_at(at.own[p]) = of[2 * p + 1];
    word_pairs& ahead = of[2 * p + 2];
    if (pair_x(p) == 0) {
      *words_at(at.ahead[p]) = ahead;
      continue;
    }
    const std::uint32_t end = ahead.words[last];
    shift_to_cells_before(ahead, __shfl_up_sync(whole, end, 1));
    if (lane == 0) {
      *half_at(at.ahead[p], 1) = static_cast<std::uint16_t>(ahead.words[0] >> 16);
#pragma unroll
      for (int w = 1; w <= last; ++w) words_at(at.ahead[p])->words[w] = ahead.words[w];
    } else {
      *words_at(at.ahead[p]) = ahead;
    }
    if (ends_in_row) *half_at(at.ahead[p], cells) = static_cast<std::uint16_t>(end >> 16);
  }
}

// ------------------------------------------------------------------------------------------ boundaries

inline constexpr unsigned boundary_threads = 128;

__device__ __forceinline__ std::size_t thread_number() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <class S>
__global__ void __launch_bounds__(boundary_threads)
    exchange_links(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
                   const __grid_constant__ boundary_view<arithmetic<S>> all, double* brought) {
  const std::size_t number = thread_number();
  if (number >= all.exchanges()) return;
  const arithmetic<S> units = exchange_at(at, grid, all, number);
  if (is_fixed<S> && units != 0) atomicAdd(brought, static_cast<double>(units));
}

/// One block finds the excess of density of the outflow.
inline constexpr unsigned outflow_threads = 256;
/// `leaving` is what leaves through each of so many, where ranks have parts of it; else it is found here.
template <class S>
__global__ void __launch_bounds__(outflow_threads)
    find_outflow(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
                 const __grid_constant__ boundary_view<arithmetic<S>> all, const arithmetic<S>* leaving,
                 std::size_t outflows, arithmetic<S>* excess) {
  __shared__ double sums[outflow_threads];
  double sum = 0;
  for (std::size_t k = threadIdx.x; k < outflows; k += outflow_threads) {
    sum += static_cast<double>(leaving != nullptr ? leaving[k] : leaving_at(at, grid, all, k));
  }
  sums[threadIdx.x] = sum;
  for (unsigned half = outflow_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) {
    *excess = outflow_excess(static_cast<arithmetic<S>>(sums[0] / static_cast<double>(outflows)), all);
  }
}

template <class S>
__global__ void __launch_bounds__(boundary_threads)
    leaving_of_outflow(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
                       const __grid_constant__ boundary_view<arithmetic<S>> all, arithmetic<S>* leaving) {
  const std::size_t number = thread_number();
  if (number < all.outflows) leaving[number] = leaving_at(at, grid, all, number);
}

/// The first copies, by one block.
template <class S>
__global__ void __launch_bounds__(boundary_threads)
    copy_in_ring(const __grid_constant__ populations<S> at,
                 const __grid_constant__ boundary_view<arithmetic<S>> all, std::size_t count) {
  for (std::size_t k = threadIdx.x; k < count; k += boundary_threads) copy_across(at, all, k);
}

template <class S>
__global__ void __launch_bounds__(boundary_threads)
    open_ends(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
              const __grid_constant__ boundary_view<arithmetic<S>> all,
              const __grid_constant__ rates<arithmetic<S>> given, const arithmetic<S>* excess,
              double* brought) {
  const std::size_t number = thread_number();
  double units = 0;
  if (number < all.inflows + all.outflows)
    units = static_cast<double>(open_at(at, grid, all, given, *excess, number));
  if constexpr (is_fixed<S>) {
    units = heddle::gpu::combine_lanes(units, [](double a, double b) { return a + b; });
    if (threadIdx.x % 32 == 0 && units != 0) atomicAdd(brought, units);
  }
}

// ------------------------------------------------------------------------------------------ diagnostics

inline constexpr unsigned look_threads = 256;

/// Rows of cells to or from nine rows of populations.
template <class S, bool Loads>
__global__ void __launch_bounds__(look_threads)
    move_rows(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
              std::ptrdiff_t first, std::ptrdiff_t count, S* rows) {
  const std::ptrdiff_t cell = static_cast<std::ptrdiff_t>(thread_number());
  if (cell >= count * grid.width) return;
  const std::ptrdiff_t place = grid.at(cell % grid.width, first + cell / grid.width);
  for (int i = 0; i < velocities; ++i) {
    if constexpr (Loads) {
      at.of(grid, place, i) = rows[i * count * grid.width + cell];
    } else {
      rows[i * count * grid.width + cell] = at.of(grid, place, i);
    }
  }
}

template <class S>
__device__ __forceinline__ moments<arithmetic<S>> moments_at(const populations<S>& at, const layout& grid,
                                                             std::ptrdiff_t cell,
                                                             const rates<arithmetic<S>>& given) {
  arithmetic<S> g[velocities];
  read_cell<S>(at, grid, grid.at(cell % grid.width, cell / grid.width), g, given.unit);
  return moments_of(g, given);
}

template <class S>
__global__ void __launch_bounds__(look_threads)
    read_moments(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
                 const __grid_constant__ rates<arithmetic<S>> given, std::ptrdiff_t first,
                 std::ptrdiff_t count, moments<arithmetic<S>>* to) {
  const std::ptrdiff_t cell = static_cast<std::ptrdiff_t>(thread_number());
  if (cell < count * grid.width) to[cell] = moments_at(at, grid, first * grid.width + cell, given);
}

/// Each block adds up the excess of density of the cells of a row.
template <class S>
__global__ void __launch_bounds__(look_threads)
    sum_excess(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
               const __grid_constant__ rates<arithmetic<S>> given, const std::uint8_t* solid,
               double* of_rows) {
  __shared__ double sums[look_threads];
  double sum = 0;
  for (std::ptrdiff_t x = threadIdx.x; x < grid.width; x += look_threads) {
    const std::ptrdiff_t cell = static_cast<std::ptrdiff_t>(blockIdx.x) * grid.width + x;
    if (solid != nullptr && solid[cell] != 0) continue;
    sum += static_cast<double>(moments_at(at, grid, cell, given).excess);
  }
  sums[threadIdx.x] = sum;
  for (unsigned half = look_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) of_rows[blockIdx.x] = sums[0];
}

template <class S>
__global__ void __launch_bounds__(look_threads)
    find_bad(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
             const __grid_constant__ rates<arithmetic<S>> given, const std::uint8_t* solid,
             unsigned long long* lowest) {
  const std::ptrdiff_t cell = static_cast<std::ptrdiff_t>(thread_number());
  if (cell >= grid.width * grid.height || (solid != nullptr && solid[cell] != 0)) return;
  arithmetic<S> g[velocities];
  read_cell<S>(at, grid, grid.at(cell % grid.width, cell / grid.width), g, given.unit);
  if (is_bad<S>(g, given)) atomicMin(lowest, static_cast<unsigned long long>(cell));
}

/// The bits of numbers that are not negative are in their order.
__device__ __forceinline__ unsigned long long ordered_bits(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value));
}

template <class S>
__global__ void __launch_bounds__(look_threads)
    find_change(const __grid_constant__ populations<S> at, const __grid_constant__ layout grid,
                const __grid_constant__ rates<arithmetic<S>> given, const std::uint8_t* solid,
                arithmetic<S>* before, unsigned long long* most) {
  const std::ptrdiff_t cell = static_cast<std::ptrdiff_t>(thread_number());
  double mine = 0;
  if (cell < grid.width * grid.height) {
    // What becomes fluid was at rest, whatever lies in a solid cell.
    moments<arithmetic<S>> of{0, 0, 0};
    if (solid == nullptr || solid[cell] == 0) {
      of = moments_at(at, grid, cell, given);
      mine = fmax(fabs(static_cast<double>(of.ux - before[2 * cell])),
                  fabs(static_cast<double>(of.uy - before[2 * cell + 1])));
    }
    before[2 * cell] = of.ux;
    before[2 * cell + 1] = of.uy;
  }
  mine = heddle::gpu::combine_lanes(mine, [](double a, double b) { return fmax(a, b); });
  if (threadIdx.x % 32 == 0 && mine > 0) atomicMax(most, ordered_bits(mine));
}

/// Momentum that each link of an obstacle takes from the fluid, the first `half_way` of them off such walls.
template <class S>
__global__ void __launch_bounds__(boundary_threads)
    forces_of_links(const __grid_constant__ populations<S> at, const link* links, std::size_t count,
                    std::size_t half_way, arithmetic<S> unit, double* x, double* y) {
  const std::size_t number = thread_number();
  if (number >= count) return;
  const force taken = momentum_taken(at, links[number], number < half_way, unit);
  x[number] = taken.x;
  y[number] = taken.y;
}

}  // namespace heddle::lbm::gpu
