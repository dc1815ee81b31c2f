#include "elements.cuh"
#include <heddle/impl/patterns/textbook/gpu/reduce.cuh>

// Each textbook kernel of reduce, behind one that takes plain arguments:
// tests/checker/own_textbook_test.py.

using namespace heddle::gpu::textbook;
using heddle::maximum;
using heddle::plus;
using heddle::impl::element_at;

#define RUNG(NAME, T, OP)                                                                           \
  __global__ void block_serial_##NAME(const T* x, size_t n, T* out) {                               \
    block_serial_kernel<T, OP>({x}, OP{}, n, out);                                                  \
  }                                                                                                 \
  __global__ void interleaved_##NAME(const T* x, size_t n, T* out) {                                \
    interleaved_kernel<T, OP>({x}, OP{}, n, out);                                                   \
  }                                                                                                 \
  __global__ void shuffled_##NAME(const T* x, size_t n, T* out) {                                   \
    shuffle_kernel<T, OP>({x}, OP{}, n, out);                                                       \
  }                                                                                                 \
  __global__ void padded_##NAME(const T* x, size_t n, const T* identity, size_t run, size_t blocks, \
                                T* out) {                                                           \
    reduce_padded<T, OP>({x}, OP{}, n, *identity, run, blocks, out);                                \
  }
RUNG(sum, int, plus)
RUNG(largest, float, maximum)
RUNG(compositions, map_of_line, composition)

// One result for all threads: by an atomic of the processor, by exchanging a word, behind a lock.
#define ATOMIC(NAME, T, OP)                                                                           \
  __global__ void put_first_##NAME(const T* x, shared_result<T>* result) {                            \
    put_first<T, OP>({x}, result);                                                                    \
  }                                                                                                   \
  __global__ void combine_##NAME(const T* x, size_t n, shared_result<T>* result) {                    \
    combine_others<T, OP>({x}, OP{}, n, result);                                                      \
  }                                                                                                   \
  __global__ void halving_##NAME(const T* x, size_t n, size_t first_block, size_t last_block, T* out, \
                                 shared_result<T>* result) {                                          \
    tree_kernel<T, OP>({x}, OP{}, n, first_block, last_block, out, result);                           \
  }
ATOMIC(sum, int, plus)
ATOMIC(largest, float, maximum)
ATOMIC(sums, three_sums, add_three)

__global__ void halving_compositions(const map_of_line* x, size_t n, size_t first_block, size_t last_block,
                                     map_of_line* out, shared_result<map_of_line>* result) {
  tree_kernel<map_of_line, composition>({x}, composition{}, n, first_block, last_block, out, result);
}
