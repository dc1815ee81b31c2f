// Compiled once for each instruction set, with HEDDLE_ISA naming it. See patterns/cpu_kernels.cpp.
#include "patterns/lower_bound/cpu_kernels.hpp"

#include "patterns/sort/sortable.hpp"
#include <heddle/support/simd.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// The keys of elements, ascending as signed integers; equal elements have equal keys.
template <class T>
struct ascending_keys {
  using key = same_size_integer<T>;
  const T* elements;
  key flip;

  HEDDLE_ALWAYS_INLINE key of(T x) const {
    constexpr auto sign = static_cast<impl::unsigned_of_bytes<sizeof(T)>>(std::numeric_limits<key>::min());
    return static_cast<key>(static_cast<key>(impl::to_key(x) ^ sign) ^ flip);
  }
  HEDDLE_ALWAYS_INLINE key operator[](std::size_t i) const { return of(elements[i]); }
};

template <bool Upper, class Key>
HEDDLE_ALWAYS_INLINE bool is_before(Key element, Key value) {
  return Upper ? element <= value : element < value;
}

/// Searches that take their steps together, so that they wait for memory together.
template <class T, bool Upper>
struct scalar_searches {
  using key = same_size_integer<T>;
  static constexpr std::size_t together = 16;

  static HEDDLE_ALWAYS_INLINE void run(const ascending_keys<T>& keys, const key* values, std::size_t begin,
                                       std::size_t end, std::size_t* bounds) {
    std::size_t at[together];
    for (std::size_t i = 0; i < together; ++i) at[i] = begin;
    std::size_t left = end - begin;
    for (; left > 1; left -= left / 2) {
      // A mask, because a branch here is taken at random.
      for (std::size_t i = 0; i < together; ++i)
        at[i] += left / 2 & -std::size_t{is_before<Upper>(keys[at[i] + left / 2 - 1], values[i])};
    }
    for (std::size_t i = 0; i < together; ++i)
      bounds[i] = at[i] + (left == 1 && is_before<Upper>(keys[at[i]], values[i]) ? 1 : 0);
  }
};

#if defined(__AVX2__)
/// The same of elements of 4 and 8 bytes, a search a lane.
template <class T, bool Upper>
struct vector_searches {
  using key = same_size_integer<T>;
  using vector = typename simd<key>::vector;
  static constexpr std::size_t width = simd<key>::width, registers = sizeof(T) == 4 ? 2 : 4;
  static constexpr std::size_t together = registers * width;

  static HEDDLE_ALWAYS_INLINE vector gathered(const T* from, vector index) {
#if defined(__AVX512BW__)
    // With all lanes chosen, because g++ 12 warns of the intrinsics without a mask.
    const __m512i none{};
    if constexpr (sizeof(T) == 4)
      return (vector)_mm512_mask_i32gather_epi32(none, 0xffff, (__m512i)index, from, 4);
    if constexpr (sizeof(T) == 8)
      return (vector)_mm512_mask_i64gather_epi64(none, 0xff, (__m512i)index, from, 8);
#else
    if constexpr (sizeof(T) == 4)
      return (vector)_mm256_i32gather_epi32(reinterpret_cast<const int*>(from), (__m256i)index, 4);
    if constexpr (sizeof(T) == 8)
      return (vector)_mm256_i64gather_epi64(reinterpret_cast<const long long*>(from), (__m256i)index, 8);
#endif
  }
  static HEDDLE_ALWAYS_INLINE vector keys_at(const ascending_keys<T>& keys, vector index) {
    constexpr key sign = std::numeric_limits<key>::min(), largest = std::numeric_limits<key>::max();
    vector x = gathered(keys.elements, index);
    if constexpr (std::is_floating_point_v<T>) {
      const vector magnitude = x & largest;
      x = x ^ ((x >> static_cast<key>(8 * sizeof(key) - 1)) & largest);
      x = magnitude == 0 ? vector{} : x;
      x = magnitude > __builtin_bit_cast(key, std::numeric_limits<T>::infinity()) ? splat(largest) : x;
    } else if constexpr (std::is_unsigned_v<T>) {
      x ^= sign;
    }
    return x ^ keys.flip;
  }
  static HEDDLE_ALWAYS_INLINE vector before(vector elements, vector values) {
    return (vector)(Upper ? elements <= values : elements < values);
  }

  static HEDDLE_ALWAYS_INLINE void run(const ascending_keys<T>& keys, const key* values, std::size_t begin,
                                       std::size_t end, std::size_t* bounds) {
    vector at[registers], wanted[registers];
    for (std::size_t r = 0; r < registers; ++r) {
      at[r] = splat(static_cast<key>(begin));
      wanted[r] = simd<key>::load(values + r * width);
    }
    std::size_t left = end - begin;
    for (; left > 1; left -= left / 2) {
      const auto half = static_cast<key>(left / 2);
      for (std::size_t r = 0; r < registers; ++r)
        at[r] += before(keys_at(keys, at[r] + (half - 1)), wanted[r]) & half;
    }
    for (std::size_t r = 0; left == 1 && r < registers; ++r) at[r] -= before(keys_at(keys, at[r]), wanted[r]);
    for (std::size_t r = 0; r < registers; ++r) {
      for (std::size_t l = 0; l < width; ++l) bounds[r * width + l] = static_cast<std::size_t>(at[r][l]);
    }
  }
};
#endif

/// Values that ascend, as sorted ones do, are looked for from the bound of the last one on.
template <class T, bool Upper, class Searches>
void find_bounds(const ascending_keys<T>& keys, std::size_t n, const T* x, std::size_t count,
                 std::size_t* bounds) {
  using key = same_size_integer<T>;
  constexpr std::size_t together = Searches::together;
  key values[together];
  std::size_t found[together];
  std::size_t begin = 0;
  key last = std::numeric_limits<key>::min();
  for (std::size_t i = 0; i < count; i += together) {
    const std::size_t here = count - i < together ? count - i : together;
    for (std::size_t k = 0; k < together; ++k) values[k] = keys.of(x[i + (k < here ? k : here - 1)]);
    unsigned falls = values[0] < last ? 1 : 0;
    for (std::size_t k = 1; k < together; ++k) falls |= values[k] < values[k - 1] ? 1u : 0u;
    std::size_t end = n;
    if (falls != 0) {
      begin = 0;
    } else {
      std::size_t step = together;
      while (step < n - begin && is_before<Upper>(keys[begin + step - 1], values[together - 1])) step *= 2;
      end = step < n - begin ? begin + step : n;
    }
    last = values[together - 1];
    if (here == together) {
      Searches::run(keys, values, begin, end, bounds + i);
      begin = bounds[i + together - 1];
    } else {
      Searches::run(keys, values, begin, end, found);
      for (std::size_t k = 0; k < here; ++k) bounds[i + k] = found[k];
    }
  }
}

template <bool Upper, class T>
void find_bounds_of(const sorted_elements& sorted, const T* x, std::size_t count, std::size_t* bounds) {
  using key = same_size_integer<T>;
  const ascending_keys<T> keys{static_cast<const T*>(sorted.elements),
                               static_cast<key>(sorted.descending ? -1 : 0)};
#if defined(__AVX2__)
  if constexpr (sizeof(T) >= 4) {
    if (sizeof(T) == 8 || sorted.n <= std::size_t{std::numeric_limits<std::int32_t>::max()})
      return find_bounds<T, Upper, vector_searches<T, Upper>>(keys, sorted.n, x, count, bounds);
  }
#endif
  find_bounds<T, Upper, scalar_searches<T, Upper>>(keys, sorted.n, x, count, bounds);
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_OF_ISA(isa, name) HEDDLE_JOIN(isa, name)

void HEDDLE_OF_ISA(HEDDLE_ISA, _bounds)(dtype type, const sorted_elements& sorted, const void* values,
                                        std::size_t count, std::size_t* bounds) {
  impl::with_ordered_type(type, [&]<class T>(T) __attribute__((always_inline)) {
    const T* const x = static_cast<const T*>(values);
    if (sorted.upper) return find_bounds_of<true>(sorted, x, count, bounds);
    find_bounds_of<false>(sorted, x, count, bounds);
  });
}

}  // namespace heddle::cpu
