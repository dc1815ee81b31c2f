#pragma once

/// Of Thrust: random orders. Which one a generator leads to, Thrust leaves open.

#include "ordered_algorithms.hpp"

namespace thrust {
namespace heddle {

/// 64 bits that all of a generator's next numbers take part in.
template <class Generator>
std::uint64_t drawn_from(Generator& g) {
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) result = (result ^ static_cast<std::uint64_t>(g())) * 0x9e3779b97f4a7c15u;
  return result;
}
/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct split_mix {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};
/// By Fisher and Yates, whose choices come from `seed`.
template <class It>
void shuffle_at(const place& where, const char* what, It first, It last, std::uint64_t seed) {
  const std::ptrdiff_t n = last - first;
  run_once(where, what, [of = unwrapped(first), n, seed]() mutable {
    split_mix next{seed};
    for (std::ptrdiff_t i = n - 1; i > 0; --i) {
      const auto j = static_cast<std::ptrdiff_t>(next() % static_cast<std::uint64_t>(i + 1));
      const value<It> kept = of[i];
      of[i] = static_cast<value<It>>(of[j]);
      of[j] = kept;
    }
  });
}

}  // namespace heddle

template <class Policy, class It, class Generator, heddle::if_policy<Policy> = 0>
void shuffle(const Policy& policy, It first, It last, Generator&& g) {
  heddle::shuffle_at(static_cast<heddle::place>(policy), "thrust::shuffle", first, last,
                     heddle::drawn_from(g));
}
template <class It, class Generator, heddle::unless_policy<It> = 0>
void shuffle(It first, It last, Generator&& g) {
  heddle::shuffle_at(heddle::place_of(first), "thrust::shuffle", first, last, heddle::drawn_from(g));
}
template <class Policy, class In, class Out, class Generator, heddle::if_policy<Policy> = 0>
void shuffle_copy(const Policy& policy, In first, In last, Out to, Generator&& g) {
  const heddle::place where = static_cast<heddle::place>(policy);
  const Out end = heddle::copy_at(where, first, last, to);
  heddle::shuffle_at(where, "thrust::shuffle_copy", to, end, heddle::drawn_from(g));
}
template <class In, class Out, class Generator, heddle::unless_policy<In> = 0>
void shuffle_copy(In first, In last, Out to, Generator&& g) {
  const heddle::place where = heddle::place_of(first, to);
  const Out end = heddle::copy_at(where, first, last, to);
  heddle::shuffle_at(where, "thrust::shuffle_copy", to, end, heddle::drawn_from(g));
}

}  // namespace thrust
