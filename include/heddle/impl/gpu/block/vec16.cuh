#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>

#include <cstddef>
#include <cstdint>

/// Vectors of neighbouring elements, which a thread loads and stores at once. A vec16 is 16 bytes at a
/// multiple of 16.
namespace heddle::gpu {

/// Elements of a vector: 16 bytes of them, or one element where 16 is no multiple of its size.
template <class T>
inline constexpr unsigned items_per_vector = sizeof(T) <= 16 && 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
template <class T>
inline constexpr bool vectors_are_16_bytes = items_per_vector<T> * sizeof(T) == 16;

/// Whether elements are aligned to their size.
template <class T>
inline constexpr bool naturally_aligned = alignof(T) == sizeof(T);

/// Bytes from the last multiple of 16 to `x`.
template <class T>
__device__ unsigned misalignment16(const T* x) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(x) & 15);
}

/// Bytes first_byte … first_byte + 15 of 32, where first_byte < 16 is a multiple of `Unit`.
template <unsigned Unit>
__device__ uint4 shifted_vec16(const uint4& low, const uint4& high, unsigned first_byte) {
  std::uint32_t word[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (unsigned step = 2; step > 0 && 4 * step >= Unit; step /= 2) {
#pragma unroll
    for (unsigned w = 0; w < 8 - step; ++w) word[w] = first_byte / 4 & step ? word[w + step] : word[w];
  }
  if constexpr (Unit < 4) {
#pragma unroll
    for (unsigned w = 0; w < 4; ++w) word[w] = __funnelshift_r(word[w], word[w + 1], first_byte % 4 * 8);
  }
  return {word[0], word[1], word[2], word[3]};
}

/// Copies the bytes of a vec16 that lie between `begin` and `end`, one by one: other bytes may not be read.
/// Only the first and the last vec16 of an array need this.
__device__ inline void copy_part_of_vec16(unsigned char* to, std::uintptr_t vector, std::uintptr_t begin,
                                          std::uintptr_t end) {
#pragma unroll 1
  for (unsigned b = 0; b < 16; ++b) {
    if (vector + b >= begin && vector + b < end) to[b] = *reinterpret_cast<const unsigned char*>(vector + b);
  }
}

template <class T>
__device__ void copy_vector(void* to, const void* from) {
  if constexpr (vectors_are_16_bytes<T>) {
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
  } else {
    // Typed, so that compilers know how it is aligned.
    *static_cast<T*>(to) = *static_cast<const T*>(from);
  }
}

/// Stores a vector to global memory; `to` is a multiple of 16 where vectors have 16 bytes.
template <class T>
__device__ void store_vector(T* to, const order::uninitialized<T, items_per_vector<T>>& x) {
  if constexpr (vectors_are_16_bytes<T>) {
    uint4 bits;
    memcpy(&bits, &x, sizeof bits);
    // nvcc splits a plain store of 16 bytes where stores to neighbouring addresses follow.
    __stwb(reinterpret_cast<uint4*>(to), bits);
  } else {
    *to = x[0];
  }
}

/// Sets the first `count` elements of a vector, fewer than all, to `identity`. Works on words: elements that
/// are unpacked in this branch would stay unpacked after it.
template <class T>
__device__ void mask_prefix(unsigned count, const T& identity,
                            order::uninitialized<T, items_per_vector<T>>& x) {
  std::uint32_t word[4], identity_word[4];
  memcpy(word, &x, 16);
  order::uninitialized<T, items_per_vector<T>> identities;
#pragma unroll
  for (unsigned k = 0; k < items_per_vector<T>; ++k) identities[k] = identity;
  memcpy(identity_word, &identities, 16);
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) {
    const unsigned bytes =
        count * static_cast<unsigned>(sizeof(T)) - min(count * static_cast<unsigned>(sizeof(T)), 4 * w);
    const std::uint32_t mask = bytes < 4 ? (1u << 8 * bytes) - 1 : ~0u;
    word[w] = (word[w] & ~mask) | (identity_word[w] & mask);
  }
  memcpy(static_cast<void*>(&x), word, 16);
}

/// Shifts a vector by an element towards its end and inserts `first`. Returns the element shifted out.
template <class T, std::size_t N>
__device__ T shift_right(const T& first, order::uninitialized<T, N>& x) {
  const T last = x[N - 1];
#pragma unroll
  for (unsigned k = N - 1; k > 0; --k) x[k] = x[k - 1];
  x[0] = first;
  return last;
}

/// Neighbouring vectors of 16 bytes in shared memory, which one lane loads or stores. Lanes begin with
/// different ones, because a stride of 32 or 64 bytes would cause bank conflicts.
template <unsigned N>
class vectors_of_lane {
 public:
  static_assert(N == 1 || N == 2 || N == 4);
  uint4 vector[N];

  /// `from` is the lane's first vector in shared memory, at a multiple of 16.
  __device__ void load(const uint4* from) {
#pragma unroll
    for (unsigned p = 0; p < N; ++p) vector[p] = from[(p + first()) % N];
    rotate(N - first());
  }
  __device__ void store(uint4* to) {
    rotate(first());
#pragma unroll
    for (unsigned p = 0; p < N; ++p) to[(p + first()) % N] = vector[p];
  }

 private:
  __device__ static unsigned first() { return threadIdx.x % warp_size * N / 8 % N; }
  /// Replaces vector p by vector p + `by`, for all p.
  __device__ void rotate(unsigned by) {
#pragma unroll
    for (unsigned step = 1; step < N; step *= 2) {
      uint4 from[N];
#pragma unroll
      for (unsigned p = 0; p < N; ++p) from[p] = vector[p];
#pragma unroll
      for (unsigned p = 0; p < N; ++p) {
        const uint4& other = from[(p + step) % N];
        const bool moves = (by & step) != 0;
        vector[p] = {moves ? other.x : from[p].x, moves ? other.y : from[p].y, moves ? other.z : from[p].z,
                     moves ? other.w : from[p].w};
      }
    }
  }
};

/// Loads a vector that begins `past` bytes after a multiple of 16. `Shifts`: it is assembled from the two
/// aligned vec16 that hold it, all of whose bytes may be read.
template <bool Shifts, class T>
__device__ void load_vector(const T* from, unsigned past, order::uninitialized<T, items_per_vector<T>>& x) {
  constexpr bool always_vec16 = vectors_are_16_bytes<T> && Shifts && naturally_aligned<T>;
  if constexpr (vectors_are_16_bytes<T>) {
    if (past == 0) return copy_vector<T>(&x, from);
    if (always_vec16 || (Shifts && past % sizeof(T) == 0)) {
      const uint4* const vectors = reinterpret_cast<const uint4*>(reinterpret_cast<const char*>(from) - past);
#if HD_PTX_ARCH > 0
      const uint4 vector = shifted_vec16<sizeof(T)>(vectors[0], vectors[1], past);
#else
      // Whole vectors: a compiler for CPUs would copy word by word, some of them uninitialised.
      uint4 both[2];
      memcpy(&both[0], vectors, 16);
      memcpy(&both[1], vectors + 1, 16);
      const uint4 vector = shifted_vec16<sizeof(T)>(both[0], both[1], past);
#endif
      memcpy(&x, &vector, 16);
      return;
    }
  }
  if constexpr (!always_vec16) {
#pragma unroll
    for (unsigned k = 0; k < items_per_vector<T>; ++k) x[k] = from[k];
  }
}

}  // namespace heddle::gpu
