#pragma once

#include <heddle/compiler.hpp>
#include <heddle/operators.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// The order in which `reduce` combines elements. It depends on the number of elements, their size and
/// whether the operator commutes, and on nothing else, so every target computes the same bits.
///
/// The elements are cut into tiles of 16 elements for each accumulator. In a tile, accumulator a combines
///   elements a, a + accumulators, a + 2 accumulators, …, if the operator commutes. A row of them, one for
///                     each accumulator, has 512 bytes: some SIMD registers on a CPU, the 16-byte loads of a
///                     warp on a GPU; 32 elements where these are not of 1, 2, 4, 8 or 16 bytes;
///   elements 16 a … 16 a + 15, if it does not: 32 accumulators, and the order of elements is kept.
/// Each accumulator combines its elements in rising order. Then the accumulators of a tile are combined in a
/// tree: if the operator commutes, a with a + half, where half is a half of the row, then a quarter, and so
/// on to 1; otherwise neighbours, then their results. The results of tiles are the elements of a shorter
/// array, which is reduced in the same way until one is left. Accumulators without elements take no part: no
/// identity is needed.
namespace heddle::order {

inline constexpr std::size_t rows = 16;

template <class T, class Op>
inline constexpr bool striped = is_commutative<Op, T>;

template <class T, class Op>
inline constexpr std::size_t accumulators =
    striped<T, Op> &&
            (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16)
        ? 512 / sizeof(T)
        : 32;

template <class T, class Op>
inline constexpr std::size_t tile = rows * accumulators<T, Op>;

/// Whether an operator that is not built in says that it is exact on integers.
template <class Op>
inline constexpr bool is_exact = requires { requires Op::exact; };

/// Whether every order of combination gives the same bits: built-in operators on integers, and others that
/// say so.
template <class T, class Op>
inline constexpr bool order_is_free =
    std::is_integral_v<T> && (impl::library_combines<T, Op>() || is_exact<Op>);

template <class T, class Op>
inline constexpr T constant_identity = Op::template identity<T>();

/// The identity.
template <class T, class Op>
HD_INLINE T identity(const Op& op) {
  if constexpr (impl::has_typed_identity<Op, T>) {
    return constant_identity<T, Op>;
  } else {
    return T(op.identity_value);
  }
}

/// Whether there is an element to pad with: combining it with another changes no bit of that one.
template <class T, class Op>
inline constexpr bool has_padding =
    (order_is_free<T, Op> && impl::has_identity<Op, T>) ||
    (std::is_floating_point_v<T> &&
     (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> || impl::is_extreme<Op>));
/// This element. For a sum it is −0, as +0 would change −0 to +0.
template <class T, class Op>
HD_INLINE T padding(const Op& op) {
  if constexpr (std::is_floating_point_v<T> && std::is_same_v<Op, plus>) {
    return -T(0);
  } else {
    return identity<T>(op);
  }
}

/// Processors set the bits of NaNs differently: every NaN becomes the same quiet NaN.
template <class T>
HD_INLINE T canonical(T x) {
  if constexpr (std::is_floating_point_v<T> && sizeof(T) > 8) {
    return x == x ? x : std::numeric_limits<T>::quiet_NaN();
  } else if constexpr (std::is_floating_point_v<T>) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr bits quiet_nan = sizeof(T) == 4 ? 0x7fc00000u : static_cast<bits>(0x7ff8000000000000u);
    return x == x ? x : __builtin_bit_cast(T, quiet_nan);
  } else if constexpr (is_complex<T>) {
    return impl::complex_like(x, canonical(impl::part(x, 0)), canonical(impl::part(x, 1)));
  } else {
    return x;
  }
}

/// A part of `width` neighbouring columns: `count` rows, `stride` elements apart, of which the first begins
/// at element `first`. Results of the columns are elements result … result + width − 1.
struct piece {
  std::size_t first, count, stride, width, result;
  std::size_t segment_part;  ///< which part of its segment this is, from 0
};

/// Segments cut into parts of at most `part` elements, and into panels of at most `panel` columns: pieces of
/// work for threads. The results of a tiling are an array with axes of `parts()` instead of `length`.
struct tiling {
  axis_lines all;
  std::size_t part;
  std::size_t panel;

  HD_INLINE std::size_t parts() const { return (all.length + part - 1) / part; }
  HD_INLINE std::size_t panels() const { return (all.inner + panel - 1) / panel; }
  HD_INLINE std::size_t pieces() const { return all.outer * parts() * panels(); }

  HD_INLINE piece operator[](std::size_t index) const {
    const std::size_t per_outer = parts() * panels();
    const std::size_t outer = index / per_outer;
    const std::size_t within = index - outer * per_outer;
    const std::size_t p = within / panels();
    const std::size_t column = (within - p * panels()) * panel;
    const std::size_t left = all.length - p * part;
    const std::size_t columns_left = all.inner - column;
    return {(outer * all.length + p * part) * all.inner + column,
            left < part ? left : part,
            all.inner,
            columns_left < panel ? columns_left : panel,
            (outer * parts() + p) * all.inner + column,
            p};
  }

  /// The results of this tiling, seen as segments again.
  axis_lines results() const { return {all.outer, parts(), all.inner}; }
};

/// Uninitialised storage for N elements of a type that need not be default-constructible; aligned to 16 where
/// it has a multiple of 16 bytes.
template <class T, std::size_t N>
struct alignas(sizeof(T) * N % 16 == 0 && alignof(T) < 16 ? 16 : alignof(T)) uninitialized {
  union {
    T values[N];
  };
  HD_INLINE uninitialized() {}
  HD_INLINE T& operator[](std::size_t i) { return values[i]; }
  HD_INLINE const T& operator[](std::size_t i) const { return values[i]; }
};

}  // namespace heddle::order
