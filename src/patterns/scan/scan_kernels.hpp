// Chooses the scan in registers for a type and an operator, and scans columns. It is a part of
// cpu_kernels.cpp, which is compiled once for each instruction set.
#pragma once

#include "patterns/cpu_kernels.hpp"
#include "patterns/scan/scan_any_order.hpp"
#include "patterns/scan/scan_ordered.hpp"
#include "patterns/scan/scan_registers.hpp"
#include <heddle/impl/patterns/scan/cpu.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {
namespace {

/// Columns of a register, or of less than one.
template <class T, class Op, bool All>
struct register_of_columns {
  using n = numbers<T>;
  using values = typename n::vector;
  std::size_t count;

  HEDDLE_ALWAYS_INLINE values read(const T* x) const { return n::load(x, All ? n::width : count); }
  HEDDLE_ALWAYS_INLINE values load(const T* x) const { return n::load(x); }
  HEDDLE_ALWAYS_INLINE values splat(const T& x) const { return n::splat(x); }
  HEDDLE_ALWAYS_INLINE values combine(values a, values b) const { return combined<Op, T>(a, b); }
  HEDDLE_ALWAYS_INLINE void store(values v, T* to) const { n::store(v, to); }
  HEDDLE_ALWAYS_INLINE void write(values v, T* to) const {
    n::store(n::canonical(v), to, All ? n::width : count);
  }
};
template <class T, class Op>
struct columns_in_registers {
  template <class F>
  HEDDLE_ALWAYS_INLINE void each(std::size_t count, const F& f) const {
    constexpr std::size_t width = numbers<T>::width;
    static_assert(register_bytes <= 64 && 64 % register_bytes == 0,
                  "rows of the scratch are of whole registers");
    std::size_t first = 0;
    for (; first + width <= count; first += width) f(register_of_columns<T, Op, true>{}, first);
    if (first < count) f(register_of_columns<T, Op, false>{count - first}, first);
  }
};

template <class T, class Op>
void scan_columns_in_registers(const column_panel& panel, const void* init, bool exclusive) {
  scan_columns<T, Op>(columns_in_registers<T, Op>(), panel, static_cast<const T*>(init), exclusive);
}

template <class T, class Op>
constexpr scan_kernels scan_kernels_of() {
  if constexpr (!has_simd<Op, T> && !(is_complex<T> && std::is_same_v<Op, plus>)) {
    return {};
  } else if constexpr (order::any_scan_order<T, Op>) {
    return {sizeof(T),           start_exact<T, Op>, reduce_exact<T, Op>,
            append_exact<T, Op>, scan_exact<T, Op>,  scan_columns_in_registers<T, Op>};
  } else {
    return {sizeof(order::row_prefix<T>), start_ordered<T, Op>, reduce_ordered<T, Op>,
            append_ordered<T, Op>,        scan_ordered<T, Op>,  scan_columns_in_registers<T, Op>};
  }
}

}  // namespace
}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
