// Compiled once for each instruction set, with HEDDLE_ISA naming it. See patterns/cpu_kernels.cpp.
#include "patterns/gather/cpu_kernels.hpp"

#include "core/unsigned_of_bytes.hpp"
#include <heddle/support/simd.hpp>

#include <limits>

namespace heddle::cpu {

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_OF_ISA(isa, name) HEDDLE_JOIN(isa, name)

bool HEDDLE_OF_ISA(HEDDLE_ISA, _any_outside)(const void* indices, std::size_t index_bytes, std::size_t n,
                                             std::uint64_t limit) {
  bool found = false;
  impl::with_unsigned_of_bytes(index_bytes, [&]<class Index>(Index) __attribute__((always_inline)) {
    if (limit > std::numeric_limits<Index>::max()) return;
    const Index* const index = static_cast<const Index*>(indices);
    const auto end = static_cast<Index>(limit);
    Index any = 0;
    for (std::size_t i = 0; i < n; ++i) any = static_cast<Index>(any | (index[i] >= end ? 1 : 0));
    found = any != 0;
  });
  return found;
}

}  // namespace heddle::cpu
