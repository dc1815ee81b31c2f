#pragma once

#include "laplace/grid.hpp"
#include <heddle/support/warp.cuh>

#include <cstddef>
#include <cstring>
#include <type_traits>

/// Kernels of the methods. Every one gives the CPU's bits.
namespace heddle::laplace::gpu {

/// What Jacobi's sweep makes of a point, in the order of the CPU's.
template <class T, bool Square>
struct formula {
  T across, down;
  __device__ __forceinline__ T operator()(T left, T right, T above, T below) const {
    if constexpr (Square) return T(0.25) * ((left + right) + (above + below));
    return across * (left + right) + down * (above + below);
  }
};

// ---------------------------------------------------------------------------------------------------- Jacobi

/// Elements of a row that a lane holds: 16 bytes of it.
template <class T>
inline constexpr int lane_elements = 16 / sizeof(T);

template <class T>
struct alignas(16) piece {
  T at[lane_elements<T>];
};

/// Lanes of a warp on either side whose elements only serve those further in.
template <class T, int Sweeps>
inline constexpr int halo_lanes = (Sweeps + lane_elements<T> - 1) / lane_elements<T>;
/// Columns that a warp delivers.
template <class T, int Sweeps>
inline constexpr int panel_columns = (32 - 2 * halo_lanes<T, Sweeps>)*lane_elements<T>;

/// Rows that are asked for before they are needed, to fill the memory's pipeline.
inline constexpr int rows_ahead = 4;
inline constexpr unsigned jacobi_threads = 128;
/// Blocks that a multiprocessor has registers for, at least: warps hide each other's waiting, and so do the
/// independent rows of a warp that has registers for them.
template <class T, int Sweeps>
inline constexpr unsigned jacobi_resident = Sweeps * sizeof(T) > 16 ? 3 : 4;

/// A panel of the grid on its way down through a warp: sweep k holds its rows y − k and y − k − 1 in
/// registers when row y arrives; the neighbours to the left and the right come by shuffles. Which of the two
/// registers holds the upper row alternates, so that rows need not be moved.
template <class T, int Sweeps, bool Square, bool HasSource, bool AtEdge>
struct panel {
  static constexpr int elements = lane_elements<T>;

  formula<T, Square> sweep;
  const T* g;  // at the lane's column of row 0
  std::ptrdiff_t pitch, height, first_column, width, lowest, highest;
  T rows[Sweeps][2][elements];

  /// Row y has arrived as `now`, which is row y − Sweeps after all sweeps when it returns.
  /// `CrossesEnds` where one of the rows may be the first or the last of the grid, which stay.
  template <int Turn, bool CrossesEnds>
  __device__ __forceinline__ void advance(std::ptrdiff_t y, T (&now)[elements]) {
#pragma unroll
    for (int k = 0; k < Sweeps; ++k) {
      T(&upper)[elements] = rows[k][(Turn + k) % 2];
      T(&middle)[elements] = rows[k][(Turn + k + 1) % 2];
      const std::ptrdiff_t row = y - k - 1;
      const T from_left = __shfl_up_sync(0xffffffffu, middle[elements - 1], 1);
      const T from_right = __shfl_down_sync(0xffffffffu, middle[0], 1);
      T next[elements];
      piece<T> source;
      if constexpr (HasSource) {
        // Rows beyond those in memory are never used.
        const std::ptrdiff_t there = row < lowest ? lowest : row < highest ? row : highest;
        source = *reinterpret_cast<const piece<T>*>(g + there * pitch);
      }
#pragma unroll
      for (int i = 0; i < elements; ++i) {
        const T left = i == 0 ? from_left : middle[i - 1];
        const T right = i == elements - 1 ? from_right : middle[i + 1];
        next[i] = sweep(left, right, upper[i], now[i]);
        if constexpr (HasSource) next[i] = next[i] - source.at[i];
        if constexpr (AtEdge) {
          const std::ptrdiff_t column = first_column + i;
          if (column <= 0 || column >= width - 1) next[i] = middle[i];
        }
      }
      // All lanes are in one row.
      if (CrossesEnds && (row <= 0 || row >= height - 1)) {
#pragma unroll
        for (int i = 0; i < elements; ++i) next[i] = middle[i];
      }
#pragma unroll
      for (int i = 0; i < elements; ++i) {
        upper[i] = now[i];  // the newest row takes the place of the oldest
        now[i] = next[i];
      }
    }
  }
};

/// Where a warp works.
struct jacobi_shape {
  std::ptrdiff_t width, height, pitch;
  unsigned panels, chunks;
  std::ptrdiff_t rows_a_chunk;
  std::ptrdiff_t first = 0, last = height;          // the rows to find
  std::ptrdiff_t lowest = 0, highest = height - 1;  // the rows in memory
};

template <class T, int Sweeps, bool Square, bool HasSource, bool AtEdge>
__device__ void sweep_panel(const jacobi_shape& on, formula<T, Square> sweep, const T* __restrict__ u,
                            const T* __restrict__ g, T* __restrict__ v, unsigned panel_number,
                            unsigned chunk) {
  constexpr int elements = lane_elements<T>;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(panel_number) * panel_columns<T, Sweeps> +
                                (lane - halo_lanes<T, Sweeps>)*elements;
  // Columns beyond the memory of a row are those of another lane, and never used.
  const std::ptrdiff_t readable = column < 0                     ? 0
                                  : column > on.pitch - elements ? on.pitch - elements
                                                                 : column;
  const bool delivers =
      lane >= halo_lanes<T, Sweeps> && lane < 32 - halo_lanes<T, Sweeps> && column < on.width;
  const std::ptrdiff_t first = on.first + static_cast<std::ptrdiff_t>(chunk) * on.rows_a_chunk;
  const std::ptrdiff_t last = first + on.rows_a_chunk < on.last ? first + on.rows_a_chunk : on.last;
  if (first >= last) return;
  const std::ptrdiff_t begin = first - Sweeps > 0 ? first - Sweeps : 0;
  const std::ptrdiff_t end = last + Sweeps;  // of the rows that arrive, with those beyond the grid

  panel<T, Sweeps, Square, HasSource, AtEdge> state{
      sweep, HasSource ? g + readable : nullptr, on.pitch, on.height, column, on.width, on.lowest, on.highest,
      {}};
  const T* const from = u + readable;
  const auto load = [&](std::ptrdiff_t row) {
    const std::ptrdiff_t there = row < on.highest ? row : on.highest;
    return *reinterpret_cast<const piece<T>*>(from + there * on.pitch);
  };
  piece<T> ahead[rows_ahead];
#pragma unroll
  for (int i = 0; i < rows_ahead; ++i) ahead[i] = load(begin + i);
  static_assert(rows_ahead % 2 == 0);
  const auto take_rows = [&](std::ptrdiff_t y, auto crosses_ends) {
    constexpr bool crosses = decltype(crosses_ends)::value;
#pragma unroll
    for (int i = 0; i < rows_ahead; ++i) {
      piece<T> now = ahead[i];
      ahead[i] = load(y + i + rows_ahead);
      if (i % 2 == 0) {
        state.template advance<0, crosses>(y + i, now.at);
      } else {
        state.template advance<1, crosses>(y + i, now.at);
      }
      const std::ptrdiff_t row = y + i - Sweeps;
      if (delivers && row >= first && row < last) {
        *reinterpret_cast<piece<T>*>(v + row * on.pitch + column) = now;
      }
    }
  };
  for (std::ptrdiff_t y = begin; y < end; y += rows_ahead) {
    if (y > Sweeps && y + rows_ahead < on.height) {
      take_rows(y, std::false_type());
    } else {
      take_rows(y, std::true_type());
    }
  }
}

/// Several of Jacobi's sweeps in one reading of the memory: a warp goes with a panel of columns down a chunk
/// of rows. What lies outside what it delivers is computed twice; no warp waits for another.
template <class T, int Sweeps, bool Square, bool HasSource>
__global__ void __launch_bounds__(jacobi_threads, jacobi_resident<T, Sweeps>)
    jacobi_sweeps(const __grid_constant__ jacobi_shape on, formula<T, Square> sweep, const T* __restrict__ u,
                  const T* __restrict__ g, T* __restrict__ v) {
  const unsigned warp = blockIdx.x * (jacobi_threads / 32) + threadIdx.x / 32;
  if (warp >= on.panels * on.chunks) return;
  const unsigned panel_number = warp % on.panels, chunk = warp / on.panels;
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(panel_number) * panel_columns<T, Sweeps>;
  const std::ptrdiff_t halo = halo_lanes<T, Sweeps> * lane_elements<T>;
  // The whole warp is within the inner columns, or not.
  const bool at_edge = left - halo <= 0 || left + panel_columns<T, Sweeps> + halo >= on.width - 1;
  if (at_edge) {
    sweep_panel<T, Sweeps, Square, HasSource, true>(on, sweep, u, g, v, panel_number, chunk);
  } else {
    sweep_panel<T, Sweeps, Square, HasSource, false>(on, sweep, u, g, v, panel_number, chunk);
  }
}

// ------------------------------------------------------------------------------------------------- red-black

inline constexpr int relax_width = 64, relax_height = 32;  // of what a block delivers
inline constexpr unsigned relax_threads = 256;

template <class T>
struct placed_correction {
  const T* values;
  std::ptrdiff_t pitch;
  transfer_view<T> across, down;
};

/// Red-black sweeps in shared memory, of a tile and of what it depends on around it. Without u or
/// correction there are zeros.
template <class T, int Sweeps, bool Square, bool HasSource>
__global__ void __launch_bounds__(relax_threads)
    relax_tiles(const __grid_constant__ grid<T> on, formula<T, Square> sweep, const T* __restrict__ u,
                const __grid_constant__ placed_correction<T> from, const T* __restrict__ g, T* __restrict__ v,
                unsigned tiles_across, row_range wanted) {
  constexpr int halo = 2 * Sweeps, columns = relax_width + 2 * halo, rows = relax_height + 2 * halo;
  __shared__ T tile[rows][columns];
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(blockIdx.x % tiles_across) * relax_width - halo;
  const std::ptrdiff_t top =
      static_cast<std::ptrdiff_t>(blockIdx.x / tiles_across) * relax_height - halo + wanted.first;
  // Others may not be in memory.
  const std::ptrdiff_t lowest = wanted.first > halo ? wanted.first - halo : 0;
  const std::ptrdiff_t highest = wanted.last + halo < on.height ? wanted.last + halo : on.height;
  const auto fill_with = [&](const auto& value_at) {
    for (int i = static_cast<int>(threadIdx.x); i < rows * columns; i += relax_threads) {
      const int r = i / columns, c = i % columns;
      const std::ptrdiff_t row = top + r, column = left + c;
      const bool exists = row >= lowest && row < highest && column >= 0 && column < on.width;
      tile[r][c] = exists ? value_at(row, column) : T(0);
    }
  };
  const auto before = [&](std::ptrdiff_t row, std::ptrdiff_t column) {
    return u != nullptr ? u[row * on.pitch + column] : T(0);
  };
  if (from.values == nullptr) {
    fill_with(before);
  } else {
    fill_with([&](std::ptrdiff_t row, std::ptrdiff_t column) {
      const T value = before(row, column);
      if (row == 0 || row == on.height - 1 || column == 0 || column == on.width - 1) return value;
      const std::ptrdiff_t j = from.across.below[column];
      const T* const a = from.values + from.down.below[row] * from.pitch + j;
      const T* const b = a + from.pitch;
      const T up = from.down.above[row], rest = 1 - up, right = from.across.above[column];
      const T here = rest * a[0] + up * b[0], next = rest * a[1] + up * b[1];
      return value + ((1 - right) * here + right * next);
    });
  }
  __syncthreads();
#pragma unroll 1
  for (int half = 1; half <= 2 * Sweeps; ++half) {
    // Points of one colour: every second column of a row. Those around the tile serve fewer with each half.
    constexpr int pairs = columns / 2;
    for (int i = static_cast<int>(threadIdx.x); i < rows * pairs; i += relax_threads) {
      const int r = i / pairs;
      const std::ptrdiff_t row = top + r;
      const int c = 2 * (i % pairs) + static_cast<int>((row + left + half + 1) & 1);
      const std::ptrdiff_t column = left + c;
      const bool is_inner = row > 0 && row < on.height - 1 && row >= lowest && row < highest && column > 0 &&
                            column < on.width - 1;
      if (is_inner && r >= half && r < rows - half && c >= half && c < columns - half) {
        T value = sweep(tile[r][c - 1], tile[r][c + 1], tile[r - 1][c], tile[r + 1][c]);
        if constexpr (HasSource) value = value - g[row * on.pitch + column];
        tile[r][c] = value;
      }
    }
    __syncthreads();
  }
  for (int i = static_cast<int>(threadIdx.x); i < relax_width * relax_height; i += relax_threads) {
    const int r = i / relax_width + halo, c = i % relax_width + halo;
    const std::ptrdiff_t row = top + r, column = left + c;
    if (row > 0 && row < on.height - 1 && row < wanted.last && column > 0 && column < on.width - 1) {
      v[row * on.pitch + column] = tile[r][c];
    }
  }
}

// ---------------------------------------------------------------------------------------------------
// residual

/// A number that is not negative, as an integer of the same order.
template <class T>
using ordered_bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

template <class T>
__device__ inline T larger_of(T a, T b) {
  return a < b ? b : a;
}

/// The largest of a block's numbers, none of them negative, goes to *most.
template <class T>
__device__ inline void keep_largest(T mine, ordered_bits<T>* most) {
  mine = heddle::gpu::combine_lanes(mine, [](T a, T b) { return larger_of(a, b); });
  if (threadIdx.x % 32 == 0 && mine > 0) {
    ordered_bits<T> bits;
    memcpy(&bits, &mine, sizeof bits);
    atomicMax(most, bits);
  }
}

template <class T, bool Square>
__device__ inline T residual_at(const grid<T>& on, const formula<T, Square>& sweep, const T* __restrict__ u,
                                const T* __restrict__ g, std::ptrdiff_t row, std::ptrdiff_t column) {
  const std::ptrdiff_t at = row * on.pitch + column;
  if (u == nullptr) return -g[at];
  const T swept = sweep(u[at - 1], u[at + 1], u[at - on.pitch], u[at + on.pitch]);
  return (g == nullptr ? swept : swept - g[at]) - u[at];
}

inline constexpr int coarse_tile_width = 32, coarse_tile_height = 8;
inline constexpr unsigned restrict_threads = 256;
/// Fine points that a tile of coarse ones takes: two for each, and those around them.
template <int CoarsePoints>
inline constexpr int fine_points_of = 2 * CoarsePoints + 3;
static_assert(fine_points_of<coarse_tile_width> >= 2 * (coarse_tile_width - 1) + most_fine_points);

/// The residual of the fine points that a tile of coarse ones takes, in shared memory; then across, then
/// down.
template <class T, bool Square>
__global__ void __launch_bounds__(restrict_threads)
    restrict_tiles(const __grid_constant__ grid<T> fine, formula<T, Square> sweep, const T* __restrict__ u,
                   const T* __restrict__ g, const __grid_constant__ grid<T> coarse, T* __restrict__ coarse_g,
                   const __grid_constant__ transfer_view<T> across,
                   const __grid_constant__ transfer_view<T> down, T scale, unsigned tiles_across,
                   row_range wanted, ordered_bits<T>* most) {
  constexpr int rows = fine_points_of<coarse_tile_height>, columns = fine_points_of<coarse_tile_width>;
  __shared__ T residual[rows][columns + most_fine_points];
  __shared__ T lines[rows][coarse_tile_width];
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(blockIdx.x % tiles_across) * coarse_tile_width + 1;
  const std::ptrdiff_t top =
      static_cast<std::ptrdiff_t>(blockIdx.x / tiles_across) * coarse_tile_height + wanted.first;
  const std::ptrdiff_t right = min(left + coarse_tile_width, coarse.width - 1);
  const std::ptrdiff_t bottom = min(top + coarse_tile_height, wanted.last);
  const std::ptrdiff_t first_column = across.first[left], first_row = down.first[top];
  const int fine_columns = static_cast<int>(across.first[right - 1] + across.count[right - 1] - first_column);
  const int fine_rows = static_cast<int>(down.first[bottom - 1] + down.count[bottom - 1] - first_row);
  T mine = 0;
  for (int i = static_cast<int>(threadIdx.x); i < rows * (columns + most_fine_points);
       i += restrict_threads) {
    const int r = i / (columns + most_fine_points), c = i % (columns + most_fine_points);
    T value = 0;
    if (r < fine_rows && c < fine_columns) {
      value = residual_at(fine, sweep, u, g, first_row + r, first_column + c);
      mine = larger_of(mine, value < 0 ? -value : value);
    }
    residual[r][c] = value;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < rows * coarse_tile_width; i += restrict_threads) {
    const int r = i / coarse_tile_width, k = i % coarse_tile_width;
    if (r < fine_rows && left + k < right) {
      const T* const x = &residual[r][across.first[left + k] - first_column];
      const T* const w = across.weights + (left + k) * most_fine_points;
      lines[r][k] = ((w[0] * x[0] + w[1] * x[1]) + w[2] * x[2]) + w[3] * x[3];
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < coarse_tile_height * coarse_tile_width;
       i += restrict_threads) {
    const std::ptrdiff_t j = top + i / coarse_tile_width;
    const int k = i % coarse_tile_width;
    if (j < bottom && left + k < right) {
      const int begin = static_cast<int>(down.first[j] - first_row), count = down.count[j];
      const T* const w = down.weights + j * most_fine_points;
      T sum = w[0] * lines[begin][k];
      for (int q = 1; q < count; ++q) sum = sum + w[q] * lines[begin + q][k];
      coarse_g[j * coarse.pitch + left + k] = scale * sum;
    }
  }
  if (most != nullptr) keep_largest(mine, most);
}

inline constexpr unsigned residual_threads = 256;

template <class T, bool Square>
__global__ void __launch_bounds__(residual_threads)
    residual_of_rows(const __grid_constant__ grid<T> on, formula<T, Square> sweep, const T* __restrict__ u,
                     const T* __restrict__ g, row_range wanted, ordered_bits<T>* most) {
  T mine = 0;
  const std::ptrdiff_t pieces = (on.width - 2 + residual_threads - 1) / residual_threads;
  for (std::ptrdiff_t number = blockIdx.x; number < pieces * (wanted.last - wanted.first);
       number += gridDim.x) {
    const std::ptrdiff_t row = number / pieces + wanted.first;
    const std::ptrdiff_t column = number % pieces * residual_threads + threadIdx.x + 1;
    if (column >= on.width - 1) continue;
    const T value = residual_at(on, sweep, u, g, row, column);
    mine = larger_of(mine, value < 0 ? -value : value);
  }
  keep_largest(mine, most);
}

}  // namespace heddle::laplace::gpu
