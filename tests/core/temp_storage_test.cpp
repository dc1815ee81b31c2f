#include <heddle/error.hpp>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/memory.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

// The storage of streams, without a GPU: the functions below stand for the CUDA runtime and the library, and
// memory of a GPU is memory of the CPU. One call can be made to fail.

namespace hd = heddle;

namespace {

int clears = 0;
bool clear_fails = false;
bool captures = false;
unsigned long long stream_number = 0;

}  // namespace

extern "C" {
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  if (clear_fails) return cudaErrorLaunchFailure;
  ++clears;
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long* number) {
  *number = stream_number;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
}

namespace heddle {

memory::memory(std::size_t bytes, const target& where) : bytes_(bytes), where_(where) {
  data_ = std::malloc(bytes);
  std::memset(data_, 0xab, bytes);  // as memory of a GPU is not zero
}
memory::~memory() {
  std::free(data_);
}
target target::gpu(int device, gpu_stream stream) {
  return {kind::gpu, device, stream};
}

namespace gpu {
void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw error(call);
}
}  // namespace gpu

}  // namespace heddle

namespace {

using hd::gpu::temp_storage;

/// Each test has a stream of its own.
class temporary_storage : public testing::Test {
 protected:
  temporary_storage() { ++stream_number; }
  ~temporary_storage() override { clear_fails = captures = false; }

  const hd::target where = hd::target::gpu(0);
};

template <class Word>
bool all_zero(const Word* words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i] != 0) return false;
  }
  return true;
}

}  // namespace

TEST_F(temporary_storage, keeps_no_memory_that_could_not_be_cleared) {
  constexpr std::size_t words = 30'000, counters = 40'000;
  clear_fails = true;
  EXPECT_THROW(temp_storage(where, {.words = words}), hd::error);
  EXPECT_THROW(temp_storage(where, {.counters = counters}), hd::error);
  clear_fails = false;
  const temp_storage scratch(where, {.words = words, .counters = counters});
  EXPECT_TRUE(all_zero(scratch.words(), words));
  EXPECT_TRUE(all_zero(scratch.counters(), counters));
  EXPECT_EQ(*scratch.tickets(), 0u);
}

TEST_F(temporary_storage, that_grows_and_cannot_be_cleared_starts_anew) {
  {
    temp_storage(where, {.words = 10}).launched(7);
  }
  clear_fails = true;
  EXPECT_THROW(temp_storage(where, {.words = 100'000}), hd::error);
  clear_fails = false;
  const temp_storage scratch(where, {.words = 100'000});
  EXPECT_TRUE(all_zero(scratch.words(), 100'000));
  EXPECT_EQ(scratch.launch_number(), 1u);
  EXPECT_EQ(scratch.first_ticket(), 0u);
}

TEST_F(temporary_storage, of_a_stream_is_cleared_once_and_numbers_its_launches) {
  std::uint64_t* words = nullptr;
  for (std::uint32_t launch = 1; launch < 5; ++launch) {
    const int before = clears;
    temp_storage scratch(where, {.words = 10});
    EXPECT_EQ(clears - before, launch == 1 ? 1 : 0);
    EXPECT_EQ(scratch.launch_number(), launch);
    EXPECT_EQ(scratch.first_ticket(), 3u * (launch - 1));
    if (launch > 1) EXPECT_EQ(scratch.words(), words);
    words = scratch.words();
    scratch.launched(3);
  }
  ++stream_number;
  EXPECT_NE(temp_storage(where, {.words = 10}).words(), words);
}

TEST_F(temporary_storage, of_a_capture_is_its_own_and_cleared_each_time) {
  {
    temp_storage(where, {.words = 10}).launched(3);
  }
  captures = true;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const int before = clears;
    temp_storage scratch(where, {.words = 10});
    EXPECT_EQ(clears - before, 1);
    EXPECT_EQ(scratch.launch_number(), 1u);
    scratch.launched(3);
  }
  captures = false;
  EXPECT_EQ(temp_storage(where, {.words = 10}).launch_number(), 2u);
}
