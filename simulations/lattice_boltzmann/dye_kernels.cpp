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

constexpr std::ptrdiff_t quantities = 4;
static_assert(3 * quantities == dye_rows::rows_of_room);

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

/// What the traces of a row read.
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

/// Three rows around the one that is worked on, which moves upwards. Each has the cells beside both of its
/// ends.
class moving_rows {
 public:
  /// `of` are the values.
  moving_rows(const dye_rows& dye, const float* of, std::ptrdiff_t first, float* room) : dye_(dye), of_(of) {
    for (std::ptrdiff_t i = 0; i < 3; ++i) {
      float* at = room + i * quantities * (dye.width + 2) + 1;
      float** const all[quantities] = {&rows_[i].u, &rows_[i].v, &rows_[i].fluid, &rows_[i].values};
      for (float** const one : all) {
        *one = at;
        at += dye.width + 2;
      }
      read(first - 1 + i, rows_[i]);
    }
  }

  void move_to_after(std::ptrdiff_t y) {
    const row lowest = rows_[0];
    rows_[0] = rows_[1];
    rows_[1] = rows_[2];
    rows_[2] = lowest;
    read(y + 2, rows_[2]);
  }

  bool has_solid() const { return rows_[0].has_solid || rows_[1].has_solid || rows_[2].has_solid; }

  rows_around all() const {
    const auto of = [&](float* row::* which) {
      return three_rows{rows_[0].*which, rows_[1].*which, rows_[2].*which};
    };
    return {of(&row::u), of(&row::v), of(&row::fluid), of(&row::values)};
  }

 private:
  struct row {
    float *u, *v, *fluid, *values;
    bool has_solid;
  };

  void pad(float* of) const {
    const std::ptrdiff_t width = dye_.width;
    of[-1] = of[dye_.periodic_x ? width - 1 : 0];
    of[width] = of[dye_.periodic_x ? 0 : width - 1];
  }

  /// The row y, or the one that stands for it beyond an edge.
  void read(std::ptrdiff_t y, row& to) const {
    const std::ptrdiff_t height = dye_.height, width = dye_.width;
    y = dye_.periodic_y ? (y + height) % height : y < 0 ? 0 : y < height ? y : height - 1;
    const float* const velocity = dye_.velocity + 2 * y * width;
    const float* const from = of_ + y * width;
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      to.u[x] = velocity[2 * x];
      to.v[x] = velocity[2 * x + 1];
      to.values[x] = from[x];
    }
    to.has_solid = false;
    if (dye_.solid != nullptr) {
      const std::uint8_t* const solid = dye_.solid + y * width;
      std::uint8_t seen = 0;
      for (std::ptrdiff_t x = 0; x < width; ++x) seen |= solid[x];
      to.has_solid = seen != 0;
      for (std::ptrdiff_t x = 0; x < width; ++x) to.fluid[x] = solid[x] != 0 ? 0.0f : 1.0f;
      for (std::ptrdiff_t x = 0; x < width && to.has_solid; ++x)
        if (solid[x] != 0) to.u[x] = to.v[x] = to.values[x] = 0;
      pad(to.fluid);
    }
    pad(to.u);
    pad(to.v);
    pad(to.values);
  }

  const dye_rows& dye_;
  const float* of_;
  row rows_[3];
};

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

void carry(const dye_rows& dye, std::ptrdiff_t first, std::ptrdiff_t last, float* room) {
  if (first == last) return;
  const without_small_numbers fast;
  moving_rows from(dye, dye.now, first, room);
  for (std::ptrdiff_t y = first; y < last; ++y) {
    const std::ptrdiff_t row = y * dye.width;
    (from.has_solid() ? carry_row<true> : carry_row<false>)(from.all(), dye.width, dye.steps,
                                                            dye.carried + row, dye.least + row,
                                                            dye.most + row);
    if (y + 1 < last) from.move_to_after(y);
  }
}

void correct(const dye_rows& dye, std::ptrdiff_t first, std::ptrdiff_t last, float* room) {
  if (first == last) return;
  const without_small_numbers fast;
  moving_rows from(dye, dye.carried, first, room);
  for (std::ptrdiff_t y = first; y < last; ++y) {
    const std::ptrdiff_t row = y * dye.width;
    float* const next = dye.next + row;
    (from.has_solid() ? correct_row<true> : correct_row<false>)(from.all(), dye.width, dye.steps,
                                                                dye.now + row, dye.least + row,
                                                                dye.most + row, next);
    if (dye.sources != nullptr) {
      const std::uint8_t* const sources = dye.sources + row;
      const std::uint8_t* const solid = dye.solid == nullptr ? nullptr : dye.solid + row;
      for (std::ptrdiff_t x = 0; x < dye.width; ++x)
        if (sources[x] != 0 && (solid == nullptr || solid[x] == 0)) next[x] = 1;
    }
    if (y + 1 < last) from.move_to_after(y);
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
  return {carry, correct, fastest};
}

}  // namespace heddle::lbm
