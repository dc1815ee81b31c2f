#include "core/differs.hpp"
#include "core/type_op_dispatch.hpp"
#include "patterns/cpu_kernels.hpp"
#include "patterns/reduce/gpu.hpp"
#include <heddle/argmin.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/reduce.hpp>
#include <heddle/streamed_reduce.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <complex>
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

[[noreturn]] static void fail_no_index() {
  fail("there are no elements, and so no index to return");
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

/// Lowers index[c] to the index of the first row, which the piece's rows count from `first_row`, whose
/// element in column c equals wanted[c].
template <class T>
static void find_in_piece(const T* x, const order::piece& piece, std::size_t first_row, const T* wanted,
                          std::size_t* index) {
  const auto is_behind = [&](std::size_t column, std::size_t row) {
    return std::atomic_ref(index[column]).load(std::memory_order_relaxed) <= row;
  };
  const auto lower = [&](std::size_t column, std::size_t row) {
    const std::atomic_ref least(index[column]);
    std::size_t present = least.load(std::memory_order_relaxed);
    while (row < present && !least.compare_exchange_weak(present, row, std::memory_order_relaxed)) {
    }
  };
  if (piece.stride == 1) {
    // Runs are searched without an early exit, which compilers vectorise.
    constexpr std::size_t run = threshold.arg_run;
    for (std::size_t begin = 0; begin < piece.count && !is_behind(0, first_row + begin); begin += run) {
      const T* const from = x + piece.first + begin;
      const std::size_t count = std::min(run, piece.count - begin);
      bool any = false;
      for (std::size_t i = 0; i < count; ++i) any |= !differs(from[i], *wanted);
      if (!any) continue;
      const auto at = std::find_if(from, from + count, [&](T element) { return !differs(element, *wanted); });
      return lower(0, first_row + begin + static_cast<std::size_t>(at - from));
    }
    return;
  }
  for (std::size_t row = 0; row < piece.count; ++row) {
    const T* const from = x + piece.first + row * piece.stride;
    bool any = false;
    for (std::size_t c = 0; c < piece.width; ++c) any |= !differs(from[c], wanted[c]);
    if (!any) continue;
    for (std::size_t c = 0; c < piece.width; ++c) {
      if (!differs(from[c], wanted[c])) lower(c, first_row + row);
    }
  }
}

/// Elements of a line whose extremum is found by itself, where lines are contiguous and long.
static constexpr std::size_t arg_piece = threshold.arg_piece;

/// For each of `all` lines of x, the first index whose element equals the line's extremum; NaNs are equal to
/// each other. Arrays are on `where`; every line holds its extremum. `of_pieces` has those of pieces of
/// arg_piece elements, of which those are not read that have none, or is null.
static void library_find_first(dtype type, const void* x, axis_lines all, const void* extremum,
                               const void* of_pieces, std::size_t* index, const target& where) {
  if (where.is_gpu()) return gpu::find_first(type, x, all, extremum, of_pieces, arg_piece, index, where);
  // Panels of columns are searched row by row; a contiguous piece that begins after an index already found is
  // skipped.
  constexpr std::size_t panel = threshold.arg_panel;
  const order::tiling tiles{all, arg_piece, panel};
  const std::size_t parts = tiles.parts();
  std::fill_n(index, all.count(), all.length);
  dispatch_type_op<family::order>(type, runtime_op::minimum, [&]<class T, class Op>(type_tag<T>, Op) {
    const T* const elements = static_cast<const T*>(x);
    const std::size_t grain = arg_piece / std::min(arg_piece, all.length) / std::min(panel, all.inner) + 1;
    cpu::for_slices(where.threads(), tiles.pieces(), grain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const order::piece piece = tiles[i];
        const std::size_t segment = piece.result / all.inner / parts * all.inner + piece.result % all.inner;
        const T* const wanted = static_cast<const T*>(extremum) + segment;
        if (of_pieces != nullptr && differs(static_cast<const T*>(of_pieces)[i], *wanted)) continue;
        find_in_piece(elements, piece, piece.segment_part * arg_piece, wanted, index + segment);
      }
    });
  });
}

/// Whether the extrema of pieces are found first, so that most elements are read once.
static bool has_arg_pieces(const axis_lines& all, std::size_t bytes, const target& where) {
  // On a GPU less than this is read again in less time than another kernel takes.
  constexpr std::size_t least_bytes_on_gpu = threshold.gpu_arg_pieces_from_bytes;
  if (all.inner != 1 || all.length < 2 * arg_piece) return false;
  // Pieces of all lines are lines of one array.
  if (all.outer != 1 && all.length % arg_piece != 0) return false;
  return !where.is_gpu() || bytes >= least_bytes_on_gpu;
}

void library_arg(runtime_op op, dtype type, const void* x, axis_lines all, std::size_t* index,
                 const target& where) {
  const std::size_t bytes = size_of(type);
  const memory extrema(all.count() * bytes, where);
  if (!has_arg_pieces(all, all.elements() * bytes, where)) {
    library_reduce(op, type, x, all, extrema.data(), where);
    return library_find_first(type, x, all, extrema.data(), nullptr, index, where);
  }
  const std::size_t whole = all.outer * (all.length / arg_piece), rest = all.length % arg_piece;
  const std::size_t pieces = whole + (rest > 0 ? 1 : 0);
  const memory of_pieces(pieces * bytes, where);
  library_reduce(op, type, x, axis_lines{whole, arg_piece, 1}, of_pieces.data(), where);
  if (rest > 0) {
    library_reduce(op, type, static_cast<const std::byte*>(x) + whole * arg_piece * bytes,
                   axis_lines{1, rest, 1}, static_cast<std::byte*>(of_pieces.data()) + whole * bytes, where);
  }
  library_reduce(op, type, of_pieces.data(), axis_lines{all.outer, pieces / all.outer, 1}, extrema.data(),
                 where);
  library_find_first(type, x, all, extrema.data(), of_pieces.data(), index, where);
}

std::size_t arg_of_all(const char* pattern, runtime_op op, dtype type, const void* x, std::size_t size,
                       const target& data_on, const target& requested) {
  operation running(pattern, size, name(type));
  if (size == 0) fail_no_index();
  const std::size_t bytes = size * size_of(type);
  const target where = resolve(requested, {bytes, 0, data_on, true});
  running.runs_on(where);
  const staged_input<std::byte> staged({static_cast<const std::byte*>(x), bytes, data_on}, where);
  std::size_t index = 0;
  const memory on_target(sizeof index, where);
  library_arg(op, type, staged.data(), axis_lines{1, size, 1}, static_cast<std::size_t*>(on_target.data()),
              where);
  copy(&index, target(), on_target.data(), where, sizeof index);
  return index;
}

array<std::size_t> arg_along(const char* pattern, runtime_op op, dtype type, const void* x,
                             const shape& whole, axis along_axis, const target& data_on,
                             const target& requested) {
  const std::size_t bytes = whole.elements() * size_of(type);
  operation running(pattern, whole.elements(), name(type));
  const std::size_t axis = whole.resolve_axis(along_axis.index);
  const axis_lines all = along(whole, axis);
  const target where = resolve(requested, {bytes, all.count() * sizeof(std::size_t), data_on, true});
  running.runs_on(where);
  array<std::size_t> indices(whole.without_axis(axis), where);
  if (all.length == 0) fail_no_index();
  if (indices.size() == 0) return indices;
  const staged_input<std::byte> staged({static_cast<const std::byte*>(x), bytes, data_on}, where);
  library_arg(op, type, staged.data(), all, indices.data(), where);
  return indices;
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
