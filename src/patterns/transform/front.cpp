#include "patterns/cpu_kernels.hpp"
#include "patterns/transform/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/transform.hpp>

#include <fmt/core.h>

namespace heddle::impl {

void library_map(runtime_op f, dtype type, const void* x, bool x_is_constant, const void* y,
                 bool y_is_constant, std::size_t count, void* out, const target& where) {
  if (!is_defined(f, type)) fail(fmt::format("{} is not defined on {}", name(f), name(type)));
  if (where.is_gpu()) return gpu::map(f, type, x, x_is_constant, y, y_is_constant, count, out, where);
  const cpu::map_kernel map = cpu::map_kernel_for(type, f);
  const std::size_t bytes = size_of(type);
  const bool non_temporal = count > cpu::stream_from_bytes / bytes;
  cpu::for_slices(where.threads(), count, threshold.transform_grain_bytes / bytes,
                  [&](std::size_t first, std::size_t last) {
                    auto at = [&](const void* operand, bool is_constant) {
                      return static_cast<const std::byte*>(operand) + (is_constant ? 0 : first * bytes);
                    };
                    map(at(x, x_is_constant), x_is_constant, at(y, y_is_constant), y_is_constant,
                        last - first, non_temporal, static_cast<std::byte*>(out) + first * bytes);
                  });
}

}  // namespace heddle::impl
