#pragma once

#include "cuda/families.hpp"
#include "operators_by_masks.hpp"
#include <heddle/cuda/scan.cuh>

namespace heddle::cuda {

template <detail::family Family>
void scan_family(detail::function op, dtype type, bool exclusive, const void* x, segments all,
                 const void* init, void* out, const target& where) {
  detail::with_operators_by_masks<Family>(type, op,
                                          [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
                                            if constexpr (!std::is_same_v<Op, minus>) {
                                              scan(where, static_cast<const T*>(x), operation, all, exclusive,
                                                   static_cast<const T*>(init), static_cast<T*>(out));
                                            }
                                          });
}

}  // namespace heddle::cuda
