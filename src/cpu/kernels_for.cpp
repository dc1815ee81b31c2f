#include "cpu/kernels.hpp"
#include <heddle/machine.hpp>

#include <array>

namespace heddle::cpu {
namespace {

enum class isa { baseline, avx2, avx512 };

/// The levels of the x86-64 ABI that the kernels are compiled for, by the features that set them apart.
isa best_isa() {
#if defined(HEDDLE_X86_KERNELS)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v4) return isa::avx512;
  if (v3) return isa::avx2;
#endif
  return isa::baseline;
}

/// Chosen on first use, which may be before main.
isa chosen() {
  static const isa best = best_isa();
  return best;
}

kernels kernels_of(dtype type, impl::function function) {
  switch (chosen()) {
#if defined(HEDDLE_X86_KERNELS)
    case isa::avx512:
      return avx512_kernels(type, function);
    case isa::avx2:
      return avx2_kernels(type, function);
#endif
    default:
      return baseline_kernels(type, function);
  }
}

constexpr std::size_t types = static_cast<std::size_t>(dtype::complex128) + 1;
constexpr std::size_t functions = static_cast<std::size_t>(impl::function::none) + 1;

}  // namespace

const kernels& kernels_for(dtype type, impl::function function) {
  static const auto table = [] {
    std::array<std::array<kernels, functions>, types> all;
    for (std::size_t t = 0; t < types; ++t) {
      for (std::size_t f = 0; f < functions; ++f) {
        all[t][f] = kernels_of(static_cast<dtype>(t), static_cast<impl::function>(f));
      }
    }
    return all;
  }();
  return table[static_cast<std::size_t>(type)][static_cast<std::size_t>(function)];
}

const char* instruction_set() {
  constexpr const char* names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(chosen())];
}

}  // namespace heddle::cpu
