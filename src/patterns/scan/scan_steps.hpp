#pragma once

#include "core/compiled_operator.hpp"
#include "core/masked_operators.hpp"
#include "patterns/cpu_kernels.hpp"
#include <heddle/scan.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle::impl {

/// Throws where scans by the operator are not defined.
void require_scan(runtime_op op, dtype type);

/// The steps that are compiled for several instruction sets.
inline cpu::scan_steps compiled_steps(const cpu::scan_kernels& by, dtype type) {
  const std::size_t element_bytes = size_of(type);
  const std::size_t row = order::scan_row_vectors * order::scan_vector_of(element_bytes);
  return {element_bytes,      by.state_bytes, row,     true,           by.start,
          by.reduce_serially, by.append,      by.scan, by.scan_columns};
}

/// Calls f(steps, identity, operator) with the steps of a scan on the CPU; `identity` is where an exclusive
/// scan begins, one element.
template <class F>
void with_typed_scan_steps(runtime_op op, dtype type, const F& f) {
  with_runtime_op<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      T identity = identity_of<Op, T>(operation);
      if constexpr (std::is_same_v<T, std::uint8_t>) {
        if (type == dtype::boolean) identity = identity != 0;
      }
      const cpu::scan_kernels& kernels = cpu::scan_kernels_for(type, op);
      if (kernels.scan != nullptr) return f(compiled_steps(kernels, type), &identity, operation);
      if constexpr (is_logical<Op> || is_complex<T>) {
        const auto combine = compiled_operator<T>(operation);
        const cpu::steps_by_operator<T, std::remove_const_t<decltype(combine)>> by(combine);
        f(by.steps(), &identity, combine);
      }
    }
  });
}

}  // namespace heddle::impl
