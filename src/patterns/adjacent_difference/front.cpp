#include "core/any_arguments.hpp"
#include "gpu/entry.hpp"
#include "patterns/cpu_kernels.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/memory.hpp>
#include <heddle/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace heddle::gpu {

HEDDLE_GPU_ENTRY(adjacent_difference, void(dtype type, const void* x, const axis_lines& all,
                                           const void* before, void* out, const target& where));

}  // namespace heddle::gpu

namespace heddle::cpu {
namespace {

/// The lines in tiles of some rows by some columns, each for one thread. A row is as long as `inner`.
struct difference_tiles {
  axis_lines all;
  std::size_t columns, rows;  ///< of a tile
  std::size_t across, down;   ///< tiles in the columns, and in the rows

  difference_tiles(const axis_lines& lines, std::size_t grain)
      : all(lines),
        columns(std::min(lines.inner, grain)),
        // In place a row is saved for each tile, so a tile has at least 8 rows.
        rows(std::min(lines.length, std::max<std::size_t>(grain / columns, 8))),
        across((lines.inner + columns - 1) / columns),
        down((lines.length + rows - 1) / rows) {}
  std::size_t count() const { return all.outer * down * across; }
};

/// A tile, which begins at element `first`.
struct difference_tile {
  std::size_t row, column, rows, columns, first;

  difference_tile(const difference_tiles& of, std::size_t number)
      : row(number / of.across % of.down * of.rows),
        column(number % of.across * of.columns),
        rows(std::min(of.rows, of.all.length - row)),
        columns(std::min(of.columns, of.all.inner - column)),
        first((number / of.across / of.down * of.all.length + row) * of.all.inner + column) {}
};

class adjacent_differences {
 public:
  adjacent_differences(std::size_t element_bytes, const void* x, const axis_lines& all, const void* before,
                       void* out, map_of_two op)
      : bytes_(element_bytes),
        x_(static_cast<const std::byte*>(x)),
        before_(static_cast<const std::byte*>(before)),
        out_(static_cast<std::byte*>(out)),
        op_(op),
        grain_(std::max<std::size_t>(impl::threshold.transform_grain_bytes / element_bytes, 1)),
        tiles_(all, grain_),
        is_in_place_(x == out),
        non_temporal_(all.elements() > stream_from_bytes / element_bytes) {}

  void run(int threads) {
    const std::size_t grain = std::max<std::size_t>(grain_ / (tiles_.rows * tiles_.columns), 1);
    if (is_in_place_ && tiles_.down > 1) {
      saved_ = memory(tiles_.count() * tiles_.columns * bytes_, target());
      for_slices(threads, tiles_.count(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) save(t);
      });
    }
    for_slices(threads, tiles_.count(), grain, [&](std::size_t begin, std::size_t end) {
      const memory scratch(is_in_place_ ? piece() * bytes_ : 0, target());
      for (std::size_t t = begin; t < end; ++t) write(t, scratch.data());
    });
  }

 private:
  /// Elements that are copied to the cache before they are overwritten.
  std::size_t piece() const { return std::max<std::size_t>(impl::threshold.stream_page_bytes / bytes_, 1); }
  std::byte* saved_row(std::size_t number) const {
    return static_cast<std::byte*>(saved_.data()) + number * tiles_.columns * bytes_;
  }

  void save(std::size_t number) const {
    const difference_tile tile(tiles_, number);
    if (tile.row > 0)
      std::memcpy(saved_row(number), x_ + (tile.first - tiles_.all.inner) * bytes_, tile.columns * bytes_);
  }

  void write(std::size_t number, void* scratch) const {
    const difference_tile tile(tiles_, number);
    const std::byte* const x = x_ + tile.first * bytes_;
    std::byte* const out = out_ + tile.first * bytes_;
    const std::size_t row = tiles_.all.inner * bytes_;
    // From the last row up, because in place each row overwrites what the next one reads.
    if (tile.columns < tiles_.all.inner) {
      for (std::size_t r = tile.rows - 1; r > 0; --r)
        op_(x + r * row, x + (r - 1) * row, tile.columns, non_temporal_, out + r * row);
    } else {
      write_whole_rows(x, (tile.rows - 1) * tile.columns, scratch, out);
    }
    const std::byte* const before = before_of(tile, number);
    if (before != nullptr) return op_(x, before, tile.columns, non_temporal_, out);
    if (!is_in_place_) std::memcpy(out, x, tile.columns * bytes_);
  }

  /// Writes the rows after the first row of a tile: `count` elements.
  void write_whole_rows(const std::byte* x, std::size_t count, void* scratch, std::byte* out) const {
    const std::size_t row = tiles_.all.inner * bytes_;
    if (!is_in_place_) return op_(x + row, x, count, non_temporal_, out + row);
    for (std::size_t end = count; end > 0;) {
      const std::size_t some = std::min(piece(), end), begin = (end - some) * bytes_;
      std::memcpy(scratch, x + begin, some * bytes_);
      op_(x + row + begin, scratch, some, false, out + row + begin);
      end -= some;
    }
  }

  /// The row before the first one of a tile; null if there is none.
  const std::byte* before_of(const difference_tile& tile, std::size_t number) const {
    if (tile.row == 0) return before_ == nullptr ? nullptr : before_ + tile.column * bytes_;
    return is_in_place_ ? saved_row(number) : x_ + (tile.first - tiles_.all.inner) * bytes_;
  }

  std::size_t bytes_;
  const std::byte *x_, *before_;
  std::byte* out_;
  map_of_two op_;
  std::size_t grain_;  ///< elements that are worth a thread
  difference_tiles tiles_;
  bool is_in_place_, non_temporal_;
  memory saved_;
};

/// Short lines: the differences of all neighbours, and then the first element of each line. It calls `op` on
/// neighbours of different lines, too.
void differences_across_lines(int threads, std::size_t element_bytes, const std::byte* x,
                              const axis_lines& all, std::byte* out, map_of_two op) {
  const bool is_in_place = x == out;
  const std::size_t bytes = all.inner * element_bytes, step = all.length * bytes;
  const auto copy_first = [&](std::byte* to, std::size_t to_step, const std::byte* from,
                              std::size_t from_step) {
    for_slices(threads, all.outer, impl::threshold.transform_grain_bytes / step + 1,
               [=](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i)
                   std::memcpy(to + i * to_step, from + i * from_step, bytes);
               });
  };
  const memory saved(is_in_place ? all.outer * bytes : 0, target());
  auto* const first = static_cast<std::byte*>(saved.data());
  if (is_in_place) copy_first(first, bytes, x, step);
  adjacent_differences(element_bytes, x, {1, all.outer * all.length, all.inner}, nullptr, out, op)
      .run(threads);
  if (is_in_place) return copy_first(out, step, first, bytes);
  copy_first(out, step, x, step);
}

}  // namespace

void adjacent_difference(int threads, std::size_t element_bytes, const void* x, const axis_lines& all,
                         const void* before, void* out, map_of_two op) {
  if (all.elements() == 0) return;
  adjacent_differences(element_bytes, x, all, before, out, op).run(threads);
}

}  // namespace heddle::cpu

namespace heddle::impl {

void library_adjacent_difference(dtype type, const void* x, const axis_lines& all, const void* before,
                                 void* out, const target& where) {
  if (where.is_gpu()) return gpu::adjacent_difference(type, x, all, before, out, where);
  const runtime_op op = type == dtype::boolean ? runtime_op::bit_xor : runtime_op::minus;
  const cpu::map_kernel map = cpu::map_kernel_for(type, op);
  const auto subtract = [map](const void* a, const void* b, std::size_t count, bool non_temporal, void* to) {
    map(a, false, b, false, count, non_temporal, to);
  };
  if (!cpu::are_short_lines(all, size_of(type)))
    return cpu::adjacent_difference(where.threads(), size_of(type), x, all, before, out, subtract);
  cpu::differences_across_lines(where.threads(), size_of(type), static_cast<const std::byte*>(x), all,
                                static_cast<std::byte*>(out), subtract);
}

}  // namespace heddle::impl

namespace heddle {
namespace {

constexpr impl::passes difference_passes{1, 1, 0, true};

/// The differences of a call whose target is chosen into `out`, as large as its input.
void difference_any(impl::call_along_lines& call, const any_view& out) {
  if (out.size() == 0) return;
  const void* const from = call.data();
  impl::staged_output<std::byte> staged_out(impl::output_bytes(out), call.where());
  impl::library_adjacent_difference(out.dtype(), from, call.lines(), nullptr, staged_out.data(),
                                    call.where());
  staged_out.deliver();
}

any_array difference_new(const target& requested, const any_const_view& x, const axis* along_axis) {
  impl::call_along_lines call("adjacent_difference", impl::untyped(x), along_axis);
  call.choose_target(requested, difference_passes);
  any_array out(x.dtype(), x.shape(), call.where());
  difference_any(call, out);
  return out;
}

void difference_existing(const target& requested, const any_view& out, const any_const_view& x,
                         const axis* along_axis) {
  impl::call_along_lines call("adjacent_difference", impl::untyped(x), along_axis);
  call.choose_target(requested, difference_passes);
  impl::require_type("the output", out.dtype(), x.dtype());
  call.check_output(impl::untyped(out));
  if (along_axis != nullptr) impl::require_shape(out.shape(), x.shape());
  difference_any(call, out);
}

}  // namespace

any_array adjacent_difference(const target& where, const any_const_view& x) {
  return difference_new(where, x, nullptr);
}
any_array adjacent_difference(const target& where, const any_const_view& x, axis along_axis) {
  return difference_new(where, x, &along_axis);
}
void adjacent_difference_into(const target& where, const any_view& out, const any_const_view& x) {
  difference_existing(where, out, x, nullptr);
}
void adjacent_difference_into(const target& where, const any_view& out, const any_const_view& x,
                              axis along_axis) {
  difference_existing(where, out, x, &along_axis);
}

}  // namespace heddle
