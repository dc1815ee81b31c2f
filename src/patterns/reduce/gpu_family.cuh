#pragma once

#include "core/masked_operators.hpp"
#include "patterns/gpu_families.hpp"
#include <heddle/impl/patterns/segmented_reduce/gpu.cuh>

namespace heddle::gpu {

template <impl::family Family>
void reduce_family(runtime_op op, dtype type, const void* x, axis_lines all, void* out, const target& where) {
  impl::with_runtime_op<Family>(type, op, [&]<class T, class Op>(impl::type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      reduce<T>(where, impl::element_at<T, Op>{static_cast<const T*>(x)}, operation, all,
                static_cast<T*>(out));
    }
  });
}

template <impl::family Family>
void reduce_tiles_family(runtime_op op, dtype type, const void* x, std::size_t count, void* out,
                         const target& where) {
  impl::with_runtime_op<Family>(type, op, [&]<class T, class Op>(impl::type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      const current_device on(where);
      reduce_tiles<T>(where, impl::element_at<T, Op>{static_cast<const T*>(x)}, operation,
                      axis_lines{1, count, 1}, static_cast<T*>(out));
    }
  });
}

template <impl::family Family>
void segmented_reduce_family(runtime_op op, dtype type, const void* x, std::size_t n,
                             const std::size_t* offsets, std::size_t count, void* out, const target& where) {
  impl::with_runtime_op<Family>(type, op, [&]<class T, class Op>(impl::type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      segmented_reduce(where, static_cast<const T*>(x), n, operation, offsets, count, static_cast<T*>(out));
    }
  });
}

}  // namespace heddle::gpu
