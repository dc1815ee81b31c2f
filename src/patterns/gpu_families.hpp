#pragma once

#include "core/type_op_dispatch.hpp"
#include "patterns/reduce/gpu.hpp"
#include "patterns/scan/gpu.hpp"
#include "patterns/segmented_reduce/gpu.hpp"

/// Kernels are compiled a family of operators at a time, each in a file of its own, so that they compile side
/// by side.
namespace heddle::gpu {

template <impl::family Family>
void reduce_family(runtime_op op, dtype type, const void* x, axis_lines all, void* out, const target& where);
template <impl::family Family>
void reduce_tiles_family(runtime_op op, dtype type, const void* x, std::size_t count, void* out,
                         const target& where);
template <impl::family Family>
void segmented_reduce_family(runtime_op op, dtype type, const void* x, std::size_t n,
                             const std::size_t* offsets, std::size_t count, void* out, const target& where);

/// A scan of elements of one type by one operator.
using typed_scan = void(bool exclusive, const void* x, axis_lines all, const void* init, void* out,
                        const target& where);
template <impl::family Family>
typed_scan* find_scan(runtime_op op, dtype type);

/// The function of three that is compiled for the family of `op` on elements of `type`.
template <class Function>
Function* of_family(runtime_op op, dtype type, Function* arithmetic, Function* order, Function* bits) {
  switch (impl::stored_function(type, op)) {
    case runtime_op::plus:
    case runtime_op::multiplies:
    case runtime_op::minus:
      return arithmetic;
    case runtime_op::minimum:
    case runtime_op::maximum:
      return order;
    default:
      return bits;
  }
}

}  // namespace heddle::gpu
