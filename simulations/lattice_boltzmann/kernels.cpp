// Compiled once for each instruction set, with HEDDLE_ISA naming it. Nothing here may leave a function behind
// that another file could call by the same name: everything is in the namespace of its instruction set, or
// inlined.
// The compiler's own headers make registers of what they do not set.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "lattice_boltzmann/kernels.hpp"

#include <heddle/support/simd.hpp>

#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Before a loop that is to stay one.
#if defined(__clang__)
#define HEDDLE_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define HEDDLE_ROLLED _Pragma("GCC unroll 1")
#endif

namespace heddle::lbm {
inline namespace HEDDLE_ISA {
namespace {

/// While it lives, numbers too small for their type's full precision are 0: the front of a flow that begins
/// at rest is full of them, and processors are slow on them.
class without_denormals {
 public:
#if defined(__SSE2__)
  without_denormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~without_denormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#endif
};

/// A register of cells of one row.
template <class S>
struct cells {
  using vector = typename cpu::simd<S>::vector;
  static constexpr std::ptrdiff_t count = cpu::simd<S>::width;

  static inline __attribute__((always_inline)) vector load(const S* from) { return cpu::simd<S>::load(from); }
  static inline __attribute__((always_inline)) void store(S* to, vector value) {
    __builtin_memcpy(to, &value, sizeof value);
  }
};

template <>
struct cells<fixed16> {
  using vector = typename cpu::simd<float>::vector;
  static constexpr std::ptrdiff_t count = cpu::simd<float>::width;
  using integers = typename cpu::simd<std::int32_t>::vector;

  static inline __attribute__((always_inline)) vector load(const fixed16* from) {
#if defined(__AVX512F__)
    return (vector)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i*)from)));
#elif defined(__AVX2__)
    return (vector)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)from)));
#else
    typedef std::int16_t shorts __attribute__((vector_size(cpu::register_bytes / 2)));
    shorts kept;
    __builtin_memcpy(&kept, from, sizeof kept);
    return __builtin_convertvector(__builtin_convertvector(kept, integers), vector);
#endif
  }

  /// Two registers, side by side. What is out of range becomes its end.
  static inline __attribute__((always_inline)) void store(fixed16* to, integers first, integers second) {
#if defined(__AVX512F__)
    const __m512i in_lanes = _mm512_packs_epi32((__m512i)first, (__m512i)second);
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi64(order, in_lanes));
#elif defined(__AVX2__)
    const __m256i in_lanes = _mm256_packs_epi32((__m256i)first, (__m256i)second);
    _mm256_storeu_si256((__m256i*)to, _mm256_permute4x64_epi64(in_lanes, 0xd8));
#elif defined(__SSE2__)
    _mm_storeu_si128((__m128i*)to, _mm_packs_epi32((__m128i)first, (__m128i)second));
#else
    typedef std::int16_t shorts __attribute__((vector_size(cpu::register_bytes / 2)));
    const integers largest = integers{} + static_cast<std::int32_t>(fixed16_largest);
    for (integers value : {first, second}) {
      value = value < largest ? value : largest;
      value = value > -largest ? value : -largest;
      const shorts kept = __builtin_convertvector(value, shorts);
      __builtin_memcpy(to, &kept, sizeof kept);
      to += count;
    }
#endif
  }
};

struct register_math {
  /// The nearest integers.
  inline __attribute__((always_inline)) cells<fixed16>::integers rounded(cells<fixed16>::vector x) const {
#if defined(__AVX512F__)
    return (cells<fixed16>::integers)_mm512_cvtps_epi32((__m512)x);
#elif defined(__AVX2__)
    return (cells<fixed16>::integers)_mm256_cvtps_epi32((__m256)x);
#elif defined(__SSE2__)
    return (cells<fixed16>::integers)_mm_cvtps_epi32((__m128)x);
#else
    return __builtin_convertvector(nearest(x), cells<fixed16>::integers);
#endif
  }

  template <class V>
  inline __attribute__((always_inline)) V root(V x) const {
    [[maybe_unused]] constexpr bool is_float = sizeof(x[0]) == 4;
#if defined(__AVX512F__)
    if constexpr (is_float) return (V)_mm512_sqrt_ps((__m512)x);
    if constexpr (!is_float) return (V)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
    if constexpr (is_float) return (V)_mm256_sqrt_ps((__m256)x);
    if constexpr (!is_float) return (V)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    if constexpr (is_float) return (V)_mm_sqrt_ps((__m128)x);
    if constexpr (!is_float) return (V)_mm_sqrt_pd((__m128d)x);
#else
    for (std::size_t i = 0; i < sizeof x / sizeof x[0]; ++i) {
      x[i] = is_float ? __builtin_sqrtf(x[i]) : __builtin_sqrt(x[i]);
    }
    return x;
#endif
  }

  /// Of floats an estimate and one step of Newton's, which takes a fraction of a division's time.
  template <class V>
  inline __attribute__((always_inline)) V inverse(V x) const {
    if constexpr (sizeof(x[0]) == 4) {
#if defined(__AVX512F__)
      const V near = (V)_mm512_rcp14_ps((__m512)x);
      return near + near * (1.0f - x * near);
#elif defined(__AVX2__)
      const V near = (V)_mm256_rcp_ps((__m256)x);
      return near + near * (1.0f - x * near);
#elif defined(__SSE2__)
      const V near = (V)_mm_rcp_ps((__m128)x);
      return near + near * (1.0f - x * near);
#else
      return 1.0f / x;
#endif
    } else {
      return 1.0 / x;
    }
  }
};

template <class S, collision_kind Kind, bool General>
void step_rows(const populations<S>& at, const layout& grid, const rates<arithmetic<S>>& rates_given,
               std::ptrdiff_t first, std::ptrdiff_t last) {
  using kept = cells<S>;
  using V = typename kept::vector;
  using R = arithmetic<S>;
  const without_denormals faster;
  // A local copy: values that a store might change are read again after the store.
  const rates<R> given = rates_given;
  const std::ptrdiff_t width = grid.width;
  for (std::ptrdiff_t y = first; y < last; ++y) {
    const std::ptrdiff_t row = grid.at(0, y);
    S* place[velocities];
    place[0] = at.rest + row;
    for (int p = 0; p < pairs; ++p) {
      place[2 * p + 1] = at.own[p] + row;
      place[2 * p + 2] = at.ahead[p] + row + grid.step(p);
    }
    if constexpr (is_fixed<S>) {
      // Two registers of 16 bits make a whole one. Not side by side: they would not find room in registers.
      static_assert(2 * kept::count <= layout::row_alignment);
      for (std::ptrdiff_t x = 0; x < width; x += 2 * kept::count) {
        typename kept::integers units[2][velocities];
        HEDDLE_ROLLED
        for (int half = 0; half < 2; ++half) {
          V g[velocities];
          for (int i = 0; i < velocities; ++i) g[i] = kept::load(place[i] + x + half * kept::count);
          collide_units<Kind, General>(g, given, register_math(), units[half]);
        }
        kept::store(place[0] + x, units[0][0], units[1][0]);
        for (int i = 1; i < velocities; ++i) kept::store(place[opposite(i)] + x, units[0][i], units[1][i]);
      }
    } else {
      static_assert(kept::count <= layout::row_alignment);
      for (std::ptrdiff_t x = 0; x < width; x += kept::count) {
        V g[velocities];
        for (int i = 0; i < velocities; ++i) g[i] = kept::load(place[i] + x);
        collide<Kind, General>(g, given, register_math(), R(1), R(1));
        kept::store(place[0] + x, g[0]);
        for (int i = 1; i < velocities; ++i) kept::store(place[opposite(i)] + x, g[i]);
      }
    }
  }
}

template <class S>
bool any_bad(const populations<S>& at, const layout& grid, const rates<arithmetic<S>>& given,
             std::ptrdiff_t y, std::ptrdiff_t& checked) {
  using kept = cells<S>;
  using V = typename kept::vector;
  using R = arithmetic<S>;
  const R unit = is_fixed<S> ? given.unit : R(1);
  const std::ptrdiff_t row = grid.at(0, y);
  const S* place[velocities];
  place[0] = at.rest + row;
  for (int p = 0; p < pairs; ++p) {
    place[2 * p + 1] = at.own[p] + row;
    place[2 * p + 2] = at.ahead[p] + row + grid.step(p);
  }
  const R fx = R(0.5) * given.force_x, fy = R(0.5) * given.force_y;
  auto good = V{} == V{};
  std::ptrdiff_t x = 0;
  for (; x + kept::count <= grid.width; x += kept::count) {
    V g[velocities];
    for (int i = 0; i < velocities; ++i) g[i] = kept::load(place[i] + x);
    V mass, momentum_x, momentum_y;
    sums(g, mass, momentum_x, momentum_y);
    good &= is_a_flow<R>(V(mass * unit), V(momentum_x * unit + fx), V(momentum_y * unit + fy));
    if constexpr (is_fixed<S>) {
      for (int i = 0; i < velocities; ++i) good &= (g[i] < fixed16_largest) & (g[i] > -fixed16_largest);
    }
  }
  checked = x;
  for (std::ptrdiff_t i = 0; i < kept::count; ++i) {
    if (good[i] == 0) return true;
  }
  return false;
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_KERNELS(isa) HEDDLE_JOIN(isa, _kernels)

template <class S>
cpu_kernels<S> HEDDLE_KERNELS(HEDDLE_ISA)() {
  constexpr collision_kind two_rates = collision_kind::two_rates, regularized = collision_kind::regularized;
  return {{{step_rows<S, two_rates, false>, step_rows<S, two_rates, true>},
           {step_rows<S, regularized, false>, step_rows<S, regularized, true>}},
          any_bad<S>};
}
template cpu_kernels<double> HEDDLE_KERNELS(HEDDLE_ISA)<double>();
template cpu_kernels<float> HEDDLE_KERNELS(HEDDLE_ISA)<float>();
template cpu_kernels<fixed16> HEDDLE_KERNELS(HEDDLE_ISA)<fixed16>();

}  // namespace heddle::lbm
