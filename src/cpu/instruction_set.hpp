#pragma once

namespace heddle::cpu {

/// Kernels are compiled for the levels v1, v3 and v4 of the x86-64 ABI; elsewhere there is one.
enum class isa { baseline, avx2, avx512 };

/// The best that this processor runs of those that the library holds. Everything that is compiled for several
/// asks here, on first use, which may be before main.
isa best_isa();

/// The kernel of the best instruction set.
template <class Kernel>
Kernel fastest(Kernel baseline, Kernel avx2, Kernel avx512) {
  const isa best = best_isa();
  return best == isa::avx512 ? avx512 : best == isa::avx2 ? avx2 : baseline;
}

}  // namespace heddle::cpu

/// The fastest of baseline_NAME, avx2_NAME and avx512_NAME.
#if defined(HEDDLE_X86_KERNELS)
#define HEDDLE_FASTEST(name) ::heddle::cpu::fastest(baseline_##name, avx2_##name, avx512_##name)
#else
#define HEDDLE_FASTEST(name) baseline_##name
#endif
