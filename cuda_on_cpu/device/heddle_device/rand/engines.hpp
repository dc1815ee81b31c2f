#pragma once

/// Of cuRAND: the engines XORWOW (Marsaglia, J. Stat. Soft. 8, 2003) and Philox4x32-10 (Salmon et al., SC
/// 2011) with its seeds and its sequences.

#include "types.hpp"

namespace heddle_device::rand {

/// The five words of XORWOW that a step maps linearly over GF(2).
struct words {
  unsigned v[5];
};
HEDDLE_UNWATCHED inline void step(words& w) {
  const unsigned t = w.v[0] ^ (w.v[0] >> 2);
  for (int i = 0; i < 4; ++i) w.v[i] = w.v[i + 1];
  w.v[4] = w.v[4] ^ (w.v[4] << 4) ^ t ^ (t << 1);
}
/// 2^i steps at once, for i up to 130: what each bit becomes.
struct jumps {
  words of[131][160];
  HEDDLE_UNWATCHED jumps() {
    for (int bit = 0; bit < 160; ++bit) {
      words w{};
      w.v[bit / 32] = 1u << (bit % 32);
      step(w);
      of[0][bit] = w;
    }
    for (int i = 1; i < 131; ++i) {
      for (int bit = 0; bit < 160; ++bit) of[i][bit] = jumped(i - 1, of[i - 1][bit]);
    }
  }
  HEDDLE_UNWATCHED words jumped(int i, const words& from) const {
    words result{};
    for (int bit = 0; bit < 160; ++bit) {
      if ((from.v[bit / 32] >> (bit % 32) & 1) == 0) continue;
      for (int k = 0; k < 5; ++k) result.v[k] ^= of[i][bit].v[k];
    }
    return result;
  }
};
HEDDLE_UNWATCHED inline words jump(words w, unsigned long long times, int first_power) {
  static const jumps* const known = new jumps;
  for (int i = 0; times != 0; ++i, times >>= 1) {
    if (times & 1) w = known->jumped(first_power + i, w);
  }
  return w;
}

inline uint4 philox(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p = 0xd2511f53ull * c.x, q = 0xcd9e8d57ull * c.z;
    c = make_uint4(static_cast<unsigned>(q >> 32) ^ c.y ^ key.x, static_cast<unsigned>(q),
                   static_cast<unsigned>(p >> 32) ^ c.w ^ key.y, static_cast<unsigned>(p));
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return c;
}

/// A normal number that was made with another one.
struct kept_normals {
  int has_float, has_double;
  float of_float;
  double of_double;
};

}  // namespace heddle_device::rand

struct curandStateXORWOW {
  unsigned d, v[5];
  heddle_device::rand::kept_normals kept;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  heddle_device::rand::kept_normals kept;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

inline unsigned curand(curandStateXORWOW* s) {
  const unsigned t = s->v[0] ^ (s->v[0] >> 2);
  for (int i = 0; i < 4; ++i) s->v[i] = s->v[i + 1];
  s->v[4] = s->v[4] ^ (s->v[4] << 4) ^ t ^ (t << 1);
  s->d += 362437;
  return s->v[4] + s->d;
}
namespace heddle_device::rand {
inline void jump(curandStateXORWOW* s, unsigned long long times, int first_power) {
  words w{};
  for (int i = 0; i < 5; ++i) w.v[i] = s->v[i];
  w = jump(w, times, first_power);
  for (int i = 0; i < 5; ++i) s->v[i] = w.v[i];
}
}  // namespace heddle_device::rand
inline void skipahead(unsigned long long n, curandStateXORWOW* s) {
  heddle_device::rand::jump(s, n, 0);
  s->d += 362437u * static_cast<unsigned>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* s) {
  heddle_device::rand::jump(s, n, 67);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                        curandStateXORWOW* s) {
  const unsigned low = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  const unsigned high = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  s->d = 6615241 + high + low;
  s->v[0] = 123456789 + low;
  s->v[1] = 362436069 ^ low;
  s->v[2] = 521288629 + high;
  s->v[3] = 88675123 ^ high;
  s->v[4] = 5783321 + low;
  s->kept = {};
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}

namespace heddle_device::rand {
/// Adds to the counter from its word `first` on.
inline void count(curandStatePhilox4_32_10* s, unsigned long long n, int first) {
  unsigned* const words = &s->ctr.x;
  unsigned long long carry = 0;
  for (int i = first; i < 4; ++i) {
    const unsigned part = i == first       ? static_cast<unsigned>(n)
                          : i == first + 1 ? static_cast<unsigned>(n >> 32)
                                           : 0;
    const unsigned long long sum = carry + words[i] + part;
    words[i] = static_cast<unsigned>(sum);
    carry = sum >> 32;
  }
}
inline void next_four(curandStatePhilox4_32_10* s, unsigned long long n, int first) {
  count(s, n, first);
  s->output = philox(s->ctr, s->key);
}
}  // namespace heddle_device::rand
inline unsigned curand(curandStatePhilox4_32_10* s) {
  const unsigned result = (&s->output.x)[s->STATE++];
  if (s->STATE == 4) {
    heddle_device::rand::next_four(s, 1, 0);
    s->STATE = 0;
  }
  return result;
}
inline uint4 curand4(curandStatePhilox4_32_10* s) {
  uint4 result;
  result.x = curand(s);
  result.y = curand(s);
  result.z = curand(s);
  result.w = curand(s);
  return result;
}
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* s) {
  s->STATE += static_cast<unsigned>(n % 4);
  n /= 4;
  if (s->STATE > 3) {
    ++n;
    s->STATE -= 4;
  }
  heddle_device::rand::next_four(s, n, 0);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* s) {
  heddle_device::rand::next_four(s, n, 2);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                        curandStatePhilox4_32_10* s) {
  *s = {};
  s->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}
