#pragma once

#include "core/masked_operators.hpp"
#include "patterns/gpu_families.hpp"
#include <heddle/impl/patterns/scan/gpu/scan.cuh>

namespace heddle::gpu {

template <class T, class Op>
void scan_elements(bool exclusive, const void* x, axis_lines all, const void* init, void* out,
                   const target& where) {
  using element = impl::runtime_element<T, Op>;
  scan(where, static_cast<const element*>(x), impl::runtime_op_for<T, Op>, all, exclusive,
       static_cast<const element*>(init), static_cast<element*>(out));
}

template <impl::family Family>
typed_scan* find_scan(runtime_op op, dtype type) {
  typed_scan* found = nullptr;
  impl::dispatch_type_op<Family>(type, op, [&]<class T, class Op>(impl::type_tag<T>, Op) {
    if constexpr (!std::is_same_v<Op, minus>) found = scan_elements<T, Op>;
  });
  return found;
}

}  // namespace heddle::gpu
