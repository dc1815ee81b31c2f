#include "cpu/instruction_set.hpp"
#include "patterns/lower_bound/cpu_kernels.hpp"
#include "patterns/lower_bound/gpu.hpp"
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/lower_bound.hpp>
#include <heddle/support/threads.hpp>

namespace heddle::impl {

void library_bounds(dtype type, const void* sorted, std::size_t n, sort_order order, bound which,
                    const void* values, std::size_t count, std::size_t* bounds, const target& where) {
  if (count == 0) return;
  if (where.is_gpu()) return gpu::bounds(type, sorted, n, order, which, values, count, bounds, where);
  const cpu::sorted_elements in{sorted, n, which == bound::upper, order == sort_order::descending};
  const auto find = cpu::bounds_kernel_here();
  cpu::for_slices(where.threads(), count, threshold.transform_grain_bytes / sizeof(std::size_t),
                  [&](std::size_t first, std::size_t last) {
                    find(type, in, static_cast<const std::byte*>(values) + first * size_of(type),
                         last - first, bounds + first);
                  });
}

}  // namespace heddle::impl
