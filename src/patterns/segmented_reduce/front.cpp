#include "patterns/cpu_kernels.hpp"
#include "patterns/segmented_reduce/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/segmented_reduce.hpp>

#include <fmt/core.h>

namespace heddle::impl {

void check_offsets(const std::size_t* offsets, std::size_t count, std::size_t n) {
  for (std::size_t s = 0; s < count; ++s) {
    if (offsets[s] > offsets[s + 1] || offsets[s + 1] > n) {
      fail(fmt::format("segment {} goes from element {} to {} of {}", s, offsets[s], offsets[s + 1], n));
    }
  }
}

void library_segmented_reduce(runtime_op op, dtype type, const void* x, std::size_t n,
                              const std::size_t* offsets, std::size_t count, void* out, const target& where) {
  const cpu::reduce_kernels kernels = cpu::reduce_kernels_for(type, op);
  if (kernels.reduce_pieces == nullptr) fail(fmt::format("{} is not defined on {}", name(op), name(type)));
  if (count == 0 || n == 0) return;
  if (where.is_gpu()) return gpu::segmented_reduce(op, type, x, n, offsets, count, out, where);
  const std::size_t bytes = size_of(type);
  cpu::for_segments(where.threads(), offsets, count,
                    [&](int threads, std::size_t s, std::size_t first, std::size_t length) {
                      cpu::reduce_segments(threads, axis_lines{1, length, 1}, kernels.tile, bytes,
                                           static_cast<const std::byte*>(x) + first * bytes,
                                           static_cast<std::byte*>(out) + s * bytes, kernels.reduce_pieces,
                                           kernels.reduce_pieces);
                    });
}

}  // namespace heddle::impl
