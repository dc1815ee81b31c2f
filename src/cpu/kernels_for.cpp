#include "cpu/instruction_set.hpp"
#include "cpu/kernels.hpp"
#include <heddle/fork.hpp>

#include <array>

namespace heddle::cpu {
namespace {

kernels kernels_of(dtype type, runtime_op function) {
  switch (best_isa()) {
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
constexpr std::size_t functions = static_cast<std::size_t>(runtime_op::none) + 1;

}  // namespace

const kernels& kernels_for(dtype type, runtime_op function) {
  using kernel_table = std::array<std::array<kernels, functions>, types>;
  constinit static made_once<kernel_table> made;
  const kernel_table& table = made.get([] {
    kernel_table all;
    for (std::size_t t = 0; t < types; ++t) {
      for (std::size_t f = 0; f < functions; ++f) {
        all[t][f] = kernels_of(static_cast<dtype>(t), static_cast<runtime_op>(f));
      }
    }
    return all;
  });
  return table[static_cast<std::size_t>(type)][static_cast<std::size_t>(function)];
}

}  // namespace heddle::cpu
