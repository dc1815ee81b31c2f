#pragma once

/// Of cuRAND: Sobol sequences in Gray code (Antonov and Saleev, USSR Comput. Math. Math. Phys. 19, 1979),
/// from direction vectors of 32 and 64 bits.

#include "sobol_numbers.hpp"
#include "types.hpp"

using curandDirectionVectors32_t = unsigned[32];
using curandDirectionVectors64_t = unsigned long long[64];
enum curandDirectionVectorSet {
  CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
  CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103
};
using curandDirectionVectorSet_t = curandDirectionVectorSet;

namespace heddle_device::rand {

/// The next element's number, the element without its scramble, and the scramble.
template <class Word>
struct sobol_state {
  Word i, x, c;
  Word direction_vectors[8 * sizeof(Word)];
};

/// The direction vectors of as many dimensions as there are numbers of.
template <class Word>
struct sobol_directions {
  static constexpr int bits = 8 * sizeof(Word);
  HEDDLE_UNWATCHED sobol_directions() : of(new Word[joe_kuo_dimensions][bits]) {
    for (int i = 0; i < bits; ++i) of[0][i] = Word{1} << (bits - 1 - i);
    const unsigned short* next = joe_kuo_numbers;
    for (unsigned dimension = 1; dimension < joe_kuo_dimensions; ++dimension) {
      Word* const v = of[dimension];
      const unsigned polynomial = *next++;
      const int degree = 31 - __builtin_clz(polynomial);
      for (int i = 0; i < bits; ++i) {
        if (i < degree) {
          v[i] = Word{*next++} << (bits - 1 - i);
          continue;
        }
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (int k = 1; k < degree; ++k)
          if ((polynomial >> (degree - k) & 1) != 0) v[i] ^= v[i - k];
      }
    }
  }
  static const sobol_directions& known() {
    static const sobol_directions* const made = new sobol_directions;
    return *made;
  }
  Word (*of)[bits];
};

template <class Word>
void sobol_skip(sobol_state<Word>* s, Word n) {
  s->i += n;
  s->x = 0;
  const Word gray = s->i ^ (s->i >> 1);
  for (unsigned k = 0; k < 8 * sizeof(Word); ++k)
    if ((gray >> k & 1) != 0) s->x ^= s->direction_vectors[k];
}
template <class Word>
void sobol_init(const Word* directions, Word scramble, Word offset, sobol_state<Word>* s) {
  for (unsigned k = 0; k < 8 * sizeof(Word); ++k) s->direction_vectors[k] = directions[k];
  s->c = scramble;
  s->i = 0;
  sobol_skip(s, offset);
}
template <class Word>
Word sobol_next(sobol_state<Word>* s) {
  const Word result = s->x ^ s->c;
  unsigned bit = 0;
  while (bit + 1 < 8 * sizeof(Word) && (s->i >> bit & 1) != 0) ++bit;
  s->x ^= s->direction_vectors[bit];
  ++s->i;
  return result;
}

}  // namespace heddle_device::rand

#define HEDDLE_SOBOL(BITS, WORD)                                                                     \
  struct curandStateSobol##BITS : heddle_device::rand::sobol_state<WORD> {};                         \
  using curandStateSobol##BITS##_t = curandStateSobol##BITS;                                         \
  struct curandStateScrambledSobol##BITS : heddle_device::rand::sobol_state<WORD> {};                \
  using curandStateScrambledSobol##BITS##_t = curandStateScrambledSobol##BITS;                       \
  inline void curand_init(const WORD* directions, WORD offset, curandStateSobol##BITS* s) {          \
    heddle_device::rand::sobol_init<WORD>(directions, 0, offset, s);                                 \
  }                                                                                                  \
  inline void curand_init(const WORD* directions, WORD scramble, WORD offset,                        \
                          curandStateScrambledSobol##BITS* s) {                                      \
    heddle_device::rand::sobol_init<WORD>(directions, scramble, offset, s);                          \
  }                                                                                                  \
  inline WORD curand(heddle_device::rand::sobol_state<WORD>* s) {                                    \
    return heddle_device::rand::sobol_next(s);                                                       \
  }                                                                                                  \
  inline void skipahead(WORD n, heddle_device::rand::sobol_state<WORD>* s) {                         \
    heddle_device::rand::sobol_skip(s, n);                                                           \
  }                                                                                                  \
  inline curandStatus_t curandGetDirectionVectors##BITS(curandDirectionVectors##BITS##_t* vectors[], \
                                                        curandDirectionVectorSet_t set) {            \
    if (vectors == nullptr || set != CURAND_DIRECTION_VECTORS_##BITS##_JOEKUO6)                      \
      return CURAND_STATUS_OUT_OF_RANGE;                                                             \
    *vectors = heddle_device::rand::sobol_directions<WORD>::known().of;                              \
    return CURAND_STATUS_SUCCESS;                                                                    \
  }
HEDDLE_SOBOL(32, unsigned)
HEDDLE_SOBOL(64, unsigned long long)
#undef HEDDLE_SOBOL
