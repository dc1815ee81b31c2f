// Compiled once for each instruction set, with HEDDLE_ISA naming it. Nothing here may leave a function behind
// that another file could call by the same name: everything is in the namespace of its instruction set, or
// inlined.
#include "patterns/cpu_kernels.hpp"

#include "core/type_op_dispatch.hpp"
#include "cpu/simd.hpp"
#include "patterns/scan/scan_kernels.hpp"
#include <heddle/impl/patterns/reduce/cpu.hpp>
#include <heddle/impl/patterns/transform/cpu.hpp>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// Lane l + Half, around the end.
template <std::size_t Width, std::size_t Half>
struct half_away {
  constexpr std::size_t operator()(std::size_t l) const { return (l + Half) % Width; }
};

/// Lane l with lane l + Half, then with Half / 2, and so on until `final_lanes` are left to be combined into.
template <class Op, class T, std::size_t Half, std::size_t final_lanes>
HEDDLE_ALWAYS_INLINE typename simd<T>::vector reduce_register(typename simd<T>::vector v) {
  if constexpr (Half < final_lanes) {
    return v;
  } else {
    const auto other = shuffled<T>(v, v, half_away<simd<T>::width, Half>());
    return reduce_register<Op, T, Half / 2, final_lanes>(apply<Op, T>(v, other));
  }
}

/// Of the accumulators of a tile, as order.hpp has them.
constexpr std::size_t row_bytes = 512;

/// Up to a tile of numbers whose accumulators fill registers: each combines one element of every row, then
/// their halves combine until `final_lanes` are left. A short last row is padded with a value that changes no
/// result.
template <class Op, class T, std::size_t final_lanes>
inline void reduce_rows(const T* x, std::size_t count, T* out) {
  constexpr std::size_t accumulators = row_bytes / sizeof(T);
  constexpr std::size_t width = simd<T>::width;
  // Accumulators that do not fit the registers take several passes; the tile is in the L1 cache by
  // the second.
  constexpr std::size_t at_once = 8;
  constexpr std::size_t sets = accumulators / (at_once * width);
  static_assert(sets * at_once * width == accumulators);
  using vector = typename simd<T>::vector;
  const std::size_t rows = count / accumulators, rest = count % accumulators;
  vector lane[accumulators / width];
  for (std::size_t set = 0; rows > 0 && set < sets; ++set) {
    vector sum[at_once];
    const T* const start = x + set * at_once * width;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < at_once; ++i) sum[i] = simd<T>::load(start + i * width);
    for (std::size_t row = 1; row < rows; ++row) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < at_once; ++i) {
        sum[i] = apply<Op, T>(sum[i], simd<T>::load(start + row * accumulators + i * width));
      }
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < at_once; ++i) lane[set * at_once + i] = sum[i];
  }
  if (rest > 0) {
    const T* const last = x + rows * accumulators;
    const T none = order::padding<T>(Op());
#pragma GCC unroll 32
    for (std::size_t i = 0; i < accumulators / width; ++i) {
      const std::size_t first = i * width;
      if (first < rest) {
        const vector v =
            first + width <= rest ? simd<T>::load(last + first) : load_some(last + first, rest - first, none);
        lane[i] = rows > 0 ? apply<Op, T>(lane[i], v) : v;
      } else if (rows == 0) {
        lane[i] = splat(none);
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t half = accumulators / width / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lane[i] = apply<Op, T>(lane[i], lane[i + half]);
  }
  const vector reduced = reduce_register<Op, T, width / 2, final_lanes>(lane[0]);
  for (std::size_t l = 0; l < final_lanes; ++l) out[l] = order::canonical(reduced[l]);
}

/// The minimum or maximum of a whole tile of floating-point numbers by the processor's own comparison, which
/// passes over NaNs and over the signs of zeros. A sum of the elements tells of NaNs, and of infinities of
/// both signs, which it takes for one: then the result is false and nothing is written. A minimum of zero is
/// −0 if any element has a sign, a maximum +0 if any has none.
template <class Op, class T>
inline bool reduce_full_tile_by_comparison(const T* x, T* out) {
  constexpr bool least = std::is_same_v<Op, minimum>;
  constexpr std::size_t width = simd<T>::width, at_once = 8, sums = register_bytes == 64 ? 4 : 2;
  constexpr std::size_t vectors = order::tile<T, Op> / width, prefetched_bytes = 4096;
  static_assert(vectors % at_once == 0 && order::tile<T, Op> % width == 0);
  using vector = typename simd<T>::vector;
  using bits = typename simd<same_size_integer<T>>::vector;
  constexpr auto nearer = [](auto a, auto b) __attribute__((always_inline)) {
    return least ? (b < a ? b : a) : (a < b ? b : a);
  };
  constexpr auto joined = [](auto a, auto b) __attribute__((always_inline)) { return least ? a | b : a & b; };
  vector best[at_once], sum[sums] = {};
  bits sign[sums];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < at_once; ++i) {
    best[i] = simd<T>::load(x + i * width);
    sum[i % sums] += best[i];
    sign[i % sums] = i < sums ? (bits)best[i] : joined(sign[i % sums], (bits)best[i]);
  }
  for (std::size_t first = at_once; first < vectors; first += at_once) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < at_once; ++i) {
      const T* const from = x + (first + i) * width;
      // This much work an element keeps a processor from looking far enough ahead by itself.
      // NOLINTNEXTLINE(bugprone-sizeof-expression): the quotient is in elements
      __builtin_prefetch(from + prefetched_bytes / sizeof(T));
      const vector v = simd<T>::load(from);
      best[i] = nearer(best[i], v);
      sum[i % sums] += v;
      sign[i % sums] = joined(sign[i % sums], (bits)v);
    }
  }
#pragma GCC unroll 16
  for (std::size_t half = at_once / 2; half > 0; half /= 2) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < half; ++i) best[i] = nearer(best[i], best[i + half]);
  }
#pragma GCC unroll 16
  for (std::size_t i = 1; i < sums; ++i) {
    sum[0] += sum[i];
    sign[0] = joined(sign[0], sign[i]);
  }
  T results[width], totals[width];
  same_size_integer<T> signs[width];
  __builtin_memcpy(results, &best[0], sizeof results);
  __builtin_memcpy(totals, &sum[0], sizeof totals);
  __builtin_memcpy(signs, &sign[0], sizeof signs);
#pragma GCC unroll 16
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) {
      results[l] = nearer(results[l], results[l + half]);
      totals[l] += totals[l + half];
      signs[l] = joined(signs[l], signs[l + half]);
    }
  }
  if (totals[0] != totals[0]) return false;
  *out = results[0] == 0 ? (signs[0] < 0 ? -T(0) : T(0)) : results[0];
  return true;
}

/// Up to a tile of elements.
template <class T, class Op>
void reduce_tile_of(const void* from, std::size_t count, void* out) {
  const T* const x = static_cast<const T*>(from);
  T* const result = static_cast<T*>(out);
  constexpr bool in_registers = has_simd<Op, T> || (is_complex<T> && std::is_same_v<Op, plus>);
  static_assert(!in_registers || order::accumulators<T, Op> * sizeof(T) == row_bytes);
  if constexpr (std::is_floating_point_v<T> && impl::is_extreme<Op>) {
    if (count == order::tile<T, Op> && reduce_full_tile_by_comparison<Op>(x, result)) return;
  }
  if constexpr (has_simd<Op, T>) {
    reduce_rows<Op, T, 1>(x, count, result);
  } else if constexpr (is_complex<T> && std::is_same_v<Op, plus>) {
    reduce_rows<Op, typename T::value_type, 2>(&impl::part(*x, 0), 2 * count, &impl::part(*result, 0));
  } else {
    reduce_tile<T>([x](std::size_t i) __attribute__((always_inline)) { return impl::lift<Op>(x[i]); }, count,
                   Op(), result);
  }
}

template <class T, class Op>
void reduce_pieces_of(const void* from, const order::tiling& tiles, std::size_t first, std::size_t last,
                      void* out) {
  const T* const x = static_cast<const T*>(from);
  auto load = [x](std::size_t i) __attribute__((always_inline)) { return impl::lift<Op>(x[i]); };
  auto reduce_row = [x](std::size_t start, std::size_t count, T* result) {
    reduce_tile_of<T, Op>(x + start, count, result);
  };
  reduce_pieces<T>(load, Op(), tiles, first, last, reduce_row, static_cast<T*>(out));
}

/// One operand at least is an array.
template <class T, class Op>
void map_elements(const void* x, bool x_is_constant, const void* y, bool y_is_constant, std::size_t count,
                  bool non_temporal, void* out) {
  const T* const a = static_cast<const T*>(x);
  const T* const b = static_cast<const T*>(y);
  const Op op;
  auto write = [&](auto function) { write_elements(function, count, non_temporal, static_cast<T*>(out)); };
  if (x_is_constant) {
    // The other order is as much code again, and differs in the bits of a NaN alone.
    if constexpr (is_commutative<Op, T>)
      return map_elements<T, Op>(y, false, x, true, count, non_temporal, out);
    write([op, c = *a, b](std::size_t i) __attribute__((always_inline)) { return op(c, b[i]); });
  } else if (y_is_constant) {
    write([op, a, c = *b](std::size_t i) __attribute__((always_inline)) { return op(a[i], c); });
  } else {
    write([=](std::size_t i) __attribute__((always_inline)) { return op(a[i], b[i]); });
  }
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_OF_ISA(isa, name) HEDDLE_JOIN(isa, name)

reduce_kernels HEDDLE_OF_ISA(HEDDLE_ISA, _reduce_kernels)(dtype type, runtime_op function) {
  reduce_kernels found;
  impl::dispatch_type_op<impl::family::all>(
      type, function, [&found]<class T, class Op>(impl::type_tag<T>, Op) {
        if constexpr (requires { Op::commutative; })
          found = {reduce_pieces_of<T, Op>, reduce_tile_of<T, Op>, order::tile<T, Op>};
      });
  return found;
}

scan_kernels HEDDLE_OF_ISA(HEDDLE_ISA, _scan_kernels)(dtype type, runtime_op function) {
  scan_kernels found;
  impl::dispatch_type_op<impl::family::all>(type, function,
                                            [&found]<class T, class Op>(impl::type_tag<T>, Op) {
                                              if constexpr (requires { Op::commutative; })
                                                found = scan_kernels_of<T, Op>();
                                            });
  return found;
}

map_kernel HEDDLE_OF_ISA(HEDDLE_ISA, _map_kernel)(dtype type, runtime_op function) {
  map_kernel found = nullptr;
  impl::dispatch_type_op<impl::family::all>(
      type, function, [&found]<class T, class Op>(impl::type_tag<T>, Op) { found = map_elements<T, Op>; });
  return found;
}

}  // namespace heddle::cpu
