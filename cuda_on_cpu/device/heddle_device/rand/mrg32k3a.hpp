#pragma once

/// Of cuRAND: the engine MRG32k3a (L'Ecuyer, Operations Research 47, 1999) with its seeds, in subsequences of
/// 2^76 numbers and sequences of 2^127.

#include "engines.hpp"

struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  heddle_device::rand::kept_normals kept;
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

namespace heddle_device::rand {

inline constexpr unsigned long long mrg_moduli[2] = {4294967087, 4294944443};

/// What a step, or many, makes of the last three numbers of one of its two recurrences.
struct mrg_matrix {
  unsigned of[3][3];
};
/// The matrices of 2^i steps of both recurrences.
struct mrg_jumps {
  mrg_matrix of[2][192];
  HEDDLE_UNWATCHED mrg_jumps() {
    of[0][0] = {{{0, 1, 0}, {0, 0, 1}, {4294967087u - 810728, 1403580, 0}}};
    of[1][0] = {{{0, 1, 0}, {0, 0, 1}, {4294944443u - 1370589, 0, 527612}}};
    for (int r = 0; r < 2; ++r) {
      for (int k = 1; k < 192; ++k) {
        const mrg_matrix& half = of[r][k - 1];
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            unsigned long long sum = 0;
            for (int l = 0; l < 3; ++l)
              sum += half.of[i][l] * static_cast<unsigned long long>(half.of[l][j]) % mrg_moduli[r];
            of[r][k].of[i][j] = static_cast<unsigned>(sum % mrg_moduli[r]);
          }
        }
      }
    }
  }
  HEDDLE_UNWATCHED void apply(int r, int power, unsigned* s) const {
    unsigned result[3];
    for (int i = 0; i < 3; ++i) {
      unsigned long long sum = 0;
      for (int j = 0; j < 3; ++j)
        sum += of[r][power].of[i][j] * static_cast<unsigned long long>(s[j]) % mrg_moduli[r];
      result[i] = static_cast<unsigned>(sum % mrg_moduli[r]);
    }
    for (int i = 0; i < 3; ++i) s[i] = result[i];
  }
};
HEDDLE_UNWATCHED inline void mrg_jump(unsigned* s, int r, unsigned long long times, int first_power) {
  static const mrg_jumps* const known = new mrg_jumps;
  for (int i = 0; times != 0; ++i, times >>= 1)
    if ((times & 1) != 0) known->apply(r, first_power + i, s);
}
/// times · 2^first_power steps.
inline void jump(curandStateMRG32k3a* s, unsigned long long times, int first_power) {
  for (int r = 0; r < 2; ++r) {
    unsigned* const of = r == 0 ? s->s1 : s->s2;
    unsigned own[3] = {of[0], of[1], of[2]};
    mrg_jump(own, r, times, first_power);
    for (int i = 0; i < 3; ++i) of[i] = own[i];
  }
}
/// The next number, from 1 to the first modulus.
inline double mrg_next(curandStateMRG32k3a* s) {
  constexpr unsigned long long m1 = mrg_moduli[0], m2 = mrg_moduli[1];
  const unsigned long long p1 = (1403580ull * s->s1[1] + (m1 - s->s1[0]) * 810728ull) % m1;
  const unsigned long long p2 = (527612ull * s->s2[2] + (m2 - s->s2[0]) * 1370589ull) % m2;
  for (int i = 0; i < 2; ++i) {
    s->s1[i] = s->s1[i + 1];
    s->s2[i] = s->s2[i + 1];
  }
  s->s1[2] = static_cast<unsigned>(p1);
  s->s2[2] = static_cast<unsigned>(p2);
  return static_cast<double>(p1 > p2 ? p1 - p2 : p1 + m1 - p2);
}

}  // namespace heddle_device::rand

/// All 32 bits are reached, by a factor that is cuRAND's.
inline unsigned curand(curandStateMRG32k3a* s) {
  return static_cast<unsigned>(heddle_device::rand::mrg_next(s) * 1.000000048662);
}
inline void skipahead(unsigned long long n, curandStateMRG32k3a* s) {
  heddle_device::rand::jump(s, n, 0);
}
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* s) {
  heddle_device::rand::jump(s, n, 76);
}
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* s) {
  heddle_device::rand::jump(s, n, 127);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateMRG32k3a* s) {
  const unsigned factors[2] = {static_cast<unsigned>(seed) ^ 0x55555555u,
                               static_cast<unsigned>(seed >> 32) ^ 0xaaaaaaaau};
  for (int i = 0; i < 3; ++i) {
    const unsigned long long x = seed == 0 ? 1 : factors[i % 2], y = seed == 0 ? 1 : factors[(i + 1) % 2];
    s->s1[i] = static_cast<unsigned>(12345 * x % heddle_device::rand::mrg_moduli[0]);
    s->s2[i] = static_cast<unsigned>(12345 * y % heddle_device::rand::mrg_moduli[1]);
  }
  s->kept = {};
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
