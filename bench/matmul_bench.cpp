// Products of square matrices on a CPU beside the same product by OpenBLAS, called directly with as many
// threads: the medians of many calls of each, in turn, and of how much longer Heddle's took than the call
// beside it.
//
//   matmul_bench [TARGET]      default: every core
#include <heddle/heddle.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <cblas.h>
#include <dlfcn.h>

namespace hd = heddle;

namespace {

template <class F>
F* function_of(void* openblas, const char* name) {
  void* const found = dlsym(openblas, name);
  if (found == nullptr) throw hd::error(std::string("matmul_bench: OpenBLAS has no ") + name);
  return reinterpret_cast<F*>(found);
}

template <class F>
double seconds_of(const F& call) {
  const auto began = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

double median(std::vector<double>& seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

template <class T, class Gemm>
void measure(const hd::target& where, Gemm* gemm) {
  std::printf("%s on %s\n%8s%16s%16s%10s\n", name(hd::dtype_of<T>), where.text().c_str(), "n",
              "OpenBLAS GF/s", "Heddle GF/s", "time");
  for (const std::size_t n : {64, 128, 256, 512, 1024, 2048}) {
    const hd::array<T> a = hd::random::normal<T>(where, {n, n}, {.seed = 1}),
                       b = hd::random::normal<T>(where, {n, n}, {.seed = 2});
    hd::array<T> c({n, n}), direct({n, n});
    const auto heddle = [&] { hd::matmul_into(where, c, a, b); };
    const auto size = static_cast<blasint>(n);
    const auto openblas = [&] {
      gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, T(1), a.data(), size, b.data(), size,
           T(0), direct.data(), size);
    };
    heddle();
    openblas();
    if (c.to_vector() != direct.to_vector()) throw hd::error("matmul_bench: the products differ");
    // In turn, and each first half of the time, so that what else the machine does meets both alike.
    const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    const std::size_t pairs = std::clamp<std::size_t>(static_cast<std::size_t>(2e10 / operations), 15, 2001);
    std::vector<double> by_heddle, by_openblas, ratios;
    for (std::size_t i = 0; i < pairs; ++i) {
      if (i % 2 == 0) by_heddle.push_back(seconds_of(heddle));
      by_openblas.push_back(seconds_of(openblas));
      if (i % 2 == 1) by_heddle.push_back(seconds_of(heddle));
      ratios.push_back(by_heddle.back() / by_openblas.back());
    }
    const double ours = median(by_heddle), theirs = median(by_openblas);
    std::printf("%8zu%16.1f%16.1f%+9.1f%%\n", n, operations / theirs / 1e9, operations / ours / 1e9,
                100 * (median(ratios) - 1));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const hd::target where = argc > 1 ? hd::target::parse(argv[1]) : hd::target::parallel();
    if (where.is_gpu() || where.is_automatic()) throw hd::error("matmul_bench: on serial or parallel");
    void* const openblas = dlopen("libopenblas.so.0", RTLD_LAZY);
    if (openblas == nullptr) {
      std::printf("there is no OpenBLAS here to compare with\n");
      return 0;
    }
    measure<float>(where, function_of<decltype(cblas_sgemm)>(openblas, "cblas_sgemm"));
    measure<double>(where, function_of<decltype(cblas_dgemm)>(openblas, "cblas_dgemm"));
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
