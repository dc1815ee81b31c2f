#include "cuda/gpu.hpp"
#include "operators_by_masks.hpp"
#include <heddle/cuda/ladder/reduce.cuh>

namespace heddle::cuda {

void reduce_by(reduce_algorithm algorithm, detail::function op, dtype type, const void* x, std::size_t n,
               void* out, const target& where) {
  detail::with_operators_by_masks<detail::family::all, false>(
      type, op, [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
        if constexpr (!std::is_same_v<Op, minus>) {
          ladder::reduce(where, algorithm, detail::element_at<T, Op>{static_cast<const T*>(x)}, operation, n,
                         static_cast<T*>(out));
        }
      });
}

}  // namespace heddle::cuda
