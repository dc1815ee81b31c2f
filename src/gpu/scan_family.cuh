#pragma once

#include "dispatch/runtime_op.hpp"
#include "gpu/families.hpp"
#include <heddle/impl/gpu/scan/scan.cuh>

namespace heddle::gpu {

template <impl::family Family>
void scan_family(impl::function op, dtype type, bool exclusive, const void* x, segments all, const void* init,
                 void* out, const target& where) {
  impl::with_runtime_op<Family>(type, op, [&]<class T, class Op>(impl::type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      scan(where, static_cast<const T*>(x), operation, all, exclusive, static_cast<const T*>(init),
           static_cast<T*>(out));
    }
  });
}

}  // namespace heddle::gpu
