#pragma once

#include "core/type_op_dispatch.hpp"
#include <heddle/compiler.hpp>
#if defined(__CUDACC__)
#include <heddle/impl/gpu/warp/packed16_op.cuh>
#endif

#include <cstdint>
#include <type_traits>

/// Operators that select among three or four functions by bit masks at run time, so that one piece of code
/// does for all of them, at one or two more instructions an element.
namespace heddle::impl {

/// An identity of which an element that is an integer takes its low bits.
struct low_bits {
  std::uint64_t bits;
  template <class T>
    requires(std::is_arithmetic_v<T>)
  HD_INLINE constexpr operator T() const {
    return static_cast<T>(bits);
  }
};

/// The operators on bits and on truth values:
///
///   a ∘ b = (a ∧ b ∧ both) ∨ ((a ⊕ b) ∧ either)
///
/// is "and" by the masks 1 and 0, "or" by 1 and 1, "exclusive or" by 0 and 1.
struct masks {
  static constexpr bool commutative = true, exact = true;
  std::uint64_t both, either;
  low_bits identity_value;
#if defined(__CUDACC__)
  /// For the textbook method `atomic`.
  template <class Word>
  __device__ void combine_atomically(Word* with, Word value) const {
    if (either == 0) {
      atomicAnd(with, value);
    } else if (both == 0) {
      atomicXor(with, value);
    } else {
      atomicOr(with, value);
    }
  }
  // An "and" is an "or" of complements.
  template <class T>
  __device__ std::uint32_t decode_halfwords(std::uint32_t word) const {
    return word ^ (either == 0 ? gpu::broadcast_packed(static_cast<T>(identity_value)) : 0);
  }
  __device__ std::uint32_t combine_halfwords(std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) const {
    return ((a | b | c) & static_cast<std::uint32_t>(both)) | (a ^ b ^ c);
  }
#endif
};

/// bit_and, bit_or and bit_xor.
struct runtime_bits : masks {
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    return static_cast<T>((a & b & static_cast<T>(both)) | ((a ^ b) & static_cast<T>(either)));
  }
#if defined(__CUDACC__)
  template <class T>
  __device__ std::uint32_t encode_halfwords(std::uint32_t word) const {
    return decode_halfwords<T>(word);
  }
#endif
};

/// logical_and, logical_or and logical_xor, of elements that are 0 or 1.
struct runtime_logical : masks {
  static constexpr bool logical = true;
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    const unsigned p = a != T(0), q = b != T(0);
    return T((p & q & static_cast<unsigned>(both)) | ((p ^ q) & static_cast<unsigned>(either)));
  }
#if defined(__CUDACC__)
  /// Elements that are not 0 count as 1.
  template <class T>
  __device__ std::uint32_t encode_halfwords(std::uint32_t word) const {
    constexpr T top = T(1) << (8 * sizeof(T) - 1);
    const std::uint32_t most = gpu::broadcast_packed(static_cast<T>(top - 1));
    return decode_halfwords<T>((((word & most) + most) | word) >> (8 * sizeof(T) - 1) &
                               gpu::broadcast_packed(T(1)));
  }
#endif
};

template <class Op>
constexpr auto masks_of(Op) noexcept {
  constexpr std::uint64_t all = ~std::uint64_t{0}, one = is_logical<Op> ? 1 : all;
  constexpr masks found =
      std::is_same_v<Op, logical_and> || std::is_same_v<Op, bit_and>   ? masks{all, 0, {one}}
      : std::is_same_v<Op, logical_xor> || std::is_same_v<Op, bit_xor> ? masks{0, all, {0}}
                                                                       : masks{all, all, {0}};
  return std::conditional_t<is_logical<Op>, runtime_logical, runtime_bits>{found};
}

/// minimum and maximum of signed and of unsigned integers of up to 32 bits, as the largest of unsigned ones:
///
///   a ∘ b = max(a ⊕ flipped, b ⊕ flipped) ⊕ flipped
///
/// Flipping the sign bit puts signed numbers in the order of unsigned ones, and flipping all bits reverses
/// it.
struct extremes_by_mask {
  static constexpr bool commutative = true, exact = true;
  low_bits identity_value;  ///< and what is flipped
  template <class T>
  HD_INLINE T operator()(T a, T b) const {
    const T flipped = static_cast<T>(identity_value), p = a ^ flipped, q = b ^ flipped;
    return static_cast<T>((p < q ? q : p) ^ flipped);
  }
#if defined(__CUDACC__)
  template <class T>
  __device__ std::uint32_t encode_halfwords(std::uint32_t word) const {
    return word ^ gpu::broadcast_packed(static_cast<T>(identity_value));
  }
  template <class T>
  __device__ std::uint32_t decode_halfwords(std::uint32_t word) const {
    return encode_halfwords<T>(word);
  }
  __device__ std::uint32_t combine_halfwords(std::uint32_t a, std::uint32_t b) const {
    return __vmaxu2(a, b);
  }
  __device__ std::uint32_t combine_halfwords(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return __vimax3_u16x2(a, b, c);
  }
#endif
};

template <class T, class Op>
inline constexpr bool has_mask_of_extremes =
    family_of<function_of<Op>> == family::order && std::is_integral_v<T> && sizeof(T) <= 4;

template <class T, class Op>
constexpr extremes_by_mask mask_of_extremes() noexcept {
  const std::uint32_t sign = std::is_signed_v<T> ? std::uint32_t{1} << (8 * sizeof(T) - 1) : 0;
  return {{std::is_same_v<Op, maximum> ? sign : ~sign}};
}

/// The operator that computes Op on elements of T at run time, one for each three or four, and the type of
/// element that it takes.
template <class T, class Op>
inline constexpr auto runtime_op_for = [] {
  if constexpr (family_of<function_of<Op>> == family::bits) {
    return masks_of(Op{});
  } else if constexpr (has_mask_of_extremes<T, Op>) {
    return mask_of_extremes<T, Op>();
  } else {
    return Op{};
  }
}();
template <class T, class Op>
using runtime_element = typename std::conditional_t<has_mask_of_extremes<T, Op>, std::make_unsigned<T>,
                                                    std::type_identity<T>>::type;

/// As dispatch_type_op, with runtime_op_for in place of an operator. Extremes keep theirs where that is asked
/// for.
template <family Family, bool ExtremesByMask = true, class F>
void with_runtime_op(dtype type, runtime_op which, const F& f) {
  dispatch_type_op<Family>(type, which, [&]<class T, class Op>(type_tag<T> tag, Op op) {
    if constexpr (!ExtremesByMask && has_mask_of_extremes<T, Op>) {
      f(tag, op);
    } else {
      f(type_tag<runtime_element<T, Op>>{}, runtime_op_for<T, Op>);
    }
  });
}

}  // namespace heddle::impl
