#pragma once

/// Of cuRAND: uniform, normal and log-normal numbers of every engine.

#include "mrg32k3a.hpp"
#include "sobol.hpp"

namespace heddle_device::rand {

template <class State>
inline constexpr bool is_mrg = std::is_same_v<State, curandStateMRG32k3a>;
template <class State>
inline constexpr bool is_sobol = std::is_base_of_v<sobol_state<unsigned>, State> ||
                                 std::is_base_of_v<sobol_state<unsigned long long>, State>;

inline float uniform(unsigned x) {
  return static_cast<float>(x) * 2.3283064e-10f + 2.3283064e-10f / 2;
}
inline float uniform(unsigned long long x) {
  return uniform(static_cast<unsigned>(x >> 32));
}
inline double uniform_double(unsigned x) {
  return x * 0x1p-32 + 0x1p-32;
}
inline double uniform_double(unsigned long long x) {
  return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54;
}
inline double uniform_double(unsigned x, unsigned y) {
  const unsigned long long z = x ^ static_cast<unsigned long long>(y) << 21;
  return static_cast<double>(z) * 0x1p-53 + 0x1p-54;
}
inline double mrg_uniform(curandStateMRG32k3a* s) {
  return mrg_next(s) * 2.3283065498378288e-10;
}

// Of two numbers by Box and Muller, Ann. Math. Statist. 29 (1958).
inline float2 normals(float x, float angle) {
  const float size = sqrtf(-2.0f * logf(x));
  return {sinf(angle) * size, cosf(angle) * size};
}
/// The angle in half turns.
inline double2 normals(double x, double angle) {
  const double size = std::sqrt(-2.0 * std::log(x));
  return {sinpi(angle) * size, cospi(angle) * size};
}
/// By the inverse of the distribution, so that one number of a sequence gives one.
inline double normal_of(unsigned x) {
  return normcdfinv((x + 0.5) * 0x1p-32);
}
inline double normal_of(unsigned long long x) {
  // From the nearer end, where more digits are left.
  const bool is_high = x >> 63 != 0;
  const double size = normcdfinv(uniform_double(is_high ? ~x : x));
  return is_high ? -size : size;
}

}  // namespace heddle_device::rand

template <class State>
float curand_uniform(State* s) {
  if constexpr (heddle_device::rand::is_mrg<State>) {
    return static_cast<float>(heddle_device::rand::mrg_uniform(s));
  } else {
    return heddle_device::rand::uniform(curand(s));
  }
}
template <class State>
double curand_uniform_double(State* s) {
  if constexpr (heddle_device::rand::is_mrg<State>) {
    return heddle_device::rand::mrg_uniform(s);
  } else if constexpr (std::is_same_v<State, curandStateXORWOW>) {
    const unsigned x = curand(s), y = curand(s);
    return heddle_device::rand::uniform_double(x, y);
  } else {
    return heddle_device::rand::uniform_double(curand(s));
  }
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
float2 curand_normal2(State* s) {
  if constexpr (heddle_device::rand::is_mrg<State>) {
    const float x = curand_uniform(s), y = curand_uniform(s);
    return heddle_device::rand::normals(x, y * 6.2831855f);
  } else {
    static_assert(!heddle_device::rand::is_sobol<State>, "curand_normal2 of a Sobol sequence");
    constexpr float turn = 2.3283064e-10f * 6.2831855f;
    const unsigned x = curand(s), y = curand(s);
    return heddle_device::rand::normals(heddle_device::rand::uniform(x),
                                        static_cast<float>(y) * turn + turn / 2);
  }
}
template <class State>
double2 curand_normal2_double(State* s) {
  if constexpr (heddle_device::rand::is_mrg<State>) {
    const double x = curand_uniform_double(s), y = curand_uniform_double(s);
    return heddle_device::rand::normals(x, y * 2);
  } else {
    static_assert(!heddle_device::rand::is_sobol<State>, "curand_normal2_double of a Sobol sequence");
    const unsigned x = curand(s), y = curand(s), z = curand(s), w = curand(s);
    const unsigned long long angle = z ^ static_cast<unsigned long long>(w) << 21;
    return heddle_device::rand::normals(heddle_device::rand::uniform_double(x, y),
                                        static_cast<double>(angle) * 0x1p-52 + 0x1p-53);
  }
}
template <class State>
float curand_normal(State* s) {
  if constexpr (heddle_device::rand::is_sobol<State>) {
    return static_cast<float>(heddle_device::rand::normal_of(curand(s)));
  } else {
    if (s->kept.has_float) {
      s->kept.has_float = 0;
      return s->kept.of_float;
    }
    const float2 both = curand_normal2(s);
    s->kept.of_float = both.y;
    s->kept.has_float = 1;
    return both.x;
  }
}
template <class State>
double curand_normal_double(State* s) {
  if constexpr (heddle_device::rand::is_sobol<State>) {
    return heddle_device::rand::normal_of(curand(s));
  } else {
    if (s->kept.has_double) {
      s->kept.has_double = 0;
      return s->kept.of_double;
    }
    const double2 both = curand_normal2_double(s);
    s->kept.of_double = both.y;
    s->kept.has_double = 1;
    return both.x;
  }
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
