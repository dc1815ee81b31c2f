#include "cpu/instruction_set.hpp"

#include <heddle/fork.hpp>

#include <iterator>

namespace heddle::cpu {
namespace {

/// The levels of the x86-64 ABI that the kernels are compiled for, by the features that set them apart.
isa found_isa() {
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

}  // namespace

isa best_isa() {
  constinit static made_once<isa> best;
  return best.get(found_isa);
}

const char* instruction_set() {
  constexpr const char* names[] = {"baseline", "avx2", "avx512"};
  static_assert(std::size(names) == static_cast<std::size_t>(isa::avx512) + 1);
  return names[static_cast<int>(best_isa())];
}

}  // namespace heddle::cpu
