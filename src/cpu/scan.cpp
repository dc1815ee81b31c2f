#include "cpu/chained_scan.hpp"
#include "cpu/scan_pieces.hpp"
#include <heddle/impl/cpu/scan.hpp>
#include <heddle/threads.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::cpu {
namespace {

/// Scans of fewer bytes are not worth a second thread.
constexpr std::size_t parallel_from_bytes = std::size_t{1} << 18;

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

/// Columns side by side, scanned together: an element is a row of `width` of them. Rows are combined as the
/// elements of one column are.
class column_scan {
 public:
  column_scan(const scan_steps& steps, std::size_t most_columns, std::size_t length)
      : steps_(steps), row_bytes_((most_columns * steps.element_bytes + line - 1) / line * line) {
    for (std::size_t tiles = length / steps.tile(); tiles > 0; tiles /= 16) ++levels_;
    room_ = memory(row_bytes_ * (first_level + levels_ + 1), target());
    filled_.resize(levels_ + 1);
  }

  /// Rows of x and `out` begin `stride` and `out_stride` bytes apart.
  void scan(const std::byte* x, std::size_t stride, std::size_t columns, std::size_t length, const void* init,
            bool exclusive, std::byte* out, std::size_t out_stride) {
    columns_ = columns;
    const std::size_t bytes = columns * steps_.element_bytes;
    std::fill(filled_.begin(), filled_.end(), 0);
    has_init_ = has_upper_ = has_prefix_ = init != nullptr;
    if (init != nullptr) {
      for (std::size_t c = 0; c < columns; ++c)
        std::memcpy(row(initial) + c * steps_.element_bytes, init, steps_.element_bytes);
      for (const int r : {upper, prefix, previous, before_tile}) copy(initial, r);
    }
    for (std::size_t first = 0, run = 0; first < length; first += steps_.run_length, run = (run + 1) % 16) {
      const std::size_t last = std::min(first + steps_.run_length, length);
      for (std::size_t k = first; k < last; ++k) {
        const std::byte* const from = x + k * stride;
        std::byte* const to = out + k * out_stride;
        if (k == first) {
          steps_.load(from, columns, row(local));
        } else {
          steps_.combine(row(local), from, columns, row(local));
        }
        if (exclusive) std::memcpy(to, row(previous), bytes);
        std::byte* const result = exclusive ? row(previous) : to;
        if (has_prefix_) {
          steps_.combine(row(prefix), row(local), columns, result);
        } else {
          std::memcpy(result, row(local), bytes);
        }
      }
      if (last < length) append(run);
    }
  }

 private:
  enum { local, prefix, previous, initial, upper, before_tile, first_group, first_level = first_group + 5 };

  std::byte* row(std::size_t index) { return at(room_.data(), index * row_bytes_); }
  void copy(int from, int to) { std::memcpy(row(to), row(from), columns_ * steps_.element_bytes); }
  void combine(std::size_t a, std::size_t b, std::size_t to) {
    steps_.combine(row(a), row(b), columns_, row(to));
  }

  void append(std::size_t run) {
    int level = 0;
    for (; (run >> level & 1) != 0 && level < 4; ++level) combine(first_group + level, local, local);
    copy(local, first_group + level);
    if (level == 4) {
      append_tile();
      if (has_prefix_) copy(before_tile, prefix);
      return;
    }
    const std::size_t runs = run + 1;
    int group = __builtin_ctzll(runs);
    copy(first_group + group, prefix);
    for (++group; runs >> group != 0; ++group) {
      if ((runs >> group & 1) != 0) combine(first_group + group, prefix, prefix);
    }
    if (runs == 1 && !tile_has_prefix()) has_prefix_ = true;
    if (tile_has_prefix()) combine(before_tile, prefix, prefix);
  }

  bool tile_has_prefix() const { return has_upper_ || filled_[0] != 0; }

  /// The tile's total is in `local`; the prefix of the next tile goes to `before_tile`.
  void append_tile() {
    std::size_t level = 0;
    for (;; ++level) {
      if (filled_[level] == 0) {
        copy(local, static_cast<int>(first_level + level));
      } else {
        combine(first_level + level, local, first_level + level);
      }
      if (++filled_[level] < 16) break;
      filled_[level] = 0;
      copy(static_cast<int>(first_level + level), local);
    }
    if (level > 0) {
      has_upper_ = has_init_;
      if (has_init_) copy(initial, upper);
      for (level = levels_; level > 0; --level) {
        if (filled_[level] == 0) continue;
        if (has_upper_) {
          combine(upper, first_level + level, upper);
        } else {
          copy(static_cast<int>(first_level + level), upper);
        }
        has_upper_ = true;
      }
    }
    if (filled_[0] == 0) {
      copy(upper, before_tile);
    } else if (has_upper_) {
      combine(upper, first_level, before_tile);
    } else {
      copy(first_level, before_tile);
    }
    has_prefix_ = true;
  }

  const scan_steps& steps_;
  std::size_t row_bytes_, levels_ = 0, columns_ = 0;
  memory room_;
  std::vector<unsigned char> filled_;
  bool has_init_ = false, has_upper_ = false, has_prefix_ = false;
};

/// `width` segments side by side as one segment of wider elements. Their states follow the last outputs of
/// all.
class side_by_side {
 public:
  side_by_side(const scan_steps& steps, std::size_t width)
      : steps_(steps), width_(width), copy_(copy_strided_for(steps.element_bytes)) {}

  scan_steps steps() const {
    return {width_ * steps_.element_bytes,
            outputs() + width_ * state(),
            steps_.run_length,
            false,
            start_,
            reduce_,
            append_,
            scan_,
            steps_.combine,
            steps_.load};
  }

 private:
  static constexpr std::size_t most_bytes = largest_piece_bytes;

  std::size_t state() const { return (steps_.state_bytes + 15) / 16 * 16; }
  std::size_t outputs() const { return (width_ * steps_.element_bytes + 15) / 16 * 16; }
  template <class F>
  void each(void* states, const F& f) const {
    for (std::size_t c = 0; c < width_; ++c)
      f(c, at(states, outputs() + c * state()), at(states, c * steps_.element_bytes));
  }

  const scan_steps& steps_;
  std::size_t width_;
  copy_strided_function copy_;

  struct step {
    const side_by_side& all;
  };
  struct start_step : step {
    void operator()(const void* init, void* states) const {
      all.each(states, [&](std::size_t, void* state, void* output) {
        all.steps_.start(init, state);
        std::memcpy(output, state, all.steps_.element_bytes);
      });
    }
  };
  /// Calls f(first, in_chunk) on chunks of `count` elements that are multiples of a tile.
  template <class F>
  void chunks(std::size_t count, const F& f) const {
    const std::size_t chunk = most_bytes / steps_.element_bytes / steps_.tile() * steps_.tile();
    for (std::size_t first = 0; first < count; first += chunk) f(first, std::min(chunk, count - first));
  }
  struct reduce_step : step {
    void operator()(const void* x, std::size_t count, bool opens, void* totals) const {
      const std::size_t size = all.steps_.element_bytes, stride = all.width_ * size;
      alignas(line) std::byte column[most_bytes];
      all.chunks(count, [&](std::size_t first, std::size_t in_chunk) {
        for (std::size_t c = 0; c < all.width_; ++c) {
          all.copy_(at(x, first * stride + c * size), stride, in_chunk, size, column, size);
          all.steps_.reduce_serially(column, in_chunk, opens && first == 0, at(totals, c * size));
        }
      });
    }
  };
  struct append_step : step {
    void operator()(void* states, const void* totals, std::size_t units) const {
      const std::size_t size = all.steps_.element_bytes;
      all.each(states, [&](std::size_t c, void* state, void* output) {
        for (std::size_t u = 0; u < units; ++u)
          all.steps_.append(state, at(totals, (u * all.width_ + c) * size), 1);
        std::memcpy(output, state, size);
      });
    }
  };
  struct scan_step : step {
    void operator()(const void* x, std::size_t count, bool exclusive, bool, void* states, void* out) const {
      const std::size_t size = all.steps_.element_bytes, stride = all.width_ * size;
      alignas(line) std::byte column[most_bytes];
      all.chunks(count, [&](std::size_t first, std::size_t in_chunk) {
        all.each(states, [&](std::size_t c, void* state, void* output) {
          std::memcpy(state, output, size);
          all.copy_(at(x, first * stride + c * size), stride, in_chunk, size, column, size);
          all.steps_.scan(column, in_chunk, exclusive, false, state, column);
          all.copy_(column, size, in_chunk, size, at(out, first * stride + c * size), stride);
          std::memcpy(output, state, size);
        });
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

void scan_short_rows(int threads, const scan_steps& steps, segments rows, const void* x, const void* init,
                     bool exclusive, void* out) {
  const std::size_t size = steps.element_bytes, row_bytes = rows.length * size;
  constexpr std::size_t bytes_at_once = 16384;
  const std::size_t at_once = std::clamp<std::size_t>(bytes_at_once / row_bytes, 1, 512);
  const copy_strided_function copy = copy_strided_for(size);
  for_slices(threads, rows.outer, grain(row_bytes), [&](std::size_t first, std::size_t last) {
    column_scan columns(steps, at_once, rows.length);
    scratch turned(at_once * row_bytes);
    for (std::size_t r = first; r < last; r += at_once) {
      const std::size_t count = std::min(at_once, last - r), stride = count * size;
      for (std::size_t k = 0; k < rows.length; ++k) {
        copy(at(x, r * row_bytes + k * size), row_bytes, count, size, turned.data() + k * stride, size);
      }
      columns.scan(turned.data(), stride, count, rows.length, init, exclusive, turned.data(), stride);
      for (std::size_t k = 0; k < rows.length; ++k) {
        copy(turned.data() + k * stride, size, count, size, at(out, r * row_bytes + k * size), row_bytes);
      }
    }
  });
}

void scan_rows(int threads, const scan_steps& steps, segments rows, const void* x, const void* init,
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

void scan_wide_columns(int threads, const scan_steps& steps, segments all, const void* x, const void* init,
                       bool exclusive, void* out) {
  const std::size_t size = steps.element_bytes, stride = all.inner * size;
  // As wide as a first-level cache allows; narrower where there are not enough for all threads.
  constexpr std::size_t widest = 2048, narrowest = 256;
  const std::size_t share = all.outer * stride / (static_cast<std::size_t>(threads) * 2) / line * line;
  const std::size_t width =
      std::max<std::size_t>(1, (threads <= 1 ? widest : std::clamp(share, narrowest, widest)) / size);
  const std::size_t panels = (all.inner + width - 1) / width;
  for_slices(threads, all.outer * panels, grain(all.length * std::min(width, all.inner) * size),
             [&](std::size_t first, std::size_t last) {
               column_scan columns(steps, std::min(width, all.inner), all.length);
               for (std::size_t p = first; p < last; ++p) {
                 const std::size_t column = p % panels * width;
                 const std::size_t begin = (p / panels * all.length * all.inner + column) * size;
                 columns.scan(at(x, begin), stride, std::min(width, all.inner - column), all.length, init,
                              exclusive, at(out, begin), stride);
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
      chain.join();
      return;
    }
  }
  if (bytes <= stream_from_bytes) return steps.scan(x, count, exclusive, false, state, out);
  piece_writer writer(steps, true, out);
  scan_pieces(steps, x, count, exclusive, state, writer, read_ahead{x, steps.element_bytes});
}

void scan_segments(int threads, const scan_steps& steps, segments all, const void* x, const void* init,
                   bool exclusive, void* out) {
  if (all.elements() == 0) return;
  const std::size_t size = steps.element_bytes;
  if (all.count() == 1) {
    scratch state(steps.state_bytes);
    steps.start(init, state.data());
    return scan_piece(threads, steps, x, all.length, exclusive, state.data(), out);
  }
  constexpr std::size_t longest_short_row = 64;
  if (all.inner == 1 && all.length <= longest_short_row) {
    return scan_short_rows(threads, steps, all, x, init, exclusive, out);
  }
  const bool rows_for_all = all.outer >= static_cast<std::size_t>(threads) * 4;
  if (all.inner == 1 && rows_for_all) return scan_rows(threads, steps, all, x, init, exclusive, out);
  if (all.inner * size >= largest_staged_bytes) {
    return scan_wide_columns(threads, steps, all, x, init, exclusive, out);
  }
  const side_by_side narrow(steps, all.inner);
  const scan_steps together = narrow.steps();
  const scan_steps& by = all.inner == 1 ? steps : together;
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
