#pragma once

/// Of cuRAND: generators for the host, on the device or the host, whose numbers are in the order of a GPU's
/// (cuRAND Library, *Generator Options*).

#include "distributions.hpp"

enum curandRngType {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SOBOL64 = 203
};
using curandRngType_t = curandRngType;
enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
  CURAND_ORDERING_QUASI_DEFAULT = 201
};
using curandOrdering_t = curandOrdering;

/// `offset` counts what quasi-random sequences and Philox have given. Of other engines a GPU's threads have a
/// sequence each and take turns, from thread `next` on; their states are kept from call to call.
struct curandGenerator_st {
  curandRngType type;
  bool is_on_host;
  curandOrdering ordering = CURAND_ORDERING_PSEUDO_DEFAULT;
  unsigned dimensions = 1;
  unsigned long long seed = 0, offset = 0;
  cudaStream_t stream = nullptr;
  unsigned next = 0;
  bool is_seeded = false;
  heddle_device::library_memory<unsigned>* on_device = nullptr;
  void* on_host = nullptr;
};
using curandGenerator_t = curandGenerator_st*;

namespace heddle_device::rand {

inline bool is_quasi(curandGenerator_t g) {
  return g->type >= CURAND_RNG_QUASI_DEFAULT;
}
inline bool is_64_bits(curandGenerator_t g) {
  return g->type == CURAND_RNG_QUASI_SOBOL64;
}
inline curandStatus_t create(curandGenerator_t* g, curandRngType_t type, bool is_on_host) {
  if (g == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
  if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
  switch (type) {
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
      break;
    default:
      return CURAND_STATUS_TYPE_ERROR;
  }
  *g = new curandGenerator_st{type, is_on_host};
  return CURAND_STATUS_SUCCESS;
}

inline void check_dimensions(unsigned dimensions) {
  if (dimensions <= joe_kuo_dimensions || program_runtime() == nullptr) return;
  char text[120];
  std::snprintf(text, sizeof text,
                "curandSetQuasiRandomGeneratorDimensions: %u dimensions: more than %u are not supported",
                dimensions, joe_kuo_dimensions);
  program_runtime()->libraries().refuse(text);
}

/// Has the states of threads begin anew.
inline void forget_states(curandGenerator_t g) {
  delete g->on_device;
  g->on_device = nullptr;
  if (g->on_host != nullptr) program_runtime()->libraries().take_back(g->on_host);
  g->on_host = nullptr;
  g->is_seeded = false;
}

}  // namespace heddle_device::rand

inline curandStatus_t curandCreateGenerator(curandGenerator_t* g, curandRngType_t type) {
  return heddle_device::rand::create(g, type, false);
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* g, curandRngType_t type) {
  return heddle_device::rand::create(g, type, true);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  heddle_device::rand::forget_states(g);
  delete g;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (heddle_device::rand::is_quasi(g)) return CURAND_STATUS_TYPE_ERROR;
  g->seed = seed;
  g->offset = 0;
  heddle_device::rand::forget_states(g);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  g->offset = offset;
  heddle_device::rand::forget_states(g);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (heddle_device::rand::is_quasi(g) != (order == CURAND_ORDERING_QUASI_DEFAULT) ||
      (g->is_on_host && order == CURAND_ORDERING_PSEUDO_DYNAMIC))
    return CURAND_STATUS_OUT_OF_RANGE;
  g->ordering = order;
  heddle_device::rand::forget_states(g);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!heddle_device::rand::is_quasi(g)) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions < 1 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
  heddle_device::rand::check_dimensions(dimensions);
  g->dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  g->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = 13000;
  return CURAND_STATUS_SUCCESS;
}

namespace heddle_device::rand {

/// How many threads of a GPU take turns.
inline unsigned threads_of(const curandGenerator_st& g) {
  if (g.type == CURAND_RNG_PSEUDO_PHILOX4_32_10) return 65536;
  return g.type == CURAND_RNG_PSEUDO_MRG32K3A && g.ordering != CURAND_ORDERING_PSEUDO_LEGACY ? 81920 : 4096;
}
inline void next_sequence(curandStateXORWOW* s) {
  skipahead_sequence(1, s);
}
inline void next_sequence(curandStateMRG32k3a* s) {
  skipahead_subsequence(1, s);
}
/// The states of all threads when `offset` numbers have been given.
template <class State>
HEDDLE_UNWATCHED void seed_states(State* states, unsigned threads, unsigned long long seed,
                                  unsigned long long offset) {
  State first, own;
  curand_init(seed, 0, 0, &first);
  for (unsigned t = 0; t < threads; ++t) {
    own = first;
    skipahead(offset / threads + (t < offset % threads ? 1 : 0), &own);
    states[t] = own;
    next_sequence(&first);
  }
}
/// A thread gives `Each` numbers in its turn, by f(state, to).
template <unsigned Each, class State, class T, class F>
HEDDLE_UNWATCHED void fill(State* states, unsigned threads, unsigned next, T* to, size_t n, const F& f) {
  const unsigned long long turns = (n + Each - 1) / Each;
  for (unsigned t = 0; t < threads && t < turns; ++t) {
    State own = states[(next + t) % threads];
    for (unsigned long long turn = t; turn < turns; turn += threads) {
      T made[Each];
      f(&own, made);
      for (unsigned i = 0; i < Each && turn * Each + i < n; ++i) to[turn * Each + i] = made[i];
    }
    states[(next + t) % threads] = own;
  }
}
/// The numbers of Philox, whose threads give four in their turn, by f for every `Each` of them, for which
/// they draw `draws`.
template <unsigned Each, class T, class F>
HEDDLE_UNWATCHED void fill_by_philox(unsigned threads, unsigned long long seed, unsigned long long offset,
                                     T* to, size_t n, unsigned draws, const F& f) {
  const unsigned long long skipped = offset % 4, first = offset / 4 % threads,
                           before = offset / 4 / threads * 4;
  for (unsigned long long turn = 0; turn * 4 < skipped + n; ++turn) {
    curandStatePhilox4_32_10 s;
    curand_init(seed, (first + turn) % threads, before + (first + turn) / threads * (4 / Each * draws), &s);
    T made[4];
    for (unsigned i = 0; i < 4; i += Each) f(&s, made + i);
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned long long at = turn * 4 + i;
      if (at >= skipped && at - skipped < n) to[at - skipped] = made[i];
    }
  }
}
/// Has `made(to)` fill numbers beside the program's, which then go to where the call wants them.
template <class T, class F>
curandStatus_t store(curandGenerator_t g, const char* what, T* to, size_t n, const F& made) {
  if (program_runtime() == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
  const auto all = [to, n, made] {
    const library_numbers<T> own(static_cast<long long>(n));
    made(own.data());
    for (size_t i = 0; i < n; ++i) to[i] = own.get(static_cast<long long>(i));
  };
  if (g->is_on_host) {
    all();
    return CURAND_STATUS_SUCCESS;
  }
  return run_library(what, 1, 1, g->stream, all) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                                : CURAND_STATUS_LAUNCH_FAILURE;
}
template <unsigned Each, class T, class F>
curandStatus_t generate_philox(curandGenerator_t g, const char* what, T* to, size_t n, const F& f) {
  const unsigned long long offset = g->offset;
  g->offset += n;
  return store(g, what, to, n, [=, threads = threads_of(*g), seed = g->seed](T* own) {
    fill_by_philox<Each>(threads, seed, offset, own, n, sizeof(T) / 4 * Each, f);
  });
}
/// Gives the threads their states, once.
template <class State>
curandStatus_t seed(curandGenerator_t g) {
  if (program_runtime() == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
  if (g->is_seeded) return CURAND_STATUS_SUCCESS;
  const unsigned threads = threads_of(*g);
  const size_t bytes = threads * sizeof(State);
  g->next = static_cast<unsigned>(g->offset % threads);
  g->is_seeded = true;
  if (g->is_on_host) {
    g->on_host = program_runtime()->libraries().lend(bytes);
    seed_states(static_cast<State*>(g->on_host), threads, g->seed, g->offset);
    return CURAND_STATUS_SUCCESS;
  }
  g->on_device = new library_memory<unsigned>(bytes / sizeof(unsigned));
  State* const states = reinterpret_cast<State*>(g->on_device->data());
  return run_library("curandGenerateSeeds", 1, 1, g->stream,
                     [=, seed = g->seed, offset = g->offset] {
                       library_writes(states, bytes);
                       seed_states(states, threads, seed, offset);
                     }) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_LAUNCH_FAILURE;
}
template <class State, unsigned Each, class T, class F>
curandStatus_t generate_in_turn(curandGenerator_t g, const char* what, T* to, size_t n, const F& f) {
  if (const curandStatus_t status = seed<State>(g); status != CURAND_STATUS_SUCCESS) return status;
  const unsigned threads = threads_of(*g), next = g->next;
  const bool is_on_host = g->is_on_host;
  g->next = static_cast<unsigned>((next + (n + Each - 1) / Each) % threads);
  void* const kept = is_on_host ? g->on_host : g->on_device->data();
  return store(g, what, to, n, [=](T* own) {
    State* const states = static_cast<State*>(kept);
    if (!is_on_host) {
      library_reads(states, threads * sizeof(State));
      library_writes(states, threads * sizeof(State));
    }
    fill<Each>(states, threads, next, own, n, f);
  });
}
/// Points of a Sobol sequence, one dimension behind another, from number `first` on.
template <class State, class Word, class T, class F>
HEDDLE_UNWATCHED void fill_points(T* to, unsigned dimensions, size_t points, Word first, const F& f) {
  for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
    State s;
    for (unsigned k = 0; k < 8 * sizeof(Word); ++k)
      s.direction_vectors[k] = sobol_directions<Word>::known().of[dimension][k];
    s.i = s.c = 0;
    skipahead(first, &s);
    for (size_t i = 0; i < points; ++i) {
      T made;
      f(&s, &made);
      to[dimension * points + i] = made;
    }
  }
}
template <class State, class Word, class T, class F>
curandStatus_t generate_quasi(curandGenerator_t g, const char* what, T* to, size_t n, const F& f) {
  const size_t points = n / g->dimensions;
  if (points * g->dimensions != n) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  // Made here, so that it belongs to the host.
  (void)sobol_directions<Word>::known();
  const auto first = static_cast<Word>(g->offset);
  g->offset += points;
  return store(g, what, to, n, [=, dimensions = g->dimensions](T* own) {
    fill_points<State>(own, dimensions, points, first, f);
  });
}
/// `single(state, to)` gives one number of a sequence, and `several` as many as pseudo-random ones are made
/// of at once.
template <unsigned Each, class T, class One, class F>
curandStatus_t generate(curandGenerator_t g, const char* what, T* to, size_t n, const One& single,
                        const F& several) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_quasi(g) && n % Each != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  switch (g->type) {
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return generate_philox<Each>(g, what, to, n, several);
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return generate_in_turn<curandStateMRG32k3a, Each>(g, what, to, n, several);
    case CURAND_RNG_QUASI_SOBOL32:
      return generate_quasi<curandStateSobol32, unsigned>(g, what, to, n, single);
    case CURAND_RNG_QUASI_SOBOL64:
      return generate_quasi<curandStateSobol64, unsigned long long>(g, what, to, n, single);
    default:
      return generate_in_turn<curandStateXORWOW, Each>(g, what, to, n, several);
  }
}
/// Normal numbers, of which pseudo-random ones come in pairs, as f makes something of them.
template <class T, class F>
curandStatus_t generate_normal(curandGenerator_t g, const char* what, T* to, size_t n, T mean, T deviation,
                               const F& f) {
  const auto scaled = [=](T x) { return f(mean + deviation * x); };
  return generate<2>(
      g, what, to, n,
      [=](auto* s, T* one) {
        if constexpr (std::is_same_v<T, float>) {
          *one = scaled(curand_normal(s));
        } else {
          *one = scaled(curand_normal_double(s));
        }
      },
      [=](auto* s, T* two) {
        const auto both = [s] {
          if constexpr (std::is_same_v<T, float>) {
            return curand_normal2(s);
          } else {
            return curand_normal2_double(s);
          }
        }();
        two[0] = scaled(both.x);
        two[1] = scaled(both.y);
      });
}

}  // namespace heddle_device::rand

/// Of engines whose threads keep states.
inline curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->type == CURAND_RNG_PSEUDO_XORWOW) return heddle_device::rand::seed<curandStateXORWOW>(g);
  if (g->type == CURAND_RNG_PSEUDO_MRG32K3A) return heddle_device::rand::seed<curandStateMRG32k3a>(g);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned* to, size_t n) {
  if (g != nullptr && heddle_device::rand::is_64_bits(g)) return CURAND_STATUS_TYPE_ERROR;
  const auto word = [](auto* s, unsigned* one) { *one = static_cast<unsigned>(curand(s)); };
  return heddle_device::rand::generate<1>(g, "curandGenerate", to, n, word, word);
}
inline curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long* to, size_t n) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!heddle_device::rand::is_64_bits(g)) return CURAND_STATUS_TYPE_ERROR;
  return heddle_device::rand::generate_quasi<curandStateSobol64, unsigned long long>(
      g, "curandGenerateLongLong", to, n, [](auto* s, unsigned long long* one) { *one = curand(s); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float* to, size_t n) {
  const auto number = [](auto* s, float* one) { *one = curand_uniform(s); };
  return heddle_device::rand::generate<1>(g, "curandGenerateUniform", to, n, number, number);
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* to, size_t n) {
  return heddle_device::rand::generate<1>(
      g, "curandGenerateUniformDouble", to, n, [](auto* s, double* one) { *one = curand_uniform_double(s); },
      [](auto* s, double* one) {
        if constexpr (std::is_same_v<decltype(s), curandStateMRG32k3a*>) {
          *one = curand_uniform_double(s);
        } else {
          const unsigned x = curand(s), y = curand(s);
          *one = heddle_device::rand::uniform_double(x, y);
        }
      });
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float* to, size_t n, float mean,
                                           float deviation) {
  return heddle_device::rand::generate_normal(g, "curandGenerateNormal", to, n, mean, deviation,
                                              [](float x) { return x; });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* to, size_t n, double mean,
                                                 double deviation) {
  return heddle_device::rand::generate_normal(g, "curandGenerateNormalDouble", to, n, mean, deviation,
                                              [](double x) { return x; });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* to, size_t n, float mean,
                                              float deviation) {
  return heddle_device::rand::generate_normal(g, "curandGenerateLogNormal", to, n, mean, deviation,
                                              [](float x) { return expf(x); });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* to, size_t n, double mean,
                                                    double deviation) {
  return heddle_device::rand::generate_normal(g, "curandGenerateLogNormalDouble", to, n, mean, deviation,
                                              [](double x) { return std::exp(x); });
}
