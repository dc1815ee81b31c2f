// Products by an OpenBLAS that has no functions for work buffers, under a limit of addresses.
#include "tests/in_a_process.hpp"
#include <heddle/linear_algebra.hpp>

#include <cstddef>
#include <fstream>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hd = heddle;

namespace {

/// Multiplies batches on several threads, and says how that went.
std::string multiplied(std::size_t more_bytes) {
  void* const library = dlopen(OPENBLAS_WITHOUT_BUFFERS, RTLD_NOW);
  if (library == nullptr) return dlerror();
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t addresses = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit limit{addresses, addresses};
  if (more_bytes > 0 && setrlimit(RLIMIT_AS, &limit) != 0) return "no limit is set";
  constexpr std::size_t batches = 12, m = 3, k = 4, n = 5;
  hd::array<double> a({batches, m, k}), b({batches, k, n});
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<double>(i % 7);
  for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = static_cast<double>(i % 5);
  const hd::array<double> c = hd::matmul(hd::target::parallel(4), a, b);
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::size_t row = i / n, batch = row / m;
    double sum = 0;
    for (std::size_t l = 0; l < k; ++l) sum += a.data()[row * k + l] * b.data()[(batch * k + l) * n + i % n];
    if (c.data()[i] != sum) return "a wrong product";
  }
  const auto number = [&](const char* function) {
    return std::to_string(reinterpret_cast<int (*)()>(dlsym(library, function))());
  };
  return number("calls_of_dgemm") + " products, " + number("most_dgemm_at_once") + " at once";
}

class matmul_limits : public testing::Test {
 protected:
  void SetUp() override {
    if (heddle::tests::is_sanitized) GTEST_SKIP() << "a sanitized process needs all addresses";
    if (access(OPENBLAS_WITHOUT_BUFFERS, R_OK) != 0)
      GTEST_SKIP() << "the library is on the machine that built it";
  }
};

}  // namespace

TEST_F(matmul_limits, leave_an_openblas_without_buffers_one_call_at_a_time) {
  EXPECT_EQ(heddle::tests::in_a_process([] { return multiplied(std::size_t{1} << 30); }),
            "12 products, 1 at once");
  const std::string unlimited = heddle::tests::in_a_process([] { return multiplied(0); });
  EXPECT_TRUE(unlimited.starts_with("12 products, ")) << unlimited;
}

TEST_F(matmul_limits, leave_products_to_loops_where_openblas_has_no_room) {
  EXPECT_EQ(heddle::tests::in_a_process([] { return multiplied(std::size_t{100} << 20); }),
            "0 products, 0 at once");
}
