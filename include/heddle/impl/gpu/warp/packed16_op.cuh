#pragma once

#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/order.hpp>
#include <heddle/operators.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// Vectors of 1- and 2-byte integers, combined as packed halfwords, two to a 32-bit word: a quarter to a half
/// of the instructions that unpacked elements take. An operator says how it combines halfwords; it may
/// combine another form of the elements, whose identity is 0.
namespace heddle::gpu {

/// How an operator combines halfwords: `enter` converts a word of elements to the form that is combined,
/// `leave` converts back, and `combine` takes words of two halfwords. A byte is the upper half of a halfword.
/// Comparisons and bitwise operators ignore the bits below it; for other operators the bits that are not in
/// `kept` are cleared.
template <class T, class Op>
struct packed16_op {
  static constexpr bool exist = false;
};

template <class T, class Op>
  requires(std::is_integral_v<T> && sizeof(T) <= 2 &&
           requires(const Op& op, std::uint32_t word) { op.combine_lanes(word, word); })
struct packed16_op<T, Op> {
  static constexpr bool exist = true;
  static constexpr std::uint32_t kept = 0xffffffffu;
  static __device__ std::uint32_t enter(const Op& op, std::uint32_t word) {
    return op.template enter_lanes<T>(word);
  }
  static __device__ std::uint32_t leave(const Op& op, std::uint32_t word) {
    return op.template leave_lanes<T>(word);
  }
  template <class... Words>
  static __device__ std::uint32_t combine(const Op& op, Words... words) {
    return op.combine_lanes(words...);
  }
};

/// Sums of bytes, other than bool. The carries of a halfword add up in the bits below the byte of the next,
/// which have room for those of several vectors.
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) == 1)
struct packed16_op<T, plus> {
  static constexpr bool exist = true;
  static constexpr std::uint32_t kept = 0xff00ff00u;
  static __device__ std::uint32_t enter(plus, std::uint32_t word) { return word; }
  static __device__ std::uint32_t leave(plus, std::uint32_t word) { return word; }
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
  return word << 8 & By::kept;
}
template <class By>
__device__ std::uint32_t odd_bytes(std::uint32_t word) {
  return word & By::kept;
}
inline __device__ std::uint32_t interleaved_bytes(std::uint32_t even, std::uint32_t odd) {
  return __byte_perm(even, odd, 0x7351);
}

/// Scans a vector. `before` is the total of those before it, or 0, and becomes that of this one too. The
/// result stays in the form that `enter` gives. Returns its last element.
template <class T, class Op>
__device__ T scan_packed(vector_words& vector, std::uint32_t& before, const Op& op) {
  using by = packed16_op<T, Op>;
#pragma unroll
  for (unsigned w = 0; w < words_per_vector; ++w) {
    const std::uint32_t x = by::enter(op, vector.word[w]);
    std::uint32_t last;
    if constexpr (sizeof(T) == 1) {
      const std::uint32_t even = even_bytes<by>(x), pairs = by::combine(op, even, odd_bytes<by>(x));
      last = by::combine(op, pairs, pairs << 16, before);
      vector.word[w] = interleaved_bytes(by::combine(op, even, pairs << 16, before), last);
    } else {
      last = by::combine(op, x, x << 16, before);
      vector.word[w] = last;
    }
    before = __byte_perm(last, 0, sizeof(T) == 1 ? 0x3434 : 0x3232);
  }
  return static_cast<T>(by::leave(op, vector.word[words_per_vector - 1]) >> (32 - 8 * sizeof(T)));
}

/// A scanned vector combined with `carry` from the left, as elements.
template <class T, class Op>
__device__ vector_words prepend_packed(vector_words vector, const T& carry, const Op& op) {
  using by = packed16_op<T, Op>;
  const std::uint32_t first = broadcast_packed(carry);
  const std::uint32_t before = by::enter(op, first) & (sizeof(T) == 1 ? by::kept : 0xffffffffu);
#pragma unroll
  for (std::uint32_t& word : vector.word) {
    if constexpr (sizeof(T) == 1) {
      word = interleaved_bytes(by::combine(op, even_bytes<by>(word), before),
                               by::combine(op, odd_bytes<by>(word), before));
    } else {
      word = by::combine(op, word, before);
    }
    word = by::leave(op, word);
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
    vector_words held;
    memcpy(&held, &vector, sizeof held);
#pragma unroll
    for (const std::uint32_t word : held.word) append(word, op);
  }
  __device__ void append(std::uint32_t word, const Op& op) {
    const std::uint32_t x = by::enter(op, word);
    if constexpr (sizeof(T) == 1) {
      lanes_ = by::combine(op, lanes_, even_bytes<by>(x), odd_bytes<by>(x));
    } else {
      lanes_ = by::combine(op, lanes_, x);
    }
  }
  __device__ T get(const Op& op) const {
    return static_cast<T>(by::leave(op, by::combine(op, lanes_, lanes_ << 16)) >> (32 - 8 * sizeof(T)));
  }

 private:
  using by = packed16_op<T, Op>;
  std::uint32_t lanes_ = 0;
};

}  // namespace heddle::gpu
