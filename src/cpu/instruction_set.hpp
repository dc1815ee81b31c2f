#pragma once

namespace heddle::cpu {

/// Kernels are compiled for the levels v1, v3 and v4 of the x86-64 ABI; elsewhere there is one.
enum class isa { baseline, avx2, avx512 };

/// The best that this processor runs of those that the library holds. Everything that is compiled for several
/// asks here, on first use, which may be before main.
isa best_isa();

}  // namespace heddle::cpu
