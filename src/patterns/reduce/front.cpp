#include "patterns/cpu_kernels.hpp"
#include "patterns/reduce/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/patterns/statistics/front.hpp>
#include <heddle/reduce.hpp>
#include <heddle/streamed_reduce.hpp>

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
                                 const std::optional<any_value>& init, std::size_t columns,
                                 const std::optional<dtype>& results)
    : where_(where),
      op_(op),
      type_(type),
      result_type_(results.value_or(type)),
      columns_(columns),
      element_bytes_(size_of(result_type_)) {
  operation running("reduce", 0, name(type));
  running.runs_on(where_);
  if (where.is_automatic()) fail("a reduction of pieces needs the target serial, parallel or gpu");
  const cpu::reduce_kernels& kernels = cpu::reduce_kernels_for(result_type_, op);
  if (kernels.reduce_pieces == nullptr) fail(fmt::format("{} is not defined on {}", name(op), name(type)));
  if (result_type_ != type && (op != runtime_op::plus || result_type_ != impl::sum_dtype(type)))
    fail(fmt::format("the results are {}, where the elements are {}", name(result_type_), name(type)));
  unit_ = kernels.tile;
  if (init) init_ = init->converted(result_type_);
}

void streamed_reduce::append(const void* elements, std::size_t count) {
  if (count == 0) return;
  operation running("reduce", count * columns_, name(type_));
  running.runs_on(where_);
  if (size_ % unit_ != 0) {
    fail(fmt::format("a piece of {} elements follows {}, which is no multiple of {}", count, size_, unit_));
  }
  const std::size_t bytes = count * columns_ * size_of(type_), row_bytes = columns_ * element_bytes_;
  const std::size_t reduced_bytes = (count + unit_ - 1) / unit_ * row_bytes;
  // Counted from `size_`, so that a piece that failed is overwritten.
  const std::size_t before = size_ / unit_ * row_bytes;
  partials_.resize(before + reduced_bytes);
  std::byte* const out = partials_.data() + before;
  if (where_.is_gpu()) {
    if (staged_.bytes() < bytes) staged_ = memory(bytes, where_);
    const memory reduced(reduced_bytes, where_);
    heddle::copy(staged_.data(), where_, elements, target(), bytes);
    reduce_tiles(staged_.data(), count, reduced.data());
    heddle::copy(out, target(), reduced.data(), where_, reduced_bytes);
  } else {
    reduce_tiles(elements, count, out);
  }
  size_ += count;
}

void streamed_reduce::reduce_tiles(const void* x, std::size_t rows, void* out) const {
  if (where_.is_gpu() && columns_ == 1 && type_ == result_type_)
    return gpu::reduce_tiles(op_, type_, x, rows, out, where_);
  const std::size_t tiles = rows / unit_, rest = rows % unit_;
  const auto reduce_lines = [&](std::size_t tile, const axis_lines& lines) {
    const void* const from = static_cast<const std::byte*>(x) + tile * unit_ * columns_ * size_of(type_);
    void* const to = static_cast<std::byte*>(out) + tile * columns_ * element_bytes_;
    if (type_ != result_type_) return impl::library_sums(type_, from, lines, to, where_);
    impl::library_reduce(op_, type_, from, lines, to, where_);
  };
  if (tiles > 0) reduce_lines(0, {tiles, unit_, columns_});
  if (rest > 0) reduce_lines(tiles, {1, rest, columns_});
}

void streamed_reduce::append(const any_const_view& elements) {
  if (elements.dtype() != type_) impl::fail_dtype(elements.dtype(), type_);
  if (elements.where().is_gpu()) impl::fail_not_on_cpu("a reduction of pieces", elements.where());
  if (elements.size() % columns_ != 0)
    fail(fmt::format("reduce: {} elements are no rows of {}", elements.size(), columns_));
  append(elements.data(), elements.size() / columns_);
}

any_value streamed_reduce::result() {
  if (columns_ != 1) impl::fail_sizes("reduce: the value", 1, columns_);
  alignas(largest_element_bytes) std::byte value[largest_element_bytes];
  result(value);
  return {result_type_, value};
}

void streamed_reduce::result(void* out) {
  const std::size_t count = (size_ + unit_ - 1) / unit_;
  operation running("reduce", size_ * columns_, name(type_));
  if (count == 0 && !init_) impl::fail_empty();
  const axis_lines partials{1, count, columns_};
  if (!init_) return impl::library_reduce(op_, result_type_, partials_.data(), partials, out, target());
  any_array rows(result_type_, {count == 0 ? std::size_t{1} : 2, columns_});
  rows.row(0).fill(*init_);
  if (count > 0)
    impl::library_reduce(op_, result_type_, partials_.data(), partials, rows.row(1).data(), target());
  impl::library_reduce(op_, result_type_, rows.data(), {1, rows.shape()[0], columns_}, out, target());
}

}  // namespace heddle
