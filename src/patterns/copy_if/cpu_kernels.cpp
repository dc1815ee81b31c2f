// Compiled once for each instruction set, with HEDDLE_ISA naming it. See patterns/cpu_kernels.cpp.
#include "patterns/copy_if/cpu_kernels.hpp"

#include "core/unequal.hpp"
#include "cpu/chosen_lanes.hpp"
#include <heddle/support/simd.hpp>

#include <cstdint>
#include <type_traits>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

#if defined(__AVX2__)
/// Flags that are read at a time, as the bits of a mask.
constexpr std::size_t block = register_bytes;

HEDDLE_ALWAYS_INLINE std::uint64_t mask_of(const bool* flags, bool wanted) {
#if defined(__AVX512BW__)
  const __m512i set = _mm512_loadu_si512(flags);
  return wanted ? _mm512_test_epi8_mask(set, set) : _mm512_testn_epi8_mask(set, set);
#else
  const __m256i set = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(flags));
  const auto unset = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(set, __m256i{})));
  return wanted ? static_cast<std::uint32_t>(~unset) : unset;
#endif
}

/// Writes the chosen of a block of elements, whose register r is load(r). Returns the end, or null if there
/// may be no room for whole registers.
template <class T, class Load>
HEDDLE_ALWAYS_INLINE T* copy_block(const Load& load, std::uint64_t mask, T* to,
                                   [[maybe_unused]] const T* end) {
#if defined(__AVX512BW__)
  constexpr std::size_t width = sizeof(T) == 8 ? 8 : 16;
#else
  constexpr std::size_t width = 32 / sizeof(T);
  if (static_cast<std::size_t>(end - to) < block) return nullptr;
#endif
  for (std::size_t r = 0; r < block / width; ++r) {
    const auto lanes = static_cast<std::uint32_t>(mask >> (r * width)) & ((1u << width) - 1);
    const auto count = static_cast<unsigned>(__builtin_popcount(lanes));
#if defined(__AVX512BW__)
    const auto filled = static_cast<__mmask16>((1u << count) - 1);
    if constexpr (sizeof(T) == 8) {
      const __m512i chosen = _mm512_maskz_compress_epi64(static_cast<__mmask8>(lanes), load(r));
      _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(filled), chosen);
    } else {
      const __m512i chosen = _mm512_maskz_compress_epi32(static_cast<__mmask16>(lanes), load(r));
      if constexpr (sizeof(T) == 4) _mm512_mask_storeu_epi32(to, filled, chosen);
      if constexpr (sizeof(T) == 2) _mm512_mask_cvtepi32_storeu_epi16(to, filled, chosen);
      if constexpr (sizeof(T) == 1) _mm512_mask_cvtepi32_storeu_epi8(to, filled, chosen);
    }
#else
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), with_chosen_first<width>(load(r), lanes));
#endif
    to += count;
  }
  return to;
}

/// Register r of elements: of 1 and 2 bytes, the elements as 4 bytes each.
template <class T>
struct elements_of_block {
  const char* from;
#if defined(__AVX512BW__)
  HEDDLE_ALWAYS_INLINE __m512i operator()(std::size_t r) const {
    const char* const x = from + r * (sizeof(T) == 8 ? 8 : 16) * sizeof(T);
    constexpr __mmask16 all = 0xffff;
    if constexpr (sizeof(T) == 1)
      return _mm512_maskz_cvtepu8_epi32(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
    if constexpr (sizeof(T) == 2)
      return _mm512_maskz_cvtepu16_epi32(all, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
    return _mm512_loadu_si512(x);
  }
#else
  HEDDLE_ALWAYS_INLINE __m256i operator()(std::size_t r) const {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + r * 32));
  }
#endif
};
struct indices_of_block {
  std::size_t first;
  HEDDLE_ALWAYS_INLINE auto operator()(std::size_t r) const {
    typename simd<std::size_t>::vector index;
    for (std::size_t l = 0; l < simd<std::size_t>::width; ++l) index[l] = l;
    index += first + r * simd<std::size_t>::width;
#if defined(__AVX512BW__)
    return (__m512i)index;
#else
    return (__m256i)index;
#endif
  }
};
#endif

/// Writes value(i) of the chosen; block_at(i) gives the registers of a block.
template <bool InRegisters, class T, class Value, class BlockAt>
HEDDLE_ALWAYS_INLINE void copy_chosen(const flagged& of, const Value& value,
                                      [[maybe_unused]] const BlockAt& block_at, T* to) {
  T* const end = to + of.chosen;
  std::size_t i = 0;
#if defined(__AVX2__)
  constexpr int few = 4;
  for (; i + block <= of.n && to != end; i += block) {
    std::uint64_t mask = mask_of(of.flags + i, of.wanted);
    if (InRegisters && __builtin_popcountll(mask) > few) {
      if constexpr (InRegisters) {
        T* const next = copy_block(block_at(i), mask, to, end);
        if (next == nullptr) break;
        to = next;
      }
    } else {
      for (; mask != 0; mask &= mask - 1) *to++ = value(i + static_cast<std::size_t>(__builtin_ctzll(mask)));
    }
  }
#endif
  // Each element is written where the next chosen one goes, so that there is no branch on its flag.
  for (; to != end; ++i) {
    *to = value(i);
    to += of.flags[i] == of.wanted ? 1 : 0;
  }
}

template <class T>
HEDDLE_ALWAYS_INLINE void copy_elements(const flagged& of, const void* x, void* out) {
  // Elements of a user's type may be at any address.
  const char* const from = static_cast<const char*>(x);
#if defined(__AVX2__)
  constexpr bool in_registers = register_bytes == 64 || sizeof(T) >= 4;
  const auto block_at = [from](std::size_t i) __attribute__((always_inline)) {
    return elements_of_block<T>{from + i * sizeof(T)};
  };
#else
  constexpr bool in_registers = false;
  constexpr int block_at = 0;
#endif
  const auto element = [from](std::size_t i) __attribute__((always_inline)) {
    T value;
    __builtin_memcpy(&value, from + i * sizeof value, sizeof value);
    return value;
  };
  copy_chosen<in_registers>(of, element, block_at, static_cast<T*>(out));
}

void copy(const flagged& of, const void* x, std::size_t element_bytes, void* out) {
  switch (element_bytes) {
    case 1:
      return copy_elements<std::uint8_t>(of, x, out);
    case 2:
      return copy_elements<std::uint16_t>(of, x, out);
    case 4:
      return copy_elements<std::uint32_t>(of, x, out);
    case 8:
      return copy_elements<std::uint64_t>(of, x, out);
    default:
      break;
  }
  const char* const from = static_cast<const char*>(x);
  char* to = static_cast<char*>(out);
  for (std::size_t i = 0; i < of.n; ++i) {
    if (of.flags[i] != of.wanted) continue;
    __builtin_memcpy(to, from + i * element_bytes, element_bytes);
    to += element_bytes;
  }
}

void indices(const flagged& of, std::size_t first, std::size_t* out) {
#if defined(__AVX2__)
  const auto block_at = [first](std::size_t i)
                            __attribute__((always_inline)) { return indices_of_block{first + i}; };
#else
  constexpr int block_at = 0;
#endif
  copy_chosen<(register_bytes > 16)>(
      of, [first](std::size_t i) __attribute__((always_inline)) { return first + i; }, block_at, out);
}

/// A flag is a byte of 0 or 1.
std::size_t count(const bool* flags, std::size_t n) {
  std::size_t found = 0, i = 0;
  for (; i + sizeof(std::uint64_t) <= n; i += sizeof(std::uint64_t)) {
    std::uint64_t eight = 0;
    __builtin_memcpy(&eight, flags + i, sizeof eight);
    found += static_cast<std::size_t>((eight * 0x0101010101010101u) >> 56);
  }
  for (; i < n; ++i) found += flags[i] ? 1 : 0;
  return found;
}

void flag_changes(dtype type, const void* x, std::size_t first, std::size_t last, bool* flags) {
  with_type(type, [&]<class T>(T) __attribute__((always_inline)) {
    const T* const from = static_cast<const T*>(x);
    if (first == 0) flags[0] = true;
    for (std::size_t i = first == 0 ? 1 : first; i < last; ++i)
      flags[i] = impl::is_unequal(from[i], from[i - 1]);
  });
}

constexpr copy_if_kernels kernels{count, copy, indices, flag_changes};

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_OF_ISA(isa, name) HEDDLE_JOIN(isa, name)

const copy_if_kernels* HEDDLE_OF_ISA(HEDDLE_ISA, _copy_if)() {
  return &kernels;
}

}  // namespace heddle::cpu
