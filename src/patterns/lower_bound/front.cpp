#include "bound_by_key.hpp"
#include "patterns/lower_bound/gpu.hpp"
#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/lower_bound.hpp>

namespace heddle::impl {

void library_bounds(dtype type, const void* sorted, std::size_t n, sort_order order, bound which,
                    const void* values, std::size_t count, std::size_t* bounds, const target& where) {
  if (count == 0) return;
  if (where.is_gpu()) return gpu::bounds(type, sorted, n, order, which, values, count, bounds, where);
  with_ordered_type(type, [&]<class T>(T) {
    cpu::transform(where.threads(), bound_by_key_of<T>(sorted, n, order, which, values), count, bounds);
  });
}

}  // namespace heddle::impl
