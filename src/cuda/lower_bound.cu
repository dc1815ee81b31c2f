#include "bound_by_key.hpp"
#include "cuda/gpu.hpp"
#include <heddle/cuda/transform.cuh>

namespace heddle::cuda {

void bounds(dtype type, const void* sorted, std::size_t n, sort_order order, detail::bound which,
            const void* values, std::size_t count, std::size_t* places, const target& where) {
  detail::with_ordered_type(type, [&]<class T>(T) {
    transform(where, detail::bound_by_key_of<T>(sorted, n, order, which, values), count, places);
  });
}

}  // namespace heddle::cuda
