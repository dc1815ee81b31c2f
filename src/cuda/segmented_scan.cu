#include "cuda/gpu.hpp"
#include "operators_by_masks.hpp"
#include <heddle/cuda/segmented_scan.cuh>

namespace heddle::cuda {

void segmented_scan(detail::function op, dtype type, bool exclusive, const void* x, std::size_t n,
                    const bool* flags, const void* init, void* out, const target& where) {
  detail::with_operators_by_masks<detail::family::all>(
      type, op, [&]<class T, class Op>(detail::type_tag<T>, Op operation) {
        if constexpr (!std::is_same_v<Op, minus>) {
          segmented_scan(where, static_cast<const T*>(x), n, operation, flags, exclusive,
                         static_cast<const T*>(init), static_cast<T*>(out));
        }
      });
}

}  // namespace heddle::cuda
