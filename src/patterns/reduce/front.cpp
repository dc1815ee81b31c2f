#include "patterns/cpu_kernels.hpp"
#include "patterns/reduce/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/reduce.hpp>
#include <heddle/streamed_reduce.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

namespace heddle::impl {

void fail_empty() {
  fail("there are no elements, and the operator has no identity to return: give an initial value");
}

void check_result_shape(const shape& have, const shape& wanted) {
  if (have.axes() == 1 || have == wanted) return;
  fail(fmt::format("the output has shape {}, where the result has {}", have.text(), wanted.text()));
}

void fail_not_compiled_for_gpu() {
  fail(
      "the function is known to a host compiler only and cannot run on a GPU: compile this file with nvcc "
      "and mark the "
      "function HD_FN, or use a built-in operator on a built-in type");
}

void common::fail_shapes(const char* pattern, int position, const heddle::shape& have,
                         const heddle::shape& first) {
  fail(fmt::format("{}{} has shape {}, where the first input has {}",
                   *pattern == '\0' ? "" : fmt::format("{}: ", pattern),
                   position == 0 ? std::string("the output") : fmt::format("input {}", position), have.text(),
                   first.text()));
}

void library_reduce_here(runtime_op op, dtype type, const void* x, std::size_t n, void* out) {
  const cpu::reduce_kernels& kernels = cpu::reduce_kernels_for(type, op);
  if (n <= kernels.tile) return kernels.reduce_tile(x, n, out);
  const std::size_t bytes = size_of(type);
  if (n > tiles_here * kernels.tile)
    fail(fmt::format("reduce: {} elements on the calling thread, which takes {}: this is a defect of heddle",
                     n, tiles_here * kernels.tile));
  alignas(largest_element_bytes) std::byte partials[tiles_here * largest_element_bytes];
  std::size_t tiles = 0;
  for (std::size_t first = 0; first < n; first += kernels.tile) {
    kernels.reduce_tile(static_cast<const std::byte*>(x) + first * bytes, std::min(n - first, kernels.tile),
                        partials + tiles++ * bytes);
  }
  kernels.reduce_tile(partials, tiles, out);
}

void library_reduce(runtime_op op, dtype type, const void* x, axis_lines all, void* out,
                    const target& where) {
  const cpu::reduce_kernels& kernels = cpu::reduce_kernels_for(type, op);
  if (kernels.reduce_pieces == nullptr) fail(fmt::format("{} is not defined on {}", name(op), name(type)));
  if (where.is_gpu()) return gpu::reduce(op, type, x, all, out, where);
  cpu::reduce_segments(where.threads(), all, kernels.tile, size_of(type), x, out, kernels.reduce_pieces,
                       kernels.reduce_pieces);
}

}  // namespace heddle::impl

namespace heddle {

streamed_reduce::streamed_reduce(const target& where, runtime_op op, dtype type,
                                 const std::optional<any_value>& init)
    : where_(where), op_(op), type_(type), element_bytes_(size_of(type)) {
  operation running("reduce", 0, name(type));
  running.runs_on(where_);
  if (where.is_automatic()) fail("a reduction of pieces needs the target serial, parallel or gpu");
  const cpu::reduce_kernels& kernels = cpu::reduce_kernels_for(type, op);
  if (kernels.reduce_pieces == nullptr) fail(fmt::format("{} is not defined on {}", name(op), name(type)));
  unit_ = kernels.tile;
  if (init) init_ = init->converted(type);
}

void streamed_reduce::append(const void* elements, std::size_t count) {
  if (count == 0) return;
  operation running("reduce", count, name(type_));
  running.runs_on(where_);
  if (size_ % unit_ != 0) {
    fail(fmt::format("a piece of {} elements follows {}, which is no multiple of {}", count, size_, unit_));
  }
  const std::size_t bytes = count * element_bytes_;
  const std::size_t tiles = (count + unit_ - 1) / unit_;
  // Counted from `size_`, so that a piece that failed is overwritten.
  const std::size_t before = size_ / unit_ * element_bytes_;
  partials_.resize(before + tiles * element_bytes_);
  std::byte* const out = partials_.data() + before;
  if (where_.is_gpu()) {
    if (staged_.bytes() < bytes) staged_ = memory(bytes, where_);
    const memory reduced(tiles * element_bytes_, where_);
    heddle::copy(staged_.data(), where_, elements, target(), bytes);
    gpu::reduce_tiles(op_, type_, staged_.data(), count, reduced.data(), where_);
    heddle::copy(out, target(), reduced.data(), where_, tiles * element_bytes_);
  } else {
    const cpu::reduce_kernels& kernels = cpu::reduce_kernels_for(type_, op_);
    const order::tiling pieces{{1, count, 1}, unit_, 1};
    constexpr std::size_t bytes_worth_a_thread = impl::threshold.reduce_grain_bytes;
    cpu::for_slices(where_.threads(), tiles, bytes_worth_a_thread / (unit_ * element_bytes_) + 1,
                    [&](std::size_t first, std::size_t last) {
                      kernels.reduce_pieces(elements, pieces, first, last, out);
                    });
  }
  size_ += count;
}

void streamed_reduce::append(const any_const_view& elements) {
  if (elements.dtype() != type_) impl::fail_dtype(elements.dtype(), type_);
  if (elements.where().is_gpu()) impl::fail_not_on_cpu("a reduction of pieces", elements.where());
  append(elements.data(), elements.size());
}

any_value streamed_reduce::result() {
  alignas(largest_element_bytes) std::byte value[largest_element_bytes];
  result(value);
  return {type_, value};
}

void streamed_reduce::result(void* out) {
  const std::size_t count = (size_ + unit_ - 1) / unit_;
  operation running("reduce", size_, name(type_));
  if (count == 0 && !init_) impl::fail_empty();
  if (count == 0) return impl::library_reduce(op_, type_, init_->data(), axis_lines{1, 1, 1}, out, target());
  alignas(largest_element_bytes) std::byte both[2][largest_element_bytes];
  std::byte* const total = init_ ? &both[0][element_bytes_] : static_cast<std::byte*>(out);
  impl::library_reduce(op_, type_, partials_.data(), axis_lines{1, count, 1}, total, target());
  if (!init_) return;
  std::memcpy(both, init_->data(), element_bytes_);
  impl::library_reduce(op_, type_, both, axis_lines{1, 2, 1}, out, target());
}

}  // namespace heddle
