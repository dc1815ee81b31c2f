#include "tests/on_targets.hpp"
#include <heddle/kernel.hpp>
#include <heddle/support/atomic_file.hpp>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace hd = heddle;
using heddle::tests::message_of;

namespace {

/// Compiled once a target: each compilation takes a while.
const char* const source = R"(
#include "factor.h"
__device__ int calls;
struct point { float x, y; char tag; };

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = FACTOR * a * x[i] + y[i];
}
namespace inner {
template <class T, int Block>
__global__ void sum(const T* x, T* partial, int n) {
  __shared__ T held[Block];
  T own = 0;
  for (int i = blockIdx.x * Block + threadIdx.x; i < n; i += gridDim.x * Block) own += x[i];
  held[threadIdx.x] = own;
  for (int half = Block / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) held[threadIdx.x] += held[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = held[0];
}
}
__global__ void reverse_of_block(int* x) {
  extern __shared__ int held[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = held[blockDim.x - 1 - threadIdx.x];
}
__global__ void warps(const int* x, int* sums, unsigned* votes, int* counts) {
  int v = x[threadIdx.x];
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffffu, v, by);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  votes[threadIdx.x] = __ballot_sync(0xffffffffu, x[threadIdx.x] % 2);
  counts[threadIdx.x] = __syncthreads_count(x[threadIdx.x] % 3 == 0);
}
__global__ void histogram(const int* x, int n, unsigned* bins, float* total, unsigned long long* largest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&bins[x[i] % 10], 1u);
  atomicAdd(total, 1.0f);
  atomicMax(largest, (unsigned long long)x[i]);
}
__device__ unsigned blocks_done;
__global__ void last_block_sums(const int* x, int* partial, int* total) {
  __shared__ bool is_last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&partial[blockIdx.x], x[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += ((volatile int*)partial)[b];
    *total = sum;
  }
}
__device__ volatile int turn;
__global__ void in_turn(int* order) {
  // Each block waits for the one before it, from the last to the first.
  if (threadIdx.x == 0) {
    while (turn != gridDim.x - 1 - blockIdx.x) {}
    order[turn] = blockIdx.x;
    __threadfence();
    turn = turn + 1;
    if (turn == gridDim.x) turn = 0;
  }
}
__global__ void takes_a_point(point p, point* out, double d, unsigned char c, const void* any) {
  *out = p;
  out->x += d + c;
}
__global__ void vectors(const float4* x, float2* y) {
  const float4 v = x[threadIdx.x];
  y[threadIdx.x] = make_float2(v.x + v.y, v.z + v.w);
}
__global__ void threes(int* x) {
  x[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x +
    (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z] =
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y;
}
__global__ void count_calls(int* out) { *out = ++calls; }
__global__ void forget_calls() { calls = 0; }
__global__ void __launch_bounds__(64) bounded(int*) {}
using real = float;
__global__ void overloaded(real* x, int v) { *x = v; }
__global__ void overloaded(int* x, int v) { *x = -v; }
extern "C" __global__ void plain_name(int* x, int v) { *x = v; }
)";

class Kernels : public heddle::tests::on_targets {
 protected:
  /// Always in the same folder, so that what is compiled is kept, and never there half, since other tests
  /// read it.
  static void SetUpTestSuite() {
    const std::string text = "#pragma once\n#ifndef FACTOR\n#define FACTOR 1\n#endif\n";
    std::filesystem::create_directories(headers());
    hd::atomic_file header(headers() + "/factor.h");
    header.write(text.data(), text.size());
    header.commit();
  }
  static std::string headers() {
    return testing::TempDir() + "heddle_kernel_test_" + std::to_string(getuid());
  }
  /// The module of this test's target, which all tests of the target share.
  const hd::module& compiled() {
    static std::vector<std::pair<hd::target, hd::module>> made;
    for (const auto& [on, m] : made) {
      if (on == where) return m;
    }
    hd::module_options options;
    options.include_folders.push_back(headers());
    options.name = "tests.cu";
    options.name_expressions = {"inner::sum<float, 64>"};
    made.emplace_back(where, hd::module(where, source, options));
    return made.back().second;
  }
  template <class T>
  hd::array<T> ramp(std::size_t n, T first = 0) {
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), first);
    return hd::array<T>(values, where);
  }
  template <class T>
  hd::array<T> zeros(std::size_t n) {
    hd::array<T> x(n, where);
    x.fill(T());
    return x;
  }
};
HD_ON_ALL_TARGETS(Kernels);

TEST_P(Kernels, run_on_arrays) {
  const std::size_t n = 100'000;
  const hd::array<float> x = ramp<float>(n);
  hd::array<float> y = zeros<float>(n);
  y.fill(1);
  const hd::kernel_function saxpy = compiled().function("saxpy");
  saxpy((n + 255) / 256, 256)(static_cast<int>(n), 2.0f, x, y);
  saxpy((n + 99) / 100, 100)(static_cast<int>(n), -1.0f, x.view(), y.data());
  const std::vector<float> got = y.to_vector();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], static_cast<float>(i) + 1) << i;
}

TEST_P(Kernels, templates_are_named_by_expressions) {
  const int n = 10'007;
  const hd::array<float> x = ramp<float>(n);
  const hd::array<int> k = ramp<int>(n);
  hd::array<float> partial = zeros<float>(5);
  compiled().function("inner::sum<float, 64>")(5, 64)(x, partial, n);
  float total = 0;
  for (const float p : partial.to_vector()) total += p;
  // Threads' sums are exact; the last combinations, of more than 2^24, are rounded.
  EXPECT_NEAR(total, n * (n - 1.0) / 2, 16);
  // One that was not listed, without its namespace where that is the CPU's to find.
  hd::array<int> sums = zeros<int>(3);
  compiled().function("inner::sum<int, 128>")(3, 128)(k, sums, n);
  const std::vector<int> each = sums.to_vector();
  EXPECT_EQ(each[0] + each[1] + each[2], n * (n - 1) / 2);
}

TEST_P(Kernels, shared_memory_and_barriers) {
  hd::array<int> x = ramp<int>(4096);
  compiled().function("reverse_of_block")(4, 1024, 4096)(x);
  const std::vector<int> got = x.to_vector();
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(got[static_cast<std::size_t>(i)], i / 1024 * 1024 + 1023 - i % 1024);
}

TEST_P(Kernels, warps_exchange_values) {
  const hd::array<int> x = ramp<int>(96);
  hd::array<int> sums = zeros<int>(3), counts = zeros<int>(96);
  hd::array<unsigned> votes = zeros<unsigned>(96);
  compiled().function("warps")(1, 96)(x, sums, votes, counts);
  EXPECT_EQ(sums.to_vector(), (std::vector<int>{31 * 16, 31 * 16 + 32 * 32, 31 * 16 + 64 * 32}));
  EXPECT_EQ(votes.to_vector(), std::vector<unsigned>(96, 0xaaaaaaaau));
  EXPECT_EQ(counts.to_vector(), std::vector<int>(96, 32));
}

TEST_P(Kernels, atomics) {
  const int n = 50'000;
  const hd::array<int> x = ramp<int>(n);
  hd::array<unsigned> bins = zeros<unsigned>(10);
  hd::array<float> total = zeros<float>(1);
  hd::array<unsigned long long> largest = zeros<unsigned long long>(1);
  compiled().function("histogram")(200, 256)(x, n, bins, total, largest);
  EXPECT_EQ(bins.to_vector(), std::vector<unsigned>(10, 5000));
  EXPECT_EQ(total[0], n);
  EXPECT_EQ(largest[0], n - 1u);
}

TEST_P(Kernels, blocks_wait_for_one_another) {
  const hd::array<int> x = ramp<int>(300 * 64);
  for (int repeat = 0; repeat < 3; ++repeat) {
    hd::array<int> partial = zeros<int>(300), total = zeros<int>(1);
    compiled().function("last_block_sums")(300, 64)(x, partial, total);
    EXPECT_EQ(total[0], 300 * 64 / 2 * (300 * 64 - 1));
  }
  hd::array<int> order = zeros<int>(40);
  compiled().function("in_turn")(40, 128)(order);
  std::vector<int> backwards(40);
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  EXPECT_EQ(order.to_vector(), backwards);
}

struct point {
  float x, y;
  char tag;
};

TEST_P(Kernels, arguments_of_all_kinds) {
  hd::array<point> out(1, where);
  compiled().function("takes_a_point")(1, 1)(point{1, 2, 'c'}, out, 0.5, std::uint8_t{200}, nullptr);
  const point got = out[0];
  EXPECT_EQ(got.x, 201.5f);
  EXPECT_EQ(got.y, 2);
  EXPECT_EQ(got.tag, 'c');
  // float4 from an array of float.
  const hd::array<float> x = ramp<float>(32);
  hd::array<float> y = zeros<float>(16);
  compiled().function("vectors")(1, 8)(x, y);
  const std::vector<float> sums = y.to_vector();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], 4 * i + 1);
}

TEST_P(Kernels, three_axes) {
  hd::array<int> x = zeros<int>(4 * 3 * 2 * 6);
  compiled().function("threes")({3, 2}, {4, 3, 2})(x);
  const std::vector<int> got = x.to_vector();
  std::size_t at = 0;
  for (int by = 0; by < 2; ++by)
    for (int bx = 0; bx < 3; ++bx)
      for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 3; ++y)
          for (int i = 0; i < 4; ++i) ASSERT_EQ(got[at++], i + 10 * y + 100 * z + 1000 * bx + 10000 * by);
}

TEST_P(Kernels, overloads_are_named_by_their_types_as_they_are_written) {
  hd::array<float> x = zeros<float>(1);
  hd::array<int> n = zeros<int>(1);
  compiled().function("overloaded(real*, int)")(1, 1)(x, 3);
  compiled().function("overloaded(int*, int)")(1, 1)(n, 4);
  EXPECT_EQ(x[0], 3);
  EXPECT_EQ(n[0], -4);
  const std::string message = message_of([&] { compiled().function("overloaded(short*, int)"); });
  EXPECT_NE(message.find("no kernel is 'overloaded(short*, int)': there are overloaded("), std::string::npos)
      << message;
}

TEST_P(Kernels, variables_of_the_module_last) {
  hd::array<int> out = zeros<int>(1);
  const hd::kernel_function count = compiled().function("count_calls");
  count(1, 1)(out);
  const int first = out[0];
  count(1, 1)(out);
  EXPECT_EQ(out[0], first + 1);
  compiled().function("plain_name")(1, 1)(out, 7);
  EXPECT_EQ(out[0], 7);
}

TEST_P(Kernels, arguments_are_checked) {
  const hd::array<float> x = ramp<float>(10);
  hd::array<float> y = zeros<float>(10);
  hd::array<double> wide = zeros<double>(10);
  const hd::kernel_function saxpy = compiled().function("saxpy");
  const auto message = [&](auto&&... arguments) { return message_of([&] { saxpy(1, 10)(arguments...); }); };
  EXPECT_EQ(message(10, 2.0f, x), "saxpy takes 4 arguments, and 3 were given");
  const auto says = [](const std::string& text, const char* begin, const char* end) {
    return text.starts_with(begin) && text.ends_with(end) ? testing::AssertionSuccess()
                                                          : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(
      says(message(10, 2.0, x, y), "saxpy: argument 2", ": the kernel takes float, and double was given"));
  EXPECT_TRUE(
      says(message(10L, 2.0f, x, y), "saxpy: argument 1", ": the kernel takes int, and long long was given"));
  EXPECT_TRUE(says(message(10, 2.0f, wide, y), "saxpy: argument 3",
                   ": the kernel takes const float*, and double* was given"));
  EXPECT_TRUE(says(message(10, 2.0f, x, x), "saxpy: argument 4",
                   ": the kernel takes float*, and const float* was given"));
  EXPECT_TRUE(says(message(10, 2.0f, 3.0f, y), "saxpy: argument 3",
                   ": the kernel takes const float*, and float was given"));
  EXPECT_TRUE(says(message(10, x, x, y), "saxpy: argument 2",
                   ": the kernel takes float, and const float* was given"));
}

TEST_P(Kernels, launches_that_cannot_be) {
  hd::array<int> x = zeros<int>(1);
  const hd::kernel_function bounded = compiled().function("bounded");
  EXPECT_NE(message_of([&] { bounded(1, 1025)(x); }), "no error");
  EXPECT_NE(message_of([&] { bounded(0, 1)(x); }), "no error");
  EXPECT_NE(message_of([&] { bounded(1, 65)(x); }), "no error");
  EXPECT_NE(message_of([&] { bounded(1, 1, 1 << 20)(x); }), "no error");
  bounded(1, 64)(x);
}

TEST_P(Kernels, launch_with_a_pointer_to_each_argument) {
  const int n = 1000;
  const float a = -1.5f;
  const hd::array<float> x = ramp<float>(n);
  hd::array<float> y = zeros<float>(n);
  y.fill(3);
  const float* from = x.data();
  float* to = y.data();
  void* const of_saxpy[] = {const_cast<int*>(&n), const_cast<float*>(&a), &from, &to};
  compiled().function("saxpy").launch(4, 256, 0, of_saxpy);
  const std::vector<float> sums = y.to_vector();
  for (int i = 0; i < n; ++i) ASSERT_EQ(sums[static_cast<std::size_t>(i)], 3 - 1.5f * static_cast<float>(i));

  // Dynamic shared memory.
  hd::array<int> reversed = ramp<int>(128);
  int* elements = reversed.data();
  void* const of_reverse[] = {&elements};
  compiled().function("reverse_of_block").launch(2, 64, 64 * sizeof(int), of_reverse);
  const std::vector<int> backwards = reversed.to_vector();
  for (int i = 0; i < 128; ++i) ASSERT_EQ(backwards[static_cast<std::size_t>(i)], i / 64 * 64 + 63 - i % 64);

  // Grids and blocks of several axes.
  hd::array<int> places = zeros<int>(2 * 3 * 2 * 3 * 2);
  elements = places.data();
  compiled().function("threes").launch({2, 3}, {2, 3, 2}, 0, of_reverse);
  const std::vector<int> got = places.to_vector();
  std::size_t at = 0;
  for (int block = 0; block < 6; ++block) {
    for (int thread = 0; thread < 12; ++thread) {
      ASSERT_EQ(got[at++], thread % 2 + 10 * (thread / 2 % 3) + 100 * (thread / 6) + 1000 * (block % 2) +
                               10000 * (block / 2));
    }
  }

  // A structure by value, numbers of several sizes, and a null pointer.
  hd::array<point> out(1, where);
  point given{1, 2, 'c'};
  point* result = out.data();
  double d = 0.25;
  std::uint8_t c = 3;
  const void* nothing = nullptr;
  void* const of_point[] = {&given, &result, &d, &c, &nothing};
  compiled().function("takes_a_point").launch(1, 1, 0, of_point);
  EXPECT_EQ(out[0].x, 4.25f);
  EXPECT_EQ(out[0].y, 2);
  EXPECT_EQ(out[0].tag, 'c');

  // No arguments at all.
  compiled().function("forget_calls").launch(1, 1, 0, nullptr);
  hd::array<int> calls = zeros<int>(1);
  elements = calls.data();
  compiled().function("count_calls").launch(1, 1, 0, of_reverse);
  EXPECT_EQ(calls[0], 1);

  const hd::kernel_function bounded = compiled().function("bounded");
  EXPECT_NE(message_of([&] { bounded.launch(1, 65, 0, of_reverse); }), "no error");
  EXPECT_NE(message_of([&] { bounded.launch({1, 0}, 1, 0, of_reverse); }), "no error");
  bounded.launch(1, 64, 0, of_reverse);
}

TEST_P(Kernels, types_of_arguments_may_be_known_at_run_time) {
  const hd::kernel_function saxpy = compiled().function("saxpy");
  EXPECT_EQ(saxpy.name(), "saxpy");
  ASSERT_NE(saxpy.parameters(), nullptr);
  ASSERT_EQ(saxpy.parameters()->size(), 4u);
  EXPECT_EQ(saxpy.parameters()->at(2).text(), "const float*");
  EXPECT_EQ(hd::kernel_parameter_of("const float*").text(), "const float*");
  hd::array<float> x(10, where), y(10, where);
  x.fill(1);
  y.fill(1);
  const int n = 10;
  const float a = 2;
  std::vector<hd::untyped_argument> arguments{
      {&n, sizeof n, false, false, {}, hd::kernel_number::i32},
      {&a, sizeof a, false, false, {}, hd::kernel_number::f32},
      {x.data(), sizeof(float), true, false, where, hd::kernel_number::f32},
      {y.data(), sizeof(float), true, true, where, hd::kernel_number::f32}};
  const float first = y[0];
  saxpy(1, 32).call(arguments);
  saxpy(1, 32)(n, a, x, y);
  // Both have added the same.
  const float after_two = y[0];
  saxpy(1, 32).call(arguments);
  EXPECT_NE(after_two, first);
  EXPECT_EQ(2 * (y[0] - after_two), after_two - first);
  arguments[3].is_written = false;
  EXPECT_NE(message_of([&] { saxpy(1, 32).call(arguments); }).find("and const float* was given"),
            std::string::npos);
  arguments.pop_back();
  EXPECT_NE(
      message_of([&] { saxpy(1, 32).call(arguments); }).find("saxpy takes 4 arguments, and 3 were given"),
      std::string::npos);
}

TEST_P(Kernels, names_that_are_not_there) {
  EXPECT_NE(message_of([&] { compiled().function("nobody"); }).find("nobody"), std::string::npos);
  EXPECT_NE(message_of([&] { compiled().function("inner::sum"); }), "no error");
}

TEST_P(Kernels, errors_name_the_lines_of_the_source) {
  hd::module_options options;
  options.name = "wrong.cu";
  const std::string message = message_of([&] {
    hd::module(where, "__global__ void f(int* x) {\n  x[0] = 1;\n  x[1] = undeclared;\n}\n", options);
  });
  EXPECT_NE(message.find("wrong.cu"), std::string::npos) << message;
  EXPECT_NE(message.find("undeclared"), std::string::npos) << message;
  EXPECT_TRUE(message.find("wrong.cu:3") != std::string::npos ||
              message.find("wrong.cu(3)") != std::string::npos)
      << message;
}

TEST_P(Kernels, are_kept) {
  const std::string text = "__global__ void f(int* x) { x[0] = VALUE; }\n";
  hd::module_options options;
  options.definitions = {"VALUE=3"};
  const hd::module first(where, text, options), again(where, text, options);
  EXPECT_TRUE(again.was_cached());
  hd::array<int> x = zeros<int>(1);
  again.function("f")(1, 1)(x);
  EXPECT_EQ(x[0], 3);
  // One after another, some of which outlive the next.
  std::vector<hd::kernel_function> functions;
  for (int i = 0; i < 6; ++i) {
    const int value = 3 + i % 2;
    options.definitions = {"VALUE=" + std::to_string(value)};
    const hd::module now(where, text, options);
    if (i % 3 == 0) functions.push_back(now.function("f"));
    now.function("f")(1, 1)(x);
    EXPECT_EQ(x[0], value);
  }
  for (int i = 0; i < 2; ++i) {
    functions[static_cast<std::size_t>(i)](1, 1)(x);
    EXPECT_EQ(x[0], 3 + i);
  }
}

}  // namespace
