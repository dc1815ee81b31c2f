// What threads of a kernel wait for besides the barrier of their block, in modules on a CPU.
#include "tests/on_targets.hpp"
#include <heddle/array.hpp>
#include <heddle/kernel.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using heddle::tests::message_of;

namespace {

const char* const source = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Half of the block writes what the other half reads.
__global__ void numbered(const int* x, int* y, int number) {
  __shared__ int held[64];
  if (threadIdx.x < 64) {
    held[threadIdx.x] = x[threadIdx.x];
    asm volatile("bar.arrive %0, 128;" :: "r"(number) : "memory");
  } else {
    asm volatile("bar.sync %0, 128;" :: "r"(number) : "memory");
    y[threadIdx.x - 64] = 2 * held[127 - threadIdx.x];
  }
}
// Two halves have barriers of their own, and pass them as often as they like.
__global__ void halves(int* turns) {
  __shared__ int sum[2];
  const int half = threadIdx.x / 64;
  if (threadIdx.x < 2) sum[threadIdx.x] = 0;
  __syncthreads();
  for (int turn = 0; turn < 3 + 4 * half; ++turn) {
    asm volatile("bar.sync %0, 64;" :: "r"(1 + half) : "memory");
    if (threadIdx.x % 64 == turn) sum[half] += turn;
  }
  __syncthreads();
  if (threadIdx.x < 2) turns[threadIdx.x] = sum[threadIdx.x];
}
// Each round moves the numbers on by a block.
__global__ void rounds(int* x, int n) {
  for (int round = 0; round < n; ++round) {
    const int next = x[(blockIdx.x + 1) % gridDim.x];
    cg::this_grid().sync();
    if (threadIdx.x == 0) x[blockIdx.x] = next + 1;
    cg::this_grid().sync();
  }
}
__global__ void lanes(unsigned* masks, unsigned* sizes) {
  if (threadIdx.x % 3 == 1) {
    masks[threadIdx.x] = __activemask();
  } else {
    sizes[threadIdx.x] = cg::coalesced_threads().size();
  }
}
__global__ void too_much(int* x) {
  __shared__ int held[3 << 12];
  __shared__ int more[1 << 12];
  held[threadIdx.x] = more[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = held[0] + more[0];
}
)";

class kernel_barriers : public heddle::tests::on_targets {
 protected:
  hd::array<int> counted(std::size_t n) const {
    hd::array<int> x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = static_cast<int>(i);
    return x;
  }
};
HD_ON_CPU_TARGETS(kernel_barriers);

}  // namespace

TEST_P(kernel_barriers, with_numbers_are_waited_for_by_some) {
  const hd::module m(where, source);
  const hd::array<int> x = counted(64);
  for (const int number : {0, 7, 15}) {
    hd::array<int> y(64);
    m.function("numbered")(1, 128)(x, y, number);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(y[i], 2 * (63 - i)) << number;
  }
  EXPECT_NE(message_of([&] {
              hd::array<int> y(64);
              m.function("numbered")(1, 128)(x, y, 16);
            }).find("barrier 16: barriers are numbered from 0 to 15"),
            std::string::npos);
  hd::array<int> turns(2);
  m.function("halves")(1, 128)(turns);
  EXPECT_EQ(turns.to_vector(), (std::vector<int>{0 + 1 + 2, 0 + 1 + 2 + 3 + 4 + 5 + 6}));
}

TEST_P(kernel_barriers, of_a_grid_are_waited_for_by_all_blocks) {
  const hd::module m(where, source);
  for (const int blocks : {1, 2, 7}) {
    hd::array<int> x = counted(static_cast<std::size_t>(blocks));
    m.function("rounds")(static_cast<std::size_t>(blocks), 33)(x, 10);
    for (int i = 0; i < blocks; ++i) ASSERT_EQ(x[i], (i + 10) % blocks + 10) << blocks;
  }
}

TEST_P(kernel_barriers, lanes_of_a_branch_are_together) {
  const hd::module m(where, source);
  hd::array<unsigned> masks(64), sizes(64);
  masks.fill(0);
  sizes.fill(0);
  m.function("lanes")(1, 64)(masks, sizes);
  for (unsigned thread = 0; thread < 64; ++thread) {
    unsigned mask = 0, others = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((thread / 32 * 32 + lane) % 3 == 1) {
        mask |= 1u << lane;
      } else {
        ++others;
      }
    }
    ASSERT_EQ(masks[thread], thread % 3 == 1 ? mask : 0u) << thread;
    ASSERT_EQ(sizes[thread], thread % 3 == 1 ? 0u : others) << thread;
  }
}

TEST_P(kernel_barriers, shared_memory_of_a_block_is_limited) {
  const hd::module m(where, source);
  hd::array<int> x = counted(1);
  EXPECT_EQ(message_of([&] { m.function("too_much")(1, 1)(x); }),
            "too_much uses 65536 bytes of static shared memory: a block can have at most 49152");
}
