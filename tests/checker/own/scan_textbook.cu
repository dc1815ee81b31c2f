#include "elements.cuh"
#include <heddle/impl/patterns/textbook/gpu/scan.cuh>

// Each textbook kernel of scan, behind one that takes plain arguments: tests/checker/own_textbook_test.py.

using namespace heddle::gpu::textbook;
using heddle::plus;
using heddle::textbook::scanned_elements;

#define RUNG(NAME, T, OP)                                                                                 \
  __global__ void in_a_block_##NAME(const T* x, bool exclusive, const T* init, unsigned has_init,         \
                                    unsigned n, T* out) {                                                 \
    hillis_steele_block<T, OP>(scanned_elements<T, OP>(x, OP{}, exclusive, has_init ? init : nullptr), n, \
                               out);                                                                      \
  }                                                                                                       \
  __global__ void step_##NAME(const T* x, bool exclusive, const T* init, unsigned has_init, size_t n,     \
                              size_t step, T* out) {                                                      \
    hillis_steele_step<T, OP>(scanned_elements<T, OP>(x, OP{}, exclusive, has_init ? init : nullptr), n,  \
                              step, out);                                                                 \
  }                                                                                                       \
  __global__ void pad_##NAME(const T* x, size_t n, const T* identity, size_t padded, T* tree) {           \
    blelloch_pad<T, OP>({x}, n, *identity, padded, tree);                                                 \
  }                                                                                                       \
  __global__ void up_##NAME(T* tree, size_t distance, size_t pairs) {                                     \
    blelloch_up<T, OP>(tree, OP{}, distance, pairs);                                                      \
  }                                                                                                       \
  __global__ void turn_##NAME(T* tree, size_t padded, const T* before, bool goes_before_total) {          \
    blelloch_turn<T, OP>(tree, OP{}, padded, *before, goes_before_total);                                 \
  }                                                                                                       \
  __global__ void down_##NAME(T* tree, size_t distance, size_t pairs) {                                   \
    blelloch_down<T, OP>(tree, OP{}, distance, pairs);                                                    \
  }                                                                                                       \
  __global__ void deliver_##NAME(const T* scanned, size_t n, T* out) {                                    \
    blelloch_deliver<T>(scanned, n, out);                                                                 \
  }
RUNG(sum, int, plus)
RUNG(compositions, map_of_line, composition)
