#pragma once

#include "cuda/families.hpp"
#include <heddle/cuda/scan.cuh>

namespace heddle::cuda {

template <detail::family Family>
void scan_family(detail::function op, dtype type, bool exclusive, const void* x, segments all,
                 const void* init, void* out, const target& where) {
  detail::with_storage<Family>(type, op, [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      const T* const from = static_cast<const T*>(x);
      const T* const start = static_cast<const T*>(init);
      T* const to = static_cast<T*>(out);
      if (exclusive) {
        scan<true, T>(where, from, operation, all, start, to);
      } else {
        scan<false, T>(where, from, operation, all, start, to);
      }
    }
  });
}

}  // namespace heddle::cuda
