#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/textbook/front.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace heddle::gpu::textbook {

/// One result in global memory that every thread of a grid may combine into. One that fits a word is updated
/// by the processor's atomic for the operator where there is one, and else by compare-and-swap.
template <class T>
class shared_result {
 public:
  __device__ void put(const T& value) {
    heddle::textbook::traffic<T>::written();
    word_ = packed(value);
  }

  template <class Op>
  __device__ void combine(const T& value, const Op& op) {
    heddle::textbook::traffic<T>::read();
    heddle::textbook::traffic<T>::written();
    if constexpr (is_native<Op>) {
      combine_natively(value, op);
    } else {
      for (word seen = *static_cast<volatile word*>(&word_);;) {
        const word before = atomicCAS(&word_, seen, packed(op(unpacked(seen), value)));
        if (before == seen) return;
        seen = before;
      }
    }
  }

  /// Whether the processor has an atomic for the operator.
  template <class Op>
  static constexpr bool is_native =
      requires(shared_result result, const T& value, const Op& op) { result.combine_natively(value, op); };

 private:
  using word = std::conditional_t<sizeof(T) <= 4, unsigned, unsigned long long>;
  using signed_word = std::conditional_t<sizeof(T) <= 4, int, long long>;
  /// The word as the processor compares it: small integers fill a whole one, with their sign.
  using number = std::conditional_t<std::is_signed_v<T>, signed_word, word>;
  static constexpr bool is_integer = std::is_integral_v<T>;

  static __device__ word packed(const T& value) {
    if constexpr (is_integer) {
      return static_cast<word>(value);
    } else {
      word bits = 0;
      memcpy(&bits, &value, sizeof(T));
      return bits;
    }
  }
  static __device__ T unpacked(word bits) {
    if constexpr (is_integer) {
      return static_cast<T>(bits);
    } else {
      order::uninitialized<T, 1> value;
      memcpy(static_cast<void*>(&value), &bits, sizeof(T));
      return value[0];
    }
  }

  /// An operator may have an atomic of its own.
  template <class Op>
  __device__ void combine_natively(const T& value, const Op& op)
    requires is_integer && requires(word* with) { op.combine_atomically(with, *with); }
  {
    op.combine_atomically(&word_, packed(value));
  }
  __device__ void combine_natively(const T& value, plus)
    requires is_integer
  {
    atomicAdd(&word_, packed(value));
  }
  // In the global memory of a GPU this takes floats below 2^-126 for 0.
  __device__ void combine_natively(const T& value, plus)
    requires std::is_same_v<T, float>
  {
    atomicAdd(reinterpret_cast<float*>(&word_), value);
  }
  __device__ void combine_natively(const T& value, plus)
    requires std::is_same_v<T, double>
  {
    atomicAdd(reinterpret_cast<double*>(&word_), value);
  }
  __device__ void combine_natively(const T& value, minimum)
    requires is_integer
  {
    atomicMin(reinterpret_cast<number*>(&word_), static_cast<number>(value));
  }
  __device__ void combine_natively(const T& value, maximum)
    requires is_integer
  {
    atomicMax(reinterpret_cast<number*>(&word_), static_cast<number>(value));
  }
  __device__ void combine_natively(const T& value, bit_and)
    requires is_integer
  {
    atomicAnd(&word_, packed(value));
  }
  __device__ void combine_natively(const T& value, bit_or)
    requires is_integer
  {
    atomicOr(&word_, packed(value));
  }
  __device__ void combine_natively(const T& value, bit_xor)
    requires is_integer
  {
    atomicXor(&word_, packed(value));
  }
  // Elements are 0 or 1 when a logical operator sees them.
  __device__ void combine_natively(const T& value, logical_and)
    requires is_integer
  {
    atomicAnd(&word_, packed(value));
  }
  __device__ void combine_natively(const T& value, logical_or)
    requires is_integer
  {
    atomicOr(&word_, packed(value));
  }
  __device__ void combine_natively(const T& value, logical_xor)
    requires is_integer
  {
    atomicXor(&word_, packed(value));
  }

  word word_;
};

/// One that does not fit a word has a lock. The lanes of a warp try for it one at a time, so that fewer
/// threads delay the one that releases it. Fences order reading the value after taking the lock, and writing
/// it before releasing the lock.
template <class T>
  requires(sizeof(T) > 8)
class shared_result<T> {
 public:
  __device__ void put(const T& value) {
    heddle::textbook::traffic<T>::written();
    value_[0] = value;
    lock_ = 0;
  }

  template <class Op>
  __device__ void combine(const T& value, const Op& op) {
    heddle::textbook::traffic<T>::read();
    heddle::textbook::traffic<T>::written();
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      if (threadIdx.x % warp_size != lane) continue;
      while (atomicCAS(&lock_, 0u, 1u) != 0) __nanosleep(100);
      __threadfence();
      value_[0] = op(value_[0], value);
      __threadfence();
      atomicExch(&lock_, 0u);
    }
  }

  template <class Op>
  static constexpr bool is_native = false;

 private:
  order::uninitialized<T, 1> value_;
  unsigned lock_;
};

}  // namespace heddle::gpu::textbook
