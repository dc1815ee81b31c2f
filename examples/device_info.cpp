// The parts of this machine: its processor, its GPUs, and the compilers and libraries that a target can use.
// Change CXX or LD_LIBRARY_PATH in the environment: a missing library is named, with where it was looked for.
// `heddle info` prints more, with the bandwidths of memory, by which `auto` places a call.
#include "on_each_target.hpp"
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/machine.hpp>

namespace hd = heddle;

template <class Use>
void print_whether(const char* what, const Use& use) {
  try {
    use();
    std::printf("  %-22syes\n", what);
  } catch (const hd::error& problem) {
    std::printf("  %-22sno: %s\n", what, problem.what());
  }
}

void show(const hd::target& where) {
  if (where.is_gpu()) {
    for (const hd::gpu_properties& gpu : hd::gpus()) {
      if (gpu.device != where.device()) continue;
      std::printf("  %s, compute capability %d.%d, %d multiprocessors, %.1f GiB\n", gpu.name.c_str(),
                  gpu.compute_capability_major, gpu.compute_capability_minor, gpu.multiprocessors,
                  static_cast<double>(gpu.memory_bytes) / (1 << 30));
    }
  } else {
    std::printf("  %s, %d of %d cores, %s\n", hd::cpu_name().c_str(), where.threads(), hd::available_cores(),
                hd::cpu_instruction_set());
  }
  const std::string toolkit = hd::cuda_toolkit_version();
  std::printf("  %-22s%s\n", "CUDA toolkit", toolkit.empty() ? "built without it" : toolkit.c_str());
  print_whether("kernels from source", [&] {
    hd::array<int> x(1, where);
    hd::module(where, "__global__ void answer(int* x) { *x = 42; }").function("answer")(1, 1)(x);
    examples::expect(x[0] == 42, "what the kernel wrote");
  });
  print_whether("products by BLAS", [&] {
    hd::array<double> a({1, 1}, where);
    a.fill(6);
    examples::expect(hd::matmul(where, a, a)(0, 0) == 36, "6 times 6");
  });
  examples::expect(hd::target::parse(where.text()) == where, "a target's text names it");
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
