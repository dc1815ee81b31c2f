#pragma once

#include "cuda/families.hpp"
#include "operators_by_masks.hpp"
#include <heddle/cuda/segmented_reduce.cuh>

namespace heddle::cuda {

template <detail::family Family>
void reduce_family(detail::function op, dtype type, const void* x, segments all, void* out,
                   const target& where) {
  detail::with_operators_by_masks<Family>(
      type, op, [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
        if constexpr (!std::is_same_v<Op, minus>) {
          reduce<T>(where, detail::element_at<T, Op>{static_cast<const T*>(x)}, operation, all,
                    static_cast<T*>(out));
        }
      });
}

template <detail::family Family>
void fold_tiles_family(detail::function op, dtype type, const void* x, std::size_t count, void* out,
                       const target& where) {
  detail::with_operators_by_masks<Family>(
      type, op, [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
        if constexpr (!std::is_same_v<Op, minus>) {
          const current_device on(where);
          const grouping::tiling tiles{{1, count, 1}, grouping::tile<T, Op>, warp_size};
          fold_tiles(where, detail::element_at<T, Op>{static_cast<const T*>(x)}, operation, tiles,
                     static_cast<T*>(out));
        }
      });
}

template <detail::family Family>
void segmented_reduce_family(detail::function op, dtype type, const void* x, std::size_t n,
                             const std::size_t* offsets, std::size_t count, void* out, const target& where) {
  detail::with_operators_by_masks<Family>(type, op,
                                          [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
                                            if constexpr (!std::is_same_v<Op, minus>) {
                                              segmented_reduce(where, static_cast<const T*>(x), n, operation,
                                                               offsets, count, static_cast<T*>(out));
                                            }
                                          });
}

}  // namespace heddle::cuda
