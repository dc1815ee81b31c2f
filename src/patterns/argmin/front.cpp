#include "patterns/argmin/cpu.hpp"
#include "patterns/argmin/gpu.hpp"
#include <heddle/argmin.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/reduce.hpp>

#include <cstddef>

namespace heddle::impl {
namespace {

[[noreturn]] void fail_no_index() {
  fail("there are no elements, and so no index to return");
}

/// Elements of a line whose extremum is found by itself, where lines are contiguous and long.
constexpr std::size_t arg_piece = threshold.arg_piece;

void find_first(dtype type, const void* x, axis_lines all, const void* extremum, const void* of_pieces,
                std::size_t* index, const target& where) {
  if (where.is_gpu()) return gpu::find_first(type, x, all, extremum, index, where);
  cpu::find_first(type, x, all, extremum, of_pieces, arg_piece, index, where.threads());
}

/// Whether the extrema of pieces are found first, so that most elements are read once.
bool has_arg_pieces(const axis_lines& all, const target& where) {
  if (where.is_gpu() || all.inner != 1 || all.length < 2 * arg_piece) return false;
  // Pieces of all lines are lines of one array.
  return all.outer == 1 || all.length % arg_piece == 0;
}

}  // namespace

void library_arg(runtime_op op, dtype type, const void* x, axis_lines all, std::size_t* index,
                 const target& where) {
  const std::size_t bytes = size_of(type);
  const bool is_row = all.inner == 1 && (all.length >= threshold.gpu_extrema_row || all.outer == 1);
  if (where.is_gpu() && is_row && all.elements() > 0)
    return gpu::find_arg_of_rows(op, type, x, all.outer, all.length, index, where);
  const memory extrema(all.count() * bytes, where);
  if (!has_arg_pieces(all, where)) {
    library_reduce(op, type, x, all, extrema.data(), where);
    return find_first(type, x, all, extrema.data(), nullptr, index, where);
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
  find_first(type, x, all, extrema.data(), of_pieces.data(), index, where);
}

std::size_t arg_of_all(const char* pattern, runtime_op op, dtype type, const void* x, std::size_t size,
                       const target& data_on, const target& requested) {
  operation running(pattern, size, name(type));
  if (size == 0) fail_no_index();
  const std::size_t bytes = size * size_of(type);
  const target where = resolve(requested, {bytes, 0, data_on, true});
  running.runs_on(where);
  const staged_input<std::byte> staged({static_cast<const std::byte*>(x), bytes, data_on}, where);
  return written_value<std::size_t>(where, [&](std::size_t* index) {
    library_arg(op, type, staged.data(), axis_lines{1, size, 1}, index, where);
  });
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
