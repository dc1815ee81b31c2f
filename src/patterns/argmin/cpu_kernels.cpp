// Compiled once for each instruction set, with HEDDLE_ISA naming it. See patterns/cpu_kernels.cpp.
#include "patterns/argmin/cpu_kernels.hpp"

#include "patterns/sort/sortable.hpp"
#include <heddle/support/simd.hpp>

#include <cstdint>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// Whether a lane of a comparison is true.
template <class Lanes>
HEDDLE_ALWAYS_INLINE bool any_lane(Lanes v) {
#if defined(__AVX512BW__)
  return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256((__m256i)v, (__m256i)v) == 0;
#else
  const auto parts = (typename simd<std::int64_t>::vector)v;
  return (parts[0] | parts[1]) != 0;
#endif
}

/// Registers that are compared before a branch.
constexpr std::size_t at_once = 4;

/// The first element for which `matches` is true, of registers and of elements alike.
template <class T, class Matches>
HEDDLE_ALWAYS_INLINE std::size_t find_first_of(const T* x, std::size_t n, const Matches& matches) {
  constexpr std::size_t step = at_once * simd<T>::width;
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    auto found = matches(simd<T>::load(x + i));
    for (std::size_t k = 1; k < at_once; ++k) found |= matches(simd<T>::load(x + i + k * simd<T>::width));
    if (any_lane(found)) break;
  }
  while (i < n && !matches(x[i])) ++i;
  return i;
}

}  // namespace
}  // namespace HEDDLE_ISA

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_OF_ISA(isa, name) HEDDLE_JOIN(isa, name)

std::size_t HEDDLE_OF_ISA(HEDDLE_ISA, _find)(dtype type, const void* x, std::size_t n, const void* wanted) {
  std::size_t found = n;
  impl::with_ordered_type(type, [&]<class T>(T) __attribute__((always_inline)) {
    const T* const from = static_cast<const T*>(x);
    const T value = *static_cast<const T*>(wanted);
    if (value != value) {
      found = find_first_of(from, n, [](auto v) __attribute__((always_inline)) { return v != v; });
    } else {
      found = find_first_of(from, n, [=](auto v) __attribute__((always_inline)) { return v == value; });
    }
  });
  return found;
}

}  // namespace heddle::cpu
