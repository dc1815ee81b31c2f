// Compiled once for each instruction set, with HEDDLE_ISA naming it. Everything but the last function is in
// the namespace of its instruction set. Nothing of the standard library leaves a function behind: memory
// comes from the caller.
#include "lattice_boltzmann/dye_kernels.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define HEDDLE_INLINE inline __attribute__((always_inline))

/// Before a loop that writes nothing that it reads.
#if defined(__clang__)
#define HEDDLE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEDDLE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace heddle::lbm {
inline namespace HEDDLE_ISA {
namespace {

/// While it lives, numbers too small for full precision are 0. The front of dye is full of them, and
/// processors take a hundred cycles for each.
class without_small_numbers {
 public:
#if defined(__SSE2__)
  without_small_numbers() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~without_small_numbers() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#endif
};

/// A quantity of a row and of the rows beside it.
struct three_rows {
  const float* below;
  const float* here;
  const float* above;
};

/// The weights of a cell and of those before and behind it along an axis, of a place up to a cell away.
struct weights {
  float before, here, behind;
};
HEDDLE_INLINE weights weights_at(float away) {
  const float above = away > -1.0f ? away : -1.0f;  // −1 where it is no number
  const float within = above < 1.0f ? above : 1.0f;
  const float before = within < 0.0f ? -within : 0.0f, behind = within > 0.0f ? within : 0.0f;
  return {before, 1.0f - before - behind, behind};
}

/// A place near a cell.
struct place {
  weights across, up;
};

HEDDLE_INLINE float mean_along(const float* row, const weights& of) {
  return of.before * row[-1] + of.here * row[0] + of.behind * row[1];
}
HEDDLE_INLINE float mean_at(const three_rows& of, std::ptrdiff_t x, const place& at) {
  return at.up.before * mean_along(of.below + x, at.across) +
         at.up.here * mean_along(of.here + x, at.across) + at.up.behind * mean_along(of.above + x, at.across);
}

/// The rows that the traces of a row read.
struct rows_around {
  three_rows u, v, fluid, values;

  /// Where the flow brings the middle of cell x to in so many steps, by the velocity half-way.
  HEDDLE_INLINE place traced(std::ptrdiff_t x, float steps) const {
    const float half = 0.5f * steps;
    const place middle{weights_at(half * u.here[x]), weights_at(half * v.here[x])};
    return {weights_at(steps * mean_at(u, x, middle)), weights_at(steps * mean_at(v, x, middle))};
  }

  /// The mean over fluid cells, because `values` are 0 in solid ones.
  template <bool HasSolid>
  HEDDLE_INLINE float value_at(std::ptrdiff_t x, const place& at) const {
    const float sum = mean_at(values, x, at);
    if constexpr (HasSolid) {
      const float of_fluid = mean_at(fluid, x, at);
      return of_fluid > 0.0f ? sum / of_fluid : 0.0f;
    }
    return sum;
  }

  template <bool HasSolid>
  HEDDLE_INLINE void bounds_at(std::ptrdiff_t x, const place& at, float& least, float& most) const {
    const float* const value_rows[] = {values.below + x, values.here + x, values.above + x};
    const float* const fluid_rows[] = {fluid.below + x, fluid.here + x, fluid.above + x};
    const float up[] = {at.up.before, at.up.here, at.up.behind};
    const float across[] = {at.across.before, at.across.here, at.across.behind};
    constexpr float none = 4;              // dye is 0 to 1
    constexpr float least_weight = 1e-5f;  // a velocity that rounding has left brings in no cell
    float low = none, high = -none;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        const float weight = up[j] * across[i] * (HasSolid ? fluid_rows[j][i - 1] : 1.0f);
        const float value = value_rows[j][i - 1];
        const float aside =
            weight > least_weight ? 0.0f : none;  // added, because compilers make a jump of a choice
        const float if_low = value + aside, if_high = value - aside;
        low = if_low < low ? if_low : low;
        high = if_high > high ? if_high : high;
      }
    }
    least = low;
    most = high;
  }
};

/// The row y, or the one that stands for it beyond an edge.
std::ptrdiff_t row_at(const dye_rows& dye, std::ptrdiff_t y) {
  const std::ptrdiff_t n = dye.height;
  if (dye.periodic_y) return (y + n) % n;
  return y < 0 ? 0 : y < n ? y : n - 1;
}

three_rows rows_at(const dye_rows& dye, const float* of, std::ptrdiff_t y) {
  return {of + dye.place(row_at(dye, y - 1)), of + dye.place(y), of + dye.place(row_at(dye, y + 1))};
}

rows_around around(const dye_rows& dye, const float* values, std::ptrdiff_t y) {
  return {rows_at(dye, dye.u, y), rows_at(dye, dye.v, y), rows_at(dye, dye.fluid, y),
          rows_at(dye, values, y)};
}

bool has_solid_around(const dye_rows& dye, std::ptrdiff_t y) {
  return (dye.has_solid[row_at(dye, y - 1)] | dye.has_solid[y] | dye.has_solid[row_at(dye, y + 1)]) != 0;
}

/// The cells beside both ends of a row.
void pad(const dye_rows& dye, float* row) {
  row[-1] = row[dye.periodic_x ? dye.width - 1 : 0];
  row[dye.width] = row[dye.periodic_x ? 0 : dye.width - 1];
}

void begin(const dye_rows& dye, const float* velocity, const std::uint8_t* solid, const float* now,
           std::ptrdiff_t first, std::ptrdiff_t last) {
  for (std::ptrdiff_t y = first; y < last; ++y) {
    float* const __restrict u = dye.u + dye.place(y);
    float* const __restrict v = dye.v + dye.place(y);
    float* const __restrict fluid = dye.fluid + dye.place(y);
    float* const __restrict values = dye.now + dye.place(y);
    const std::ptrdiff_t row = y * dye.width;
    std::uint8_t seen = 0;
    for (std::ptrdiff_t x = 0; x < dye.width; ++x) {
      u[x] = velocity[2 * (row + x)];
      v[x] = velocity[2 * (row + x) + 1];
      values[x] = now[row + x];
    }
    if (solid != nullptr)
      for (std::ptrdiff_t x = 0; x < dye.width; ++x) seen |= solid[row + x];
    for (std::ptrdiff_t x = 0; x < dye.width; ++x) fluid[x] = 1;
    for (std::ptrdiff_t x = 0; x < dye.width && seen != 0; ++x)
      if (solid[row + x] != 0) fluid[x] = u[x] = v[x] = values[x] = 0;
    dye.has_solid[y] = seen;
    pad(dye, u);
    pad(dye, v);
    pad(dye, fluid);
    pad(dye, values);
  }
}

template <bool HasSolid>
void carry_row(const rows_around from, std::ptrdiff_t width, float steps, float* __restrict carried,
               float* __restrict least, float* __restrict most) {
  HEDDLE_INDEPENDENT
  for (std::ptrdiff_t x = 0; x < width; ++x) {
    const place source = from.traced(x, -steps);
    carried[x] = from.value_at<HasSolid>(x, source);
    float low, high;
    from.bounds_at<HasSolid>(x, source, low, high);
    least[x] = low;
    most[x] = high;
    if constexpr (HasSolid) carried[x] *= from.fluid.here[x];
  }
}

template <bool HasSolid>
void correct_row(const rows_around from, std::ptrdiff_t width, float steps, const float* __restrict now,
                 const float* __restrict least, const float* __restrict most, float* __restrict next) {
  HEDDLE_INDEPENDENT
  for (std::ptrdiff_t x = 0; x < width; ++x) {
    const float here = from.values.here[x];
    const float value = here + 0.5f * (now[x] - from.value_at<HasSolid>(x, from.traced(x, steps)));
    const float low = least[x] < here ? least[x] : here, high = most[x] > here ? most[x] : here;
    const float above = value < low ? low : value;
    next[x] = above > high ? high : above;
    if constexpr (HasSolid) next[x] *= from.fluid.here[x];
  }
}

void carry(const dye_rows& dye, std::ptrdiff_t first, std::ptrdiff_t last) {
  const without_small_numbers fast;
  for (std::ptrdiff_t y = first; y < last; ++y) {
    const std::ptrdiff_t row = dye.place(y);
    (has_solid_around(dye, y) ? carry_row<true> : carry_row<false>)(around(dye, dye.now, y), dye.width,
                                                                    dye.steps, dye.carried + row,
                                                                    dye.least + row, dye.most + row);
    pad(dye, dye.carried + row);
  }
}

void correct(const dye_rows& dye, std::ptrdiff_t first, std::ptrdiff_t last) {
  const without_small_numbers fast;
  for (std::ptrdiff_t y = first; y < last; ++y) {
    const std::ptrdiff_t row = dye.place(y);
    float* const next = dye.next + row;
    (has_solid_around(dye, y) ? correct_row<true>
                              : correct_row<false>)(around(dye, dye.carried, y), dye.width, dye.steps,
                                                    dye.now + row, dye.least + row, dye.most + row, next);
    if (dye.sources != nullptr) {
      const std::uint8_t* const sources = dye.sources + y * dye.width;
      const float* const fluid = dye.fluid + row;
      for (std::ptrdiff_t x = 0; x < dye.width; ++x) next[x] = sources[x] != 0 ? fluid[x] : next[x];
    }
    pad(dye, next);
  }
}

float fastest(const float* velocity, std::size_t count) {
  // Bits without the sign have the order of absolute values, and those of NaN are the largest.
  std::int32_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(velocity[i]) & 0x7fffffff;
    most = bits > most ? bits : most;
  }
  const auto speed = std::bit_cast<float>(most);
  return speed < std::numeric_limits<float>::infinity() ? speed : std::numeric_limits<float>::infinity();
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_KERNELS(isa) HEDDLE_JOIN(isa, _dye_kernels)

dye_kernels HEDDLE_KERNELS(HEDDLE_ISA)() {
  return {begin, carry, correct, fastest};
}

}  // namespace heddle::lbm
