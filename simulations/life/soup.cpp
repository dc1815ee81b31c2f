#include "life/soup.hpp"

#include <heddle/error.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/core.h>

namespace heddle::life {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

}  // namespace

grid soup(std::size_t width, std::size_t height, double density, std::uint64_t seed, const target& where) {
  if (!(density >= 0 && density <= 1)) {
    fail(fmt::format("a density of {} is outside 0 to 1", density));
  }
  constexpr int digits = 32;
  const auto parts = static_cast<std::uint64_t>(std::llround(std::ldexp(density, digits)));
  grid result(width, height);
  const std::uint64_t key = mix(seed + 0x9e3779b97f4a7c15u);
  cpu::for_slices(where.threads(), height, 1 + 4096 / std::max<std::size_t>(1, result.words_in_row()),
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t y = first; y < last; ++y) {
                      for (std::size_t i = 0; i < result.words_in_row(); ++i) {
                        std::uint64_t bits = parts >> digits != 0 ? ~std::uint64_t{0} : 0;
                        // From the last binary digit of the density to the first: a random bit halves the
                        // probability so far, and adds one half where the digit is 1.
                        const int zeros = std::countr_zero(parts);
                        const std::uint64_t place =
                            mix(key + (y * result.words_in_row() + i) * 0x9e3779b97f4a7c15u);
                        for (int digit = zeros; digit < digits; ++digit) {
                          const std::uint64_t random =
                              mix(place + static_cast<std::uint64_t>(digits - digit) * 0xd1342543de82ef95u);
                          bits = parts >> digit & 1 ? bits | random : bits & random;
                        }
                        result.row(y)[i] = bits;
                      }
                      if (width % 64 != 0)
                        result.row(y)[result.words_in_row() - 1] &= ~std::uint64_t{0} >> (64 - width % 64);
                    }
                  });
  return result;
}

}  // namespace heddle::life
