#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/operators.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// Vectors of 1- and 2-byte integers, combined as packed halfwords, two to a 32-bit word: a quarter to a half
/// of the instructions that unpacked elements take. An operator says how it combines halfwords; it may
/// combine another form of the elements, whose identity is 0.
namespace heddle::gpu {

/// How an operator combines halfwords: `encode` converts a word of elements to the form that is combined,
/// `decode` converts back, and `combine` takes words of two halfwords. A byte is the upper half of a
/// halfword. Comparisons and bitwise operators ignore the bits below it; for other operators the bits that
/// are not in `mask` are cleared.
template <class T, class Op>
struct packed16_op {
  static constexpr bool exist = false;
};

template <class T, class Op>
  requires(std::is_integral_v<T> && sizeof(T) <= 2 &&
           requires(const Op& op, std::uint32_t word) { op.combine_halfwords(word, word); })
struct packed16_op<T, Op> {
  static constexpr bool exist = true;
  static constexpr std::uint32_t mask = 0xffffffffu;
  static __device__ std::uint32_t encode(const Op& op, std::uint32_t word) {
    return op.template encode_halfwords<T>(word);
  }
  static __device__ std::uint32_t decode(const Op& op, std::uint32_t word) {
    return op.template decode_halfwords<T>(word);
  }
  template <class... Words>
  static __device__ std::uint32_t combine(const Op& op, Words... words) {
    return op.combine_halfwords(words...);
  }
};

/// Sums of bytes, other than bool. The carries of a halfword add up in the bits below the byte of the next,
/// which have room for those of several vectors.
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) == 1)
struct packed16_op<T, plus> {
  static constexpr bool exist = true;
  static constexpr std::uint32_t mask = 0xff00ff00u;
  static __device__ std::uint32_t encode(plus, std::uint32_t word) { return word; }
  static __device__ std::uint32_t decode(plus, std::uint32_t word) { return word; }
  template <class... Words>
  static __device__ std::uint32_t combine(plus, Words... words) {
    return (words + ...);
  }
};

inline constexpr unsigned words_per_vector = 4;
struct alignas(16) vector_words {
  std::uint32_t word[words_per_vector];
};

/// A word filled with copies of the element.
template <class T>
__device__ std::uint32_t broadcast_packed(T x) {
  return sizeof(T) == 1 ? (static_cast<std::uint32_t>(x) & 0xffu) * 0x01010101u
                        : (static_cast<std::uint32_t>(x) & 0xffffu) * 0x00010001u;
}

// Bytes 0 and 2 of a word, and 1 and 3, as the halfwords of `By`; and back.
template <class By>
__device__ std::uint32_t even_bytes(std::uint32_t word) {
  return word << 8 & By::mask;
}
template <class By>
__device__ std::uint32_t odd_bytes(std::uint32_t word) {
  return word & By::mask;
}
inline __device__ std::uint32_t interleaved_bytes(std::uint32_t even, std::uint32_t odd) {
  return __byte_perm(even, odd, 0x7351);
}

/// Scans a vector. `before` is the total of those before it, or 0, and becomes that of this one too. The
/// result stays in the form that `encode` gives. Returns its last element.
template <class T, class Op>
__device__ T scan_packed(vector_words& vector, std::uint32_t& before, const Op& op) {
  using packed = packed16_op<T, Op>;
#pragma unroll
  for (unsigned w = 0; w < words_per_vector; ++w) {
    const std::uint32_t x = packed::encode(op, vector.word[w]);
    std::uint32_t last;
    if constexpr (sizeof(T) == 1) {
      const std::uint32_t even = even_bytes<packed>(x),
                          pairs = packed::combine(op, even, odd_bytes<packed>(x));
      last = packed::combine(op, pairs, pairs << 16, before);
      vector.word[w] = interleaved_bytes(packed::combine(op, even, pairs << 16, before), last);
    } else {
      last = packed::combine(op, x, x << 16, before);
      vector.word[w] = last;
    }
    before = __byte_perm(last, 0, sizeof(T) == 1 ? 0x3434 : 0x3232);
  }
  return static_cast<T>(packed::decode(op, vector.word[words_per_vector - 1]) >> (32 - 8 * sizeof(T)));
}

/// A scanned vector combined with `carry` from the left, as elements.
template <class T, class Op>
__device__ vector_words prepend_packed(vector_words vector, const T& carry, const Op& op) {
  using packed = packed16_op<T, Op>;
  const std::uint32_t first = broadcast_packed(carry);
  const std::uint32_t before = packed::encode(op, first) & (sizeof(T) == 1 ? packed::mask : 0xffffffffu);
#pragma unroll
  for (std::uint32_t& word : vector.word) {
    if constexpr (sizeof(T) == 1) {
      word = interleaved_bytes(packed::combine(op, even_bytes<packed>(word), before),
                               packed::combine(op, odd_bytes<packed>(word), before));
    } else {
      word = packed::combine(op, word, before);
    }
    word = packed::decode(op, word);
  }
  return vector;
}

/// Shifts a vector by an element towards its end and inserts `first`. Returns the element shifted out.
template <class T>
__device__ T shift_right(const T& first, vector_words& vector) {
  const auto last = static_cast<T>(vector.word[words_per_vector - 1] >> (32 - 8 * sizeof(T)));
#pragma unroll
  for (unsigned w = words_per_vector; w-- > 0;)
    vector.word[w] =
        __funnelshift_l(w > 0 ? vector.word[w - 1] : broadcast_packed(first), vector.word[w], 8 * sizeof(T));
  return last;
}

/// Reduces vectors, in any order.
template <class T, class Op>
class packed_total {
 public:
  __device__ void append(const order::uninitialized<T, items_per_vector<T>>& vector, const Op& op) {
    vector_words words;
    memcpy(&words, &vector, sizeof words);
#pragma unroll
    for (const std::uint32_t word : words.word) append(word, op);
  }
  __device__ void append(std::uint32_t word, const Op& op) {
    const std::uint32_t x = packed::encode(op, word);
    if constexpr (sizeof(T) == 1) {
      halfwords_ = packed::combine(op, halfwords_, even_bytes<packed>(x), odd_bytes<packed>(x));
    } else {
      halfwords_ = packed::combine(op, halfwords_, x);
    }
  }
  __device__ T get(const Op& op) const {
    return static_cast<T>(packed::decode(op, packed::combine(op, halfwords_, halfwords_ << 16)) >>
                          (32 - 8 * sizeof(T)));
  }

 private:
  using packed = packed16_op<T, Op>;
  std::uint32_t halfwords_ = 0;
};

}  // namespace heddle::gpu
