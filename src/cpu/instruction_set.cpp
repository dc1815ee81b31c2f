#include "cpu/instruction_set.hpp"

#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/fork.hpp>

#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace heddle::cpu {
namespace {

constexpr const char* variable = "HEDDLE_SIMD";
constexpr std::string_view names[] = {"baseline", "avx2", "avx512"};
static_assert(std::size(names) == static_cast<std::size_t>(isa::avx512) + 1);

constexpr std::string_view name(isa set) {
  return names[static_cast<int>(set)];
}

/// The levels of the x86-64 ABI that the kernels are compiled for, by the features that set them apart.
isa widest_of_this_processor() {
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

/// The one that HEDDLE_SIMD names, or else the widest. Throws if HEDDLE_SIMD names one that is not there.
isa chosen_isa() {
  const isa widest = widest_of_this_processor();
  const char* const wanted = std::getenv(variable);
  if (wanted == nullptr || *wanted == '\0') return widest;
  std::string possible;
  for (const isa set : {isa::baseline, isa::avx2, isa::avx512}) {
    if (set > widest) break;
    if (wanted == name(set)) return set;
    possible += fmt::format("{}{}", possible.empty() ? "" : ", ", name(set));
  }
  throw error(fmt::format("{}={}: this processor and this build have {}: unset {} or set it to one of them",
                          variable, wanted, possible, variable));
}

}  // namespace

isa best_isa() {
  constinit static made_once<isa> best;
  return best.get(chosen_isa);
}

}  // namespace heddle::cpu

namespace heddle {

const char* cpu_instruction_set() {
  return cpu::name(cpu::best_isa()).data();
}

}  // namespace heddle
