#include "cuda_on_cpu/compile/sealed_library.hpp"
#include "io/contents.hpp"
#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/array.hpp>
#include <heddle/kernel.hpp>
#include <heddle/linear_algebra.hpp>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

// Modules on a CPU: headers, failures and the compiler beside other threads.

namespace hd = heddle;
using heddle::tests::message_of;

namespace {

/// From the folder that is searched last to the first.
TEST(KernelsOnCpu, headers_that_come_to_hide_others_count) {
  const heddle::tests::scratch_folder folder;
  hd::module_options options;
  options.include_folders = {folder / "include"};
  options.flags = {"-isystem", folder / "system", "-I" + (folder / "flag"), "-iquote", folder / "quoted"};
  for (const char* const name : {"system", "include", "flag", "quoted"}) {
    std::filesystem::create_directory(folder.path() / name);
    std::ofstream(folder / (std::string(name) + "/value.h")) << "#define VALUE '" << name[0] << "'\n";
    for (const bool is_kept : {false, true}) {
      const hd::module m(hd::target::serial(),
                         "#include \"value.h\"\n__global__ void f(char* x) { x[0] = VALUE; }\n", options);
      EXPECT_EQ(m.was_cached(), is_kept) << name;
      hd::array<char> x(1);
      m.function("f")(1, 1)(x);
      EXPECT_EQ(x[0], name[0]);
    }
  }
}

/// What stops a kernel on a CPU is an error of its launch.
TEST(KernelsOnCpu, failures_are_errors) {
  const hd::module m(hd::target::parallel(2), R"(
__global__ void asserts(const int* x, int n) {
  for (int i = 0; i < n; ++i) assert(x[i] < 3);
}
__global__ void waits_in_vain(int* x) {
  if (threadIdx.x < 16) x[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
  else __syncthreads();
}
__global__ void traps() { if (threadIdx.x == 3) { __syncthreads(); __trap(); } else __syncthreads(); }
__global__ void __cluster_dims__(2, 1, 1) in_clusters(int* x) { *x = 7; }
)");
  hd::array<int> x(32);
  x.fill(0);
  x.set(5, 20);
  const auto says = [](auto call, auto words) { return message_of(call).find(words) != std::string::npos; };
  EXPECT_TRUE(says([&] { m.function("asserts")(1, 1)(x, 32); }, "kernel.cu:3: assertion 'x[i] < 3' failed"));
  EXPECT_TRUE(says([&] { m.function("waits_in_vain")(1, 32)(x); }, "wait for one another"));
  EXPECT_TRUE(says([&] { m.function("traps")(1, 32)(); }, "__trap()"));
  EXPECT_TRUE(says([&] { m.function("in_clusters")(2, 1)(x); }, "in_clusters: clusters of 2 blocks: a CPU"));
  m.function("asserts")(1, 1)(x, 10);  // and the next launch is as if nothing had been
}

TEST(KernelsOnCpu, an_instance_that_does_not_compile_leaves_the_module_as_it_was) {
  const hd::module m(hd::target::serial(), "template <class T> __global__ void set(T* x) { *x = 7; }\n");
  EXPECT_NE(message_of([&] { m.function("set<nothing>"); }).find("nothing"), std::string::npos);
  hd::array<int> x(1);
  m.function("set<int>")(1, 1)(x);
  EXPECT_EQ(x[0], 7);
}

/// dlopen knows libraries by their names.
TEST(KernelsOnCpu, libraries_in_memory_have_names_of_their_own_and_do_not_change) {
  std::set<std::string> names;
  for (int i = 0; i < 40; ++i) {
    const hd::cuda_on_cpu::sealed_library library("some bytes");
    EXPECT_TRUE(names.insert(library.path()).second) << library.path();
    EXPECT_EQ(hd::impl::contents(std::filesystem::path(library.path())), "some bytes");
    const int file = open(library.path().c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_LT(pwrite(file, "x", 1, 0), 0);
    EXPECT_NE(ftruncate(file, 1), 0);
    close(file);
  }
}

/// OpenBLAS waits for its threads before a process forks.
TEST(KernelsOnCpu, threads_compile_while_others_multiply) {
  if (dlopen("libopenblas.so.0", RTLD_LAZY) == nullptr) GTEST_SKIP() << "this machine has no OpenBLAS";
  constexpr std::size_t side = 300;
  constexpr int pairs = 12;
  std::atomic<int> failed = 0, compiling = pairs;
  std::vector<std::thread> threads;
  for (int t = 0; t < pairs; ++t) {
    threads.emplace_back([&] {
      hd::array<double> x({side, side}, hd::target::serial());
      x.fill(1);
      while (compiling > 0) {
        const hd::array<double> product = hd::matmul(hd::target::parallel(), x, x);
        if (product.to_vector() != std::vector<double>(side * side, side)) ++failed;
      }
    });
    threads.emplace_back([&] {
      // The compiler is started, and has little to do.
      const std::string message = message_of([] { hd::module(hd::target::serial(), "#error stop\n"); });
      if (message.find("#error stop") == std::string::npos) ++failed;
      --compiling;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failed, 0);
}

/// Threads are a loop only where neither a kernel nor what it calls lets them wait.
TEST(KernelsOnCpu, threads_wait_in_what_a_kernel_calls) {
  const hd::module m(hd::target::serial(), R"(
struct neighbours {
  __device__ int operator()(int v) const { return __shfl_xor_sync(0xffffffffu, v, 1); }
};
__device__ int swapped(int v) { return neighbours()(v); }
__device__ int reversed(int v) {
  __shared__ int held[64];
  held[threadIdx.x] = v;
  __syncthreads();
  const int result = held[63 - threadIdx.x];
  __syncthreads();
  return result;
}
__device__ int again(int v) { return reversed(reversed(v)); }
__global__ void by_an_object(int* x) { x[threadIdx.x] = swapped(x[threadIdx.x]); }
__global__ void by_a_function(int* x) { x[threadIdx.x] = again(reversed(x[threadIdx.x])); }
)");
  hd::array<int> x(64);
  for (int i = 0; i < 64; ++i) x.set(i, i);
  m.function("by_a_function")(1, 64)(x);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(x[static_cast<std::size_t>(i)], 63 - i);
  m.function("by_an_object")(1, 64)(x);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(x[static_cast<std::size_t>(i)], 63 - (i ^ 1));
}

}  // namespace
