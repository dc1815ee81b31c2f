#include "elements.cuh"
#include <heddle/impl/patterns/scan/gpu/scan_block_totals.cuh>

// The totals of blocks of rows, behind kernels that take plain arguments:
// tests/checker/own_scan_order_test.py.

using namespace heddle;
using namespace heddle::gpu;

// `blocks` are pairs of a first row and a level.
#define BLOCK_TOTALS(NAME, T, OP)                                                                            \
  __global__ void block_totals_##NAME(const T* x, size_t from, size_t first,                                 \
                                      const unsigned long long* pairs, size_t count, T* totals) {            \
    total_scan_blocks<T, OP>(x + from, first, reinterpret_cast<const impl::scan_block*>(pairs), count, OP{}, \
                             totals);                                                                        \
  }
BLOCK_TOTALS(floats, float, plus)
BLOCK_TOTALS(doubles, double, plus)
