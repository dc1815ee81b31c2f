// Compiled once for each instruction set, with HEDDLE_ISA naming it. See patterns/cpu_kernels.cpp.
#include "patterns/top_k/cpu_kernels.hpp"

#include "patterns/sort/sortable.hpp"
#include <heddle/support/simd.hpp>

namespace heddle::cpu {

#define HEDDLE_JOIN(a, b) a##b
#define HEDDLE_OF_ISA(isa, name) HEDDLE_JOIN(isa, name)

bool HEDDLE_OF_ISA(HEDDLE_ISA, _any_before)(dtype type, const void* x, std::size_t n, bool descending,
                                            std::uint64_t bound) {
  bool found = false;
  impl::with_ordered_type(type, [&]<class T>(T) __attribute__((always_inline)) {
    using key = impl::unsigned_of_bytes<sizeof(T)>;
    const T* const from = static_cast<const T*>(x);
    const auto flip = static_cast<key>(descending ? -1 : 0);
    const auto end = static_cast<key>(bound);
    key any = 0;
    for (std::size_t i = 0; i < n; ++i)
      any = static_cast<key>(any | (static_cast<key>(impl::to_key(from[i]) ^ flip) < end ? 1 : 0));
    found = any != 0;
  });
  return found;
}

}  // namespace heddle::cpu
