#include "life/gpu_kernels.cuh"

// The kernels of Life, behind kernels that take plain arguments: tests/checker/own_simulations_test.py.

using namespace heddle::life::gpu;

/// A rule by its bits: births in the low half, survivals in the high one.
__device__ any_rule rule_of(unsigned bits) {
  any_rule law;
  for (int nine = 0; nine < 10; ++nine) {
    law.born[nine] = nine < 9 && (bits >> nine & 1) != 0 ? ~word{0} : 0;
    law.stays[nine] = nine > 0 && (bits >> (15 + nine) & 1) != 0 ? ~word{0} : 0;
  }
  return law;
}

__global__ void count(const word* words, std::size_t n, unsigned long long* total) {
  count_bits(words, n, total);
}

__global__ void in_a_warp(word* rows, unsigned width, unsigned height, bool torus,
                          unsigned long long generations, unsigned rule) {
  advance_in_a_warp<false, any_rule>(rows, {width, height, torus}, generations, rule_of(rule));
}
__global__ void in_a_warp_whole(word* rows, unsigned long long generations) {
  advance_in_a_warp<true, conway>(rows, {32, 32, true}, generations, conway{});
}

__global__ void by_rows(const word* now, word* next, std::size_t width, std::size_t height, bool torus,
                        unsigned rule) {
  advance_rows<any_rule>(now, next, {width, height, (width + 31) / 32, torus}, rule_of(rule));
}
__global__ void by_rows_conway(const word* now, word* next, std::size_t width, std::size_t height,
                               bool torus) {
  advance_rows<conway>(now, next, {width, height, (width + 31) / 32, torus}, conway{});
}

#define MARCH(NAME, GENERATIONS, TORUS)                                                               \
  __global__ void NAME(const word* now, word* next, std::size_t positions, long long height,          \
                       std::size_t chunks, long long rows) {                                          \
    const std::size_t tiles =                                                                         \
        (positions + march_tile<GENERATIONS>::kept - 1) / march_tile<GENERATIONS>::kept;              \
    march<GENERATIONS, TORUS, conway>(now, next, {positions, height, tiles, chunks, rows}, conway{}); \
  }
MARCH(march_periodic, 4, true)
MARCH(march_plane, 4, false)
MARCH(march_periodic_once, 1, true)
MARCH(march_plane_eight, 8, false)

__global__ void slice(const word* from, word* to, std::size_t positions, std::size_t squares) {
  transpose_squares<true>(from, to, positions, squares);
}
__global__ void unslice(const word* from, word* to, std::size_t positions, std::size_t squares) {
  transpose_squares<false>(from, to, positions, squares);
}

__global__ void cells(const unsigned char* now, unsigned char* next, std::size_t width, std::size_t height,
                      bool torus, unsigned short birth, unsigned short survival, std::size_t tiles) {
  advance_cells(now, next, {width, height, torus, birth, survival}, tiles);
}
__global__ void tiles(const unsigned char* now, unsigned char* next, std::size_t width, std::size_t height,
                      bool torus, unsigned short birth, unsigned short survival, std::size_t tiles) {
  advance_tiles(now, next, {width, height, torus, birth, survival}, tiles);
}
__global__ void in_a_block(unsigned char* cells, std::size_t width, std::size_t height, bool torus,
                           unsigned short birth, unsigned short survival, unsigned long long generations) {
  advance_in_a_block(cells, {width, height, torus, birth, survival}, generations);
}
