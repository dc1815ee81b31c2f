#include "elements.cuh"
#include <heddle/impl/patterns/segmented_scan/gpu.cuh>

// The kernel of segmented scans, behind one that takes plain arguments: tests/checker/own_kernels_test.py.

using namespace heddle;
using namespace heddle::gpu;

#define SEGMENTS(NAME, T, OP)                                                                               \
  __global__ void segments_##NAME(const T* x, size_t from, size_t n, const bool* flags, bool exclusive,     \
                                  const T* init, bool has_init, unsigned long long* scratch, bool in_place, \
                                  size_t to, T* out) {                                                      \
    segmented_scan_work<T, OP> work{(in_place ? out : x) + from,                                            \
                                    flags,                                                                  \
                                    out + to,                                                               \
                                    OP{},                                                                   \
                                    n,                                                                      \
                                    (n + segmented_tuning<T>::tile - 1) / segmented_tuning<T>::tile,        \
                                    exclusive,                                                              \
                                    has_init,                                                               \
                                    {},                                                                     \
                                    states_of(scratch)};                                                    \
    if (has_init) work.init[0] = *init;                                                                     \
    scan_segmented_tiles<T, OP>(work);                                                                      \
  }
SEGMENTS(sum, int, plus)
SEGMENTS(compositions, map_of_line, composition)
SEGMENTS(bytes, unsigned char, plus)
SEGMENTS(sums, three_sums, add_three)
