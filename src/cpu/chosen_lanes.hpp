// For what is compiled once for each instruction set, with HEDDLE_ISA naming it.
#pragma once

#include <heddle/support/simd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__) && !defined(__AVX512BW__)
namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// For each mask of Width lanes of a register of 32 bytes the 4-byte lanes of those that are set, then of the
/// others, a byte each.
template <std::size_t Width>
constexpr std::array<std::uint64_t, std::size_t{1} << Width> chosen_lanes_first = [] {
  std::array<std::uint64_t, std::size_t{1} << Width> all{};
  constexpr std::size_t parts = 8 / Width;
  for (std::size_t mask = 0; mask < all.size(); ++mask) {
    std::size_t at = 0;
    for (const std::size_t wanted : {std::size_t{1}, std::size_t{0}}) {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        if ((mask >> (lane / parts) & 1) == wanted) all[mask] |= std::uint64_t{lane} << (8 * at++);
      }
    }
  }
  return all;
}();

/// The chosen lanes of v, in their order, then the others.
template <std::size_t Width>
HEDDLE_ALWAYS_INLINE __m256i with_chosen_first(__m256i v, unsigned mask) {
  const auto lanes = static_cast<long long>(chosen_lanes_first<Width>[mask]);
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes)));
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
#endif
