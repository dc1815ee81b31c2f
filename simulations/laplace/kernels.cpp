// Compiled once for each instruction set, with HEDDLE_ISA naming it. Nothing here may leave a function behind
// that another file could call by the same name: everything is in the namespace of its instruction set, or
// inlined.
#include "laplace/kernels.hpp"

#include <heddle/support/matrix_stencil.hpp>

#include <algorithm>

namespace heddle::laplace {
inline namespace HEDDLE_ISA {
namespace {

/// The value of a point after Jacobi's sweep.
template <class T, bool Square>
struct formula {
  T across, down;
  inline __attribute__((always_inline)) T operator()(T left, T right, T above, T below) const {
    if constexpr (Square) return T(0.25) * ((left + right) + (above + below));
    return across * (left + right) + down * (above + below);
  }
};

/// Calls `run` with the formula of a grid: where the spacings are alike it has one product less, and the same
/// bits.
template <class T, class Run>
inline __attribute__((always_inline)) auto with_formula(const grid<T>& on, const Run& run) {
  if (on.is_square) return run(formula<T, true>{on.across, on.down});
  return run(formula<T, false>{on.across, on.down});
}

template <class T>
void jacobi(int threads, const grid<T>& on, const T* u, const T* g, T* v, std::size_t sweeps) {
  with_formula(on, [&](auto sweep) {
    if (g == nullptr) {
      const auto f = [sweep](const neighbours<T, 1>& x) __attribute__((always_inline)) {
        return sweep(x(0, -1), x(0, 1), x(-1, 0), x(1, 0));
      };
      cpu::matrix_stencil<1, 0>(threads, u, v, on.height, on.width, on.pitch, f, sweeps);
    } else {
      const auto f = [sweep, g, pitch = on.pitch](const neighbours<T, 1>& x, std::size_t row,
                                                  std::size_t column) __attribute__((always_inline)) {
        return sweep(x(0, -1), x(0, 1), x(-1, 0), x(1, 0)) -
               g[row * static_cast<std::size_t>(pitch) + column];
      };
      cpu::matrix_stencil<1, 2>(threads, u, v, on.height, on.width, on.pitch, f, sweeps);
    }
  });
}

/// A row with its even and its odd columns apart, so that the points of one colour are side by side.
template <class T>
struct parted_row {
  T *even, *odd;
};

template <class T>
inline void part(const T* __restrict from, std::ptrdiff_t columns, T* __restrict even, T* __restrict odd) {
  const std::ptrdiff_t pairs = columns / 2;
  for (std::ptrdiff_t i = 0; i < pairs; ++i) {
    even[i] = from[2 * i];
    odd[i] = from[2 * i + 1];
  }
  if (columns % 2 != 0) even[pairs] = from[columns - 1];
}

template <class T>
inline void join(const T* __restrict even, const T* __restrict odd, std::ptrdiff_t pairs, T* __restrict to) {
  for (std::ptrdiff_t i = 0; i < pairs; ++i) {
    to[2 * i] = even[i];
    to[2 * i + 1] = odd[i];
  }
}

/// Points of one colour of a row, `count` of them; their left and right neighbours have the other.
template <class T, class F>
inline void relax_colour(const F& f, const T* __restrict left, const T* __restrict right,
                         const T* __restrict above, const T* __restrict below, const T* __restrict g,
                         std::ptrdiff_t count, T* __restrict to) {
  if (g == nullptr) {
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = f(left[i], right[i], above[i], below[i]);
  } else {
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = f(left[i], right[i], above[i], below[i]) - g[i];
  }
}

/// Adds the correction to columns from … to−1 of row `row`; `line` has room for the coarse points beside
/// them.
template <class T>
inline void correct(const correction<T>& by, std::ptrdiff_t row, std::ptrdiff_t from, std::ptrdiff_t to,
                    T* __restrict line, T* __restrict values) {
  const int* const below = by.across.below;
  const T* const part_above = by.across.above;
  const std::ptrdiff_t coarse_row = by.down.below[row];
  const T up = by.down.above[row], rest = 1 - up;
  const std::ptrdiff_t first = below[from], last = below[to - 1] + 2;
  const T* const a = by.values + coarse_row * by.pitch;
  const T* const b = a + by.pitch;
  for (std::ptrdiff_t j = first; j < last; ++j) line[j - first] = rest * a[j] + up * b[j];
  for (std::ptrdiff_t i = from; i < to; ++i) {
    const std::ptrdiff_t j = below[i] - first;
    values[i - from] += (1 - part_above[i]) * line[j] + part_above[i] * line[j + 1];
  }
}

/// Rows come in one by one, and each half sweep is one row later than the half sweep before it, so that all
/// of them work in a few rows that stay in the cache. Rows and columns around the window are relaxed too, as
/// far as what is in it depends on them.
template <class T>
void relax(const grid<T>& on, const T* u, const correction<T>& from, const T* g, T* v, int sweeps,
           const window& in, T* room) {
  const int halves = 2 * sweeps;
  const std::ptrdiff_t first = std::max<std::ptrdiff_t>(in.first - halves, 0);
  const std::ptrdiff_t last = std::min(in.last + halves, on.height);
  // The first column is even, so that a column has the parity here that it has there.
  const std::ptrdiff_t left = std::max<std::ptrdiff_t>(in.left - halves, 0) / 2 * 2;
  const std::ptrdiff_t right = std::min(in.right + halves, on.width);
  const std::ptrdiff_t columns = right - left;
  const relax_layout at(columns, sweeps);
  const std::ptrdiff_t rows = at.rows, half_room = at.half;
  T* const line = room + at.line;
  T* const values = room + at.values;
  const auto parted = [&](T* rows_at, std::ptrdiff_t row) {
    T* const even = rows_at + (row % rows) * 2 * half_room;
    return parted_row<T>{even, even + half_room};
  };
  T* const sources = room + rows * 2 * half_room;
  with_formula(on, [&](auto sweep) {
    for (std::ptrdiff_t arriving = first; arriving < last + halves; ++arriving) {
      if (arriving < last) {
        const parted_row<T> row = parted(room, arriving);
        const bool is_edge = arriving == 0 || arriving == on.height - 1;
        const T* from_u = u == nullptr ? nullptr : u + arriving * on.pitch + left;
        if (from.values != nullptr && !is_edge) {
          for (std::ptrdiff_t c = 0; c < columns; ++c) values[c] = from_u == nullptr ? T(0) : from_u[c];
          const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(left, 1), end = std::min(right, on.width - 1);
          correct(from, arriving, begin, end, line, values + (begin - left));
          from_u = values;
        } else if (from_u == nullptr) {
          for (std::ptrdiff_t c = 0; c < columns; ++c) values[c] = 0;
          from_u = values;
        }
        part(from_u, columns, row.even, row.odd);
        if (g != nullptr) {
          const parted_row<T> source = parted(sources, arriving);
          part(g + arriving * on.pitch + left, columns, source.even, source.odd);
        }
      }
      for (int half = 1; half <= halves; ++half) {
        const std::ptrdiff_t r = arriving - half;
        if (r <= first || r >= last - 1) continue;
        const parted_row<T> row = parted(room, r), above = parted(room, r - 1), below = parted(room, r + 1);
        const parted_row<T> source = parted(sources, r);
        // Even rows have their red points, which come first, in even columns. The outermost columns stay.
        const bool evens = (r + half) % 2 != 0;
        if (evens) {
          const std::ptrdiff_t count = (columns - 2) / 2;  // columns 2, 4, … before the last
          relax_colour(sweep, row.odd, row.odd + 1, above.even + 1, below.even + 1,
                       g == nullptr ? nullptr : source.even + 1, count, row.even + 1);
        } else {
          const std::ptrdiff_t count = (columns - 1) / 2;  // columns 1, 3, … before the last
          relax_colour(sweep, row.even, row.even + 1, above.odd, below.odd,
                       g == nullptr ? nullptr : source.odd, count, row.odd);
        }
      }
      const std::ptrdiff_t done = arriving - halves;
      if (done >= in.first && done < in.last) {
        const parted_row<T> row = parted(room, done);
        T* const to = v + done * on.pitch;
        // Whole pairs; a column at either end may be a pair's second or first.
        const std::ptrdiff_t begin = (in.left + 1) / 2 * 2, end = in.right / 2 * 2;
        if (in.left % 2 != 0) to[in.left] = row.odd[(in.left - left) / 2];
        if (begin < end) {
          join(row.even + (begin - left) / 2, row.odd + (begin - left) / 2, (end - begin) / 2, to + begin);
        }
        if (in.right % 2 != 0 && in.right - 1 >= begin)
          to[in.right - 1] = row.even[(in.right - 1 - left) / 2];
      }
    }
  });
}

template <class T, class F>
inline void residual_of_row(const F& f, const grid<T>& on, const T* __restrict u, const T* __restrict g,
                            std::ptrdiff_t row, T* __restrict to) {
  const T* const centre = u + row * on.pitch;
  const T* const above = centre - on.pitch;
  const T* const below = centre + on.pitch;
  const T* const source = g == nullptr ? nullptr : g + row * on.pitch;
  if (source == nullptr) {
    for (std::ptrdiff_t c = 1; c < on.width - 1; ++c) {
      to[c] = f(centre[c - 1], centre[c + 1], above[c], below[c]) - centre[c];
    }
  } else {
    for (std::ptrdiff_t c = 1; c < on.width - 1; ++c) {
      to[c] = (f(centre[c - 1], centre[c + 1], above[c], below[c]) - source[c]) - centre[c];
    }
  }
}

template <class T>
inline T magnitude(T x) {
  return x < 0 ? -x : x;
}

template <class T>
inline T larger(const T* __restrict x, std::ptrdiff_t first, std::ptrdiff_t last, T most) {
  T lanes[64 / sizeof(T)];
  constexpr std::ptrdiff_t width = 64 / sizeof(T);
  for (std::ptrdiff_t lane = 0; lane < width; ++lane) lanes[lane] = most;
  std::ptrdiff_t i = first;
  for (; i + width <= last; i += width) {
    for (std::ptrdiff_t lane = 0; lane < width; ++lane) {
      const T now = magnitude(x[i + lane]);
      lanes[lane] = lanes[lane] < now ? now : lanes[lane];
    }
  }
  for (std::ptrdiff_t lane = 0; lane < width; ++lane) most = most < lanes[lane] ? lanes[lane] : most;
  for (; i < last; ++i) most = most < magnitude(x[i]) ? magnitude(x[i]) : most;
  return most;
}

template <class T>
T restrict_residual(const grid<T>& fine, const T* u, const T* g, const grid<T>& coarse, T* coarse_g,
                    const transfer_view<T>& across, const transfer_view<T>& down, std::ptrdiff_t first,
                    std::ptrdiff_t last, T* room) {
  T* const residual = room;
  constexpr std::ptrdiff_t kept = restricted_rows;
  T* const lines = room + fine.width + behind_residuals;
  for (std::ptrdiff_t c = 0; c < fine.width + behind_residuals; ++c) residual[c] = 0;
  const T scale = static_cast<T>(-coarse.source_scale / fine.source_scale);
  const int* const from = across.first;
  const T* const weights = across.weights;
  T most = 0;
  std::ptrdiff_t next = down.first[first];
  with_formula(fine, [&](auto sweep) {
    for (std::ptrdiff_t j = first; j < last; ++j) {
      const std::ptrdiff_t begin = down.first[j];
      const std::ptrdiff_t count = down.count[j];
      for (; next < begin + count; ++next) {
        if (u != nullptr) {
          residual_of_row(sweep, fine, u, g, next, residual);
        } else {
          for (std::ptrdiff_t c = 1; c < fine.width - 1; ++c) residual[c] = -g[next * fine.pitch + c];
        }
        most = larger(residual, 1, fine.width - 1, most);
        T* const line = lines + (next % kept) * coarse.width;
        for (std::ptrdiff_t k = 1; k < coarse.width - 1; ++k) {
          const T* const x = residual + from[k];
          const T* const w = weights + k * most_fine_points;
          line[k] = ((w[0] * x[0] + w[1] * x[1]) + w[2] * x[2]) + w[3] * x[3];
        }
      }
      T* const to = coarse_g + j * coarse.pitch;
      const T* const w = down.weights + j * most_fine_points;
      const T* const a = lines + (begin % kept) * coarse.width;
      const T* const b = lines + ((begin + 1) % kept) * coarse.width;
      const T* const c = lines + ((begin + 2) % kept) * coarse.width;
      const T* const d = lines + ((begin + 3) % kept) * coarse.width;
      for (std::ptrdiff_t k = 1; k < coarse.width - 1; ++k) {
        T sum = w[0] * a[k];
        if (count > 1) sum = sum + w[1] * b[k];
        if (count > 2) sum = sum + w[2] * c[k];
        if (count > 3) sum = sum + w[3] * d[k];
        to[k] = scale * sum;
      }
    }
  });
  return most;
}

template <class T>
T largest_residual(const grid<T>& on, const T* u, const T* g, std::ptrdiff_t first, std::ptrdiff_t last) {
  constexpr std::ptrdiff_t piece = 512;
  T residual[piece];
  T most = 0;
  with_formula(on, [&](auto sweep) {
    for (std::ptrdiff_t row = first; row < last; ++row) {
      for (std::ptrdiff_t left = 0; left + 2 < on.width; left += piece - 2) {
        // A piece as a narrow grid of its own.
        grid<T> part = on;
        part.width = std::min(on.width - left, piece);
        residual_of_row(sweep, part, u + left, g == nullptr ? nullptr : g + left, row, residual);
        most = larger(residual, 1, part.width - 1, most);
      }
    }
  });
  return most;
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_KERNELS(isa) HEDDLE_JOIN(isa, _kernels)

template <class T>
cpu_kernels<T> HEDDLE_KERNELS(HEDDLE_ISA)() {
  return {jacobi<T>, relax<T>, restrict_residual<T>, largest_residual<T>};
}
template cpu_kernels<float> HEDDLE_KERNELS(HEDDLE_ISA)<float>();
template cpu_kernels<double> HEDDLE_KERNELS(HEDDLE_ISA)<double>();

}  // namespace heddle::laplace
