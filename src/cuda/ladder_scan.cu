#include "cuda/gpu.hpp"
#include "operators_by_masks.hpp"
#include <heddle/cuda/ladder/scan.cuh>

namespace heddle::cuda {

void scan_by(scan_algorithm algorithm, detail::function op, dtype type, bool exclusive, const void* x,
             std::size_t n, const void* init, void* out, const target& where) {
  detail::with_operators_by_masks<detail::family::all, false>(
      type, op, [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
        if constexpr (!std::is_same_v<Op, minus>) {
          ladder::scan(where, algorithm, static_cast<const T*>(x), operation, exclusive,
                       static_cast<const T*>(init), n, static_cast<T*>(out));
        }
      });
}

}  // namespace heddle::cuda
