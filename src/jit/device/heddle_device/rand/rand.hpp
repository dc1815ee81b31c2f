#pragma once
#pragma GCC system_header

/// Stand-ins for cuRAND: the engines XORWOW (Marsaglia, J. Stat. Soft. 8, 2003) and Philox4x32-10 (Salmon et
/// al., SC 2011) with its seeds and its sequences, in kernels and for the host.

#include "../in_host_source.hpp"
#include "../names_begin.hpp"

#include <cmath>
#include <vector>
// Not before the macros are put away.
#include "../library.hpp"

// Headers of others ask for these before they use what is here.
#define CURAND_H_
#define CURAND_KERNEL_H_

enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999
};
using curandStatus_t = curandStatus;

namespace heddle_device::rand {

// Tables and states of jumps are the library's own.
#define HEDDLE_UNSEEN __attribute__((no_sanitize("thread"), no_sanitize("undefined"), noinline))

/// The five words of XORWOW that a step maps linearly over GF(2).
struct words {
  unsigned v[5];
};
HEDDLE_UNSEEN inline void step(words& w) {
  const unsigned t = w.v[0] ^ (w.v[0] >> 2);
  for (int i = 0; i < 4; ++i) w.v[i] = w.v[i + 1];
  w.v[4] = w.v[4] ^ (w.v[4] << 4) ^ t ^ (t << 1);
}
/// 2^i steps at once, for i up to 130: what each bit becomes.
struct jumps {
  words of[131][160];
  HEDDLE_UNSEEN jumps() {
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
  HEDDLE_UNSEEN words jumped(int i, const words& from) const {
    words result{};
    for (int bit = 0; bit < 160; ++bit) {
      if ((from.v[bit / 32] >> (bit % 32) & 1) == 0) continue;
      for (int k = 0; k < 5; ++k) result.v[k] ^= of[i][bit].v[k];
    }
    return result;
  }
};
HEDDLE_UNSEEN inline words jump(words w, unsigned long long times, int first_power) {
  static const jumps* const known = new jumps;
  for (int i = 0; times != 0; ++i, times >>= 1) {
    if (times & 1) w = known->jumped(first_power + i, w);
  }
  return w;
}
#undef HEDDLE_UNSEEN

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

inline float uniform(unsigned x) {
  return static_cast<float>(x) * 2.3283064e-10f + 2.3283064e-10f / 2;
}
inline double uniform_double(unsigned x, unsigned y) {
  const unsigned long long z = x ^ static_cast<unsigned long long>(y) << 21;
  return static_cast<double>(z) * 0x1p-53 + 0x1p-54;
}
inline float2 normals(unsigned x, unsigned y) {
  constexpr float turn = 2.3283064e-10f * 6.2831855f;
  const float size = sqrtf(-2.0f * logf(uniform(x))), angle = static_cast<float>(y) * turn + turn / 2;
  return {sinf(angle) * size, cosf(angle) * size};
}
inline double2 normals_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  const unsigned long long z = y0 ^ static_cast<unsigned long long>(y1) << 21;
  const double size = std::sqrt(-2.0 * std::log(uniform_double(x0, x1)));
  const double angle = static_cast<double>(z) * 0x1p-52 + 0x1p-53;
  return {sinpi(angle) * size, cospi(angle) * size};
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

template <class State>
float curand_uniform(State* s) {
  return heddle_device::rand::uniform(curand(s));
}
inline double curand_uniform_double(curandStateXORWOW* s) {
  const unsigned x = curand(s), y = curand(s);
  return heddle_device::rand::uniform_double(x, y);
}
inline double curand_uniform_double(curandStatePhilox4_32_10* s) {
  return curand(s) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* s) {
  const uint4 x = curand4(s);
  using heddle_device::rand::uniform;
  return {uniform(x.x), uniform(x.y), uniform(x.z), uniform(x.w)};
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* s) {
  const uint4 x = curand4(s);
  return {heddle_device::rand::uniform_double(x.x, x.y), heddle_device::rand::uniform_double(x.z, x.w)};
}
template <class State>
float curand_normal(State* s) {
  if (s->kept.has_float) {
    s->kept.has_float = 0;
    return s->kept.of_float;
  }
  const unsigned x = curand(s), y = curand(s);
  const float2 both = heddle_device::rand::normals(x, y);
  s->kept.of_float = both.y;
  s->kept.has_float = 1;
  return both.x;
}
template <class State>
double2 curand_normal2_double(State* s) {
  const unsigned x = curand(s), y = curand(s), z = curand(s), w = curand(s);
  return heddle_device::rand::normals_double(x, y, z, w);
}
template <class State>
double curand_normal_double(State* s) {
  if (s->kept.has_double) {
    s->kept.has_double = 0;
    return s->kept.of_double;
  }
  const double2 both = curand_normal2_double(s);
  s->kept.of_double = both.y;
  s->kept.has_double = 1;
  return both.x;
}
template <class State>
float2 curand_normal2(State* s) {
  const unsigned x = curand(s), y = curand(s);
  return heddle_device::rand::normals(x, y);
}
inline float4 curand_normal4(curandStatePhilox4_32_10* s) {
  const float2 a = curand_normal2(s), b = curand_normal2(s);
  return {a.x, a.y, b.x, b.y};
}
template <class State>
float curand_log_normal(State* s, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(s));
}
template <class State>
double curand_log_normal_double(State* s, double mean, double deviation) {
  return std::exp(mean + deviation * curand_normal_double(s));
}

// ------------------------------------------------------------------------------------------- for the host

enum curandRngType {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
};
using curandRngType_t = curandRngType;
enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103
};
using curandOrdering_t = curandOrdering;
struct curandGenerator_st {
  bool is_philox, is_on_host;
  unsigned long long seed, offset;
  cudaStream_t stream;
};
using curandGenerator_t = curandGenerator_st*;

inline curandStatus_t curandCreateGenerator(curandGenerator_t* g, curandRngType_t type) {
  *g = new curandGenerator_st{type == CURAND_RNG_PSEUDO_PHILOX4_32_10, false, 0, 0, nullptr};
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* g, curandRngType_t type) {
  const curandStatus_t status = curandCreateGenerator(g, type);
  (*g)->is_on_host = true;
  return status;
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  delete g;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  g->seed = seed;
  g->offset = 0;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  g->offset = offset;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) {
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
  g->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t) {
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = 13000;
  return CURAND_STATUS_SUCCESS;
}

namespace heddle_device::rand {
/// n numbers of the first sequence, in order; each call goes on where the last one ended.
template <class State, class T, class F>
curandStatus_t generate_by(curandGenerator_t g, const char* what, T* to, size_t n, unsigned words, F f) {
  const auto fill = [to, n, f, seed = g->seed, offset = g->offset] {
    State s;
    curand_init(seed, 0, offset, &s);
    for (size_t i = 0; i < n; ++i) to[i] = f(&s);
  };
  g->offset += n * words;
  if (g->is_on_host) {
    fill();
    return CURAND_STATUS_SUCCESS;
  }
  return run_library(what, 1, 1, g->stream, fill) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                                 : CURAND_STATUS_LAUNCH_FAILURE;
}
template <class T, class F>
curandStatus_t generate(curandGenerator_t g, const char* what, T* to, size_t n, unsigned words, F f) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return g->is_philox ? generate_by<curandStatePhilox4_32_10>(g, what, to, n, words, f)
                      : generate_by<curandStateXORWOW>(g, what, to, n, words, f);
}
}  // namespace heddle_device::rand

inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned* to, size_t n) {
  return heddle_device::rand::generate(g, "curandGenerate", to, n, 1, [](auto* s) { return curand(s); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float* to, size_t n) {
  return heddle_device::rand::generate(g, "curandGenerateUniform", to, n, 1,
                                       [](auto* s) { return curand_uniform(s); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* to, size_t n) {
  return heddle_device::rand::generate(g, "curandGenerateUniformDouble", to, n, 2, [](auto* s) {
    const unsigned x = curand(s), y = curand(s);
    return heddle_device::rand::uniform_double(x, y);
  });
}
// Normal numbers come in pairs.
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float* to, size_t n, float mean,
                                           float deviation) {
  if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return heddle_device::rand::generate(g, "curandGenerateNormal", to, n, 1, [mean, deviation](auto* s) {
    return mean + deviation * curand_normal(s);
  });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* to, size_t n, double mean,
                                                 double deviation) {
  if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return heddle_device::rand::generate(g, "curandGenerateNormalDouble", to, n, 2, [mean, deviation](auto* s) {
    return mean + deviation * curand_normal_double(s);
  });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* to, size_t n, float mean,
                                              float deviation) {
  if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return heddle_device::rand::generate(g, "curandGenerateLogNormal", to, n, 1, [mean, deviation](auto* s) {
    return curand_log_normal(s, mean, deviation);
  });
}
#include "../names_end.hpp"
