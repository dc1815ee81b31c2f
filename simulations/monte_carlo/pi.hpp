#pragma once

#include <heddle/ranks.hpp>
#include <heddle/target.hpp>

#include <cstdint>

namespace heddle::monte_carlo {

/// How many of samples first … first + count − 1 lie in the quarter of the unit disc. Sample k is a point of
/// the unit square, each coordinate (u + ½)/2³² with 32 random bits u: the half k mod 2 of Philox4x32-10 with
/// counter k div 2 and the seed as its key. So the number depends on the seed alone, not on the target. 2³²
/// coordinates an axis bias π by less than 10⁻⁹, far less than the error of any number of samples that can be
/// drawn. O(count); first + count may be 2⁶⁴ − 1.
std::uint64_t points_in_disc(const target& where, std::uint64_t seed, std::uint64_t first,
                             std::uint64_t count);
/// The same over ranks, each of which draws an even part of the samples on its target. Every rank calls it
/// and gets the number of all.
std::uint64_t points_in_disc(const ranks& all, std::uint64_t seed, std::uint64_t first, std::uint64_t count);

/// The estimate of π by so many samples.
struct pi_estimate {
  double value;           ///< 4 · inside/samples
  double standard_error;  ///< 4 · √(p·(1 − p)/samples) with p = inside/samples
};
pi_estimate estimate_of_pi(std::uint64_t inside, std::uint64_t samples);

}  // namespace heddle::monte_carlo
