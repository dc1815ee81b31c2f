#include "patterns/lower_bound/bound_by_key.hpp"
#include "patterns/lower_bound/gpu.hpp"
#include <heddle/impl/patterns/transform/gpu.cuh>

namespace heddle::gpu {

void bounds(dtype type, const void* sorted, std::size_t n, sort_order order, impl::bound which,
            const void* values, std::size_t count, std::size_t* found, const target& where) {
  impl::with_ordered_type(type, [&]<class T>(T) {
    transform(where, impl::bound_by_key_of<T>(sorted, n, order, which, values), count, found);
  });
}

}  // namespace heddle::gpu
