#include "patterns/scan/chained_scan.hpp"
#include "patterns/scan/scan_pieces.hpp"
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/scan/cpu.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace heddle::cpu {
namespace {

/// Scans of fewer bytes are not worth a second thread.
constexpr std::size_t parallel_from_bytes = impl::threshold.scan_parallel_from_bytes;

/// Copies `count` elements that lie `from_stride` and `to_stride` bytes apart.
using copy_strided_function = void (*)(const std::byte* from, std::size_t from_stride, std::size_t count,
                                       std::size_t element_bytes, std::byte* to, std::size_t to_stride);

template <std::size_t Size>
void copy_strided(const std::byte* from, std::size_t from_stride, std::size_t count,
                  std::size_t element_bytes, std::byte* to, std::size_t to_stride) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, Size == 0 ? element_bytes : Size);
  }
}

copy_strided_function copy_strided_for(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return copy_strided<1>;
    case 2:
      return copy_strided<2>;
    case 4:
      return copy_strided<4>;
    case 8:
      return copy_strided<8>;
    case 16:
      return copy_strided<16>;
    default:
      return copy_strided<0>;
  }
}

/// Scratch memory for scans of panels of columns.
class column_scratch {
 public:
  column_scratch(const scan_steps& steps, std::size_t most_columns, std::size_t length)
      : pitch_((most_columns * steps.element_bytes + line - 1) / line * line),
        memory_(pitch_ * steps.scratch_rows(length) + line, target()) {}

  column_panel panel(const void* x, std::size_t x_stride, void* out, std::size_t out_stride,
                     std::size_t count, std::size_t length) {
    std::byte* const data = at(memory_.data(), 0);
    std::byte* const aligned = data + -reinterpret_cast<std::size_t>(data) % line;
    return {x, x_stride, out, out_stride, count, length, aligned, pitch_};
  }

 private:
  std::size_t pitch_;
  memory memory_;
};

/// `width` segments side by side as one segment of wider elements.
class side_by_side {
 public:
  side_by_side(const scan_steps& steps, std::size_t width)
      : steps_(steps), width_(width), copy_(copy_strided_for(steps.element_bytes)) {
    if (steps.piece() * steps.element_bytes <= most_bytes) return;
    throw error("scan: a piece of " + std::to_string(steps.piece() * steps.element_bytes) +
                " bytes does not fit the copy of a column of " + std::to_string(most_bytes) +
                " bytes: this is a defect of heddle");
  }

  scan_steps steps() const {
    return {width_ * steps_.element_bytes,
            width_ * state(),
            steps_.row,
            false,
            start_,
            reduce_,
            append_,
            scan_,
            steps_.scan_columns};
  }

 private:
  /// A piece of a column is copied out and back.
  static constexpr std::size_t most_bytes = std::max(longest_staged_row_bytes, piece_bytes);

  std::size_t state() const { return (steps_.state_bytes + 15) / 16 * 16; }
  /// Where the totals of column c of unit u are.
  std::size_t totals(std::size_t u, std::size_t c) const {
    return (u * width_ + c) * totals_of_unit * steps_.element_bytes;
  }
  /// Calls f(first, in_chunk, c) for each column of each chunk of `count` elements, which are whole pieces.
  template <class F>
  void each(std::size_t count, const F& f) const {
    const std::size_t chunk = most_bytes / steps_.element_bytes / steps_.piece() * steps_.piece();
    for (std::size_t first = 0; first < count; first += chunk) {
      for (std::size_t c = 0; c < width_; ++c) f(first, std::min(chunk, count - first), c);
    }
  }

  const scan_steps& steps_;
  std::size_t width_;
  copy_strided_function copy_;

  struct step {
    const side_by_side& all;
  };
  struct start_step : step {
    void operator()(const void* init, void* states) const {
      for (std::size_t c = 0; c < all.width_; ++c) all.steps_.start(init, at(states, c * all.state()));
    }
  };
  struct reduce_step : step {
    void operator()(const void* x, std::size_t rows, std::size_t before, void* totals) const {
      const std::size_t size = all.steps_.element_bytes, stride = all.width_ * size, row = all.steps_.row;
      alignas(line) std::byte column[most_bytes];
      all.each(rows * row, [&](std::size_t first, std::size_t in_chunk, std::size_t c) {
        all.copy_(at(x, first * stride + c * size), stride, in_chunk, size, column, size);
        all.steps_.reduce_serially(column, in_chunk / row, before + first / row,
                                   at(totals, all.totals(0, c)));
      });
    }
  };
  struct append_step : step {
    void operator()(void* states, const void* totals, std::size_t units) const {
      for (std::size_t u = 0; u < units; ++u) {
        for (std::size_t c = 0; c < all.width_; ++c)
          all.steps_.append(at(states, c * all.state()), at(totals, all.totals(u, c)), 1);
      }
    }
  };
  struct scan_step : step {
    void operator()(const void* x, std::size_t count, bool exclusive, bool, void* states, void* out) const {
      const std::size_t size = all.steps_.element_bytes, stride = all.width_ * size;
      alignas(line) std::byte column[most_bytes];
      all.each(count, [&](std::size_t first, std::size_t in_chunk, std::size_t c) {
        all.copy_(at(x, first * stride + c * size), stride, in_chunk, size, column, size);
        all.steps_.scan(column, in_chunk, exclusive, false, at(states, c * all.state()), column);
        all.copy_(column, size, in_chunk, size, at(out, first * stride + c * size), stride);
      });
    }
  };

  start_step start_{{*this}};
  reduce_step reduce_{{*this}};
  append_step append_{{*this}};
  scan_step scan_{{*this}};
};

/// Work on fewer bytes is not worth a second thread.
std::size_t grain(std::size_t bytes_each) {
  return parallel_from_bytes / 2 / (bytes_each + 1) + 1;
}

void scan_short_rows(int threads, const scan_steps& steps, axis_lines rows, const void* x, const void* init,
                     bool exclusive, void* out) {
  const std::size_t size = steps.element_bytes, row_bytes = rows.length * size;
  constexpr std::size_t bytes_at_once = impl::threshold.scan_short_rows_bytes;
  const std::size_t at_once = std::clamp<std::size_t>(bytes_at_once / row_bytes, 1, 512);
  const copy_strided_function copy = copy_strided_for(size);
  for_slices(threads, rows.outer, grain(row_bytes), [&](std::size_t first, std::size_t last) {
    column_scratch space(steps, at_once, rows.length);
    scratch transposed(at_once * row_bytes);
    for (std::size_t r = first; r < last; r += at_once) {
      const std::size_t count = std::min(at_once, last - r), stride = count * size;
      for (std::size_t k = 0; k < rows.length; ++k) {
        copy(at(x, r * row_bytes + k * size), row_bytes, count, size, transposed.data() + k * stride, size);
      }
      steps.scan_columns(
          space.panel(transposed.data(), stride, transposed.data(), stride, count, rows.length), init,
          exclusive);
      for (std::size_t k = 0; k < rows.length; ++k) {
        copy(transposed.data() + k * stride, size, count, size, at(out, r * row_bytes + k * size), row_bytes);
      }
    }
  });
}

void scan_rows(int threads, const scan_steps& steps, axis_lines rows, const void* x, const void* init,
               bool exclusive, void* out) {
  const std::size_t row_bytes = rows.length * steps.element_bytes;
  const bool non_temporal = rows.outer * row_bytes > stream_from_bytes;
  for_slices(threads, rows.outer, grain(row_bytes), [&](std::size_t first, std::size_t last) {
    scratch state(steps.state_bytes);
    piece_writer writer(steps, non_temporal, at(out, first * row_bytes), rows.length);
    for (std::size_t r = first; r < last; ++r) {
      steps.start(init, state.data());
      const std::byte* const row = at(x, r * row_bytes);
      scan_pieces(steps, row, rows.length, exclusive, state.data(), writer,
                  read_ahead{row, steps.element_bytes});
    }
  });
}

void scan_wide_columns(int threads, const scan_steps& steps, axis_lines all, const void* x, const void* init,
                       bool exclusive, void* out) {
  const std::size_t size = steps.element_bytes, stride = all.inner * size;
  // As wide as a first-level cache allows; narrower where there are not enough for all threads.
  constexpr std::size_t widest = impl::threshold.scan_widest_panel_bytes,
                        narrowest = impl::threshold.scan_narrowest_panel_bytes;
  const std::size_t share = all.outer * stride / (static_cast<std::size_t>(threads) * 2) / line * line;
  const std::size_t width =
      std::max<std::size_t>(1, (threads <= 1 ? widest : std::clamp(share, narrowest, widest)) / size);
  const std::size_t panels = (all.inner + width - 1) / width;
  for_slices(threads, all.outer * panels, grain(all.length * std::min(width, all.inner) * size),
             [&](std::size_t first, std::size_t last) {
               column_scratch space(steps, std::min(width, all.inner), all.length);
               for (std::size_t p = first; p < last; ++p) {
                 const std::size_t column = p % panels * width;
                 const std::size_t begin = (p / panels * all.length * all.inner + column) * size;
                 steps.scan_columns(space.panel(at(x, begin), stride, at(out, begin), stride,
                                                std::min(width, all.inner - column), all.length),
                                    init, exclusive);
               }
             });
}

}  // namespace

void scan_piece(int threads, const scan_steps& steps, const void* x, std::size_t count, bool exclusive,
                void* state, void* out) {
  const std::size_t bytes = count * steps.element_bytes;
  if (threads > 1 && bytes >= parallel_from_bytes) {
    chained_scan chain(threads, steps, x, count, exclusive, state, out);
    const std::size_t workers = std::min(static_cast<std::size_t>(threads), chain.blocks());
    if (workers > 1) {
      on_threads(threads, workers, [&] { chain.work(); });
      return;
    }
  }
  if (bytes <= stream_from_bytes) return steps.scan(x, count, exclusive, false, state, out);
  piece_writer writer(steps, true, out);
  scan_pieces(steps, x, count, exclusive, state, writer, read_ahead{x, steps.element_bytes});
}

void scan_segments(int threads, const scan_steps& steps, axis_lines all, const void* x, const void* init,
                   bool exclusive, void* out) {
  if (all.elements() == 0) return;
  const std::size_t size = steps.element_bytes;
  if (all.count() == 1) {
    scratch state(steps.state_bytes);
    steps.start(init, state.data());
    return scan_piece(threads, steps, x, all.length, exclusive, state.data(), out);
  }
  if (all.inner == 1 && all.length <= impl::threshold.scan_short_row) {
    return scan_short_rows(threads, steps, all, x, init, exclusive, out);
  }
  const bool rows_for_all = all.outer >= static_cast<std::size_t>(threads) * 4;
  if (all.inner == 1 && rows_for_all) return scan_rows(threads, steps, all, x, init, exclusive, out);
  if (all.inner * size >= largest_staged_bytes) {
    return scan_wide_columns(threads, steps, all, x, init, exclusive, out);
  }
  std::optional<side_by_side> narrow;
  if (all.inner > 1) narrow.emplace(steps, all.inner);
  std::optional<scan_steps> together;
  if (narrow) together.emplace(narrow->steps());
  const scan_steps& by = together ? *together : steps;
  if (rows_for_all) {
    return scan_rows(threads, by, {all.outer, all.length, 1}, x, init, exclusive, out);
  }
  scratch state(by.state_bytes);
  for (std::size_t o = 0; o < all.outer; ++o) {
    const std::size_t begin = o * all.length * by.element_bytes;
    by.start(init, state.data());
    scan_piece(threads, by, at(x, begin), all.length, exclusive, state.data(), at(out, begin));
  }
}

}  // namespace heddle::cpu
