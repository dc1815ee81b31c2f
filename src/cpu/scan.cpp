#include <heddle/cpu/scan.hpp>
#include <heddle/cpu/threads.hpp>
#include <heddle/cpu/transform.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace heddle::cpu {
namespace {

constexpr std::size_t line = 64;
/// Scans of fewer bytes are not worth a second thread.
constexpr std::size_t parallel_from_bytes = std::size_t{1} << 19;
/// What a thread takes at a time: small beside a second-level cache, large beside what handing over costs.
constexpr std::size_t block_bytes = std::size_t{1} << 17;
/// Larger outputs are written past the cache. A scan costs more than a copy, and gains from the cache for
/// longer.
constexpr std::size_t past_the_cache_from_bytes = 4 * stream_from_bytes;
/// What is read, scanned and written before the next is read: small enough for reading and writing to
/// overlap. Large ones were faster for one thread and elements of four bytes and more.
constexpr std::size_t large_piece_bytes = 1024, small_piece_bytes = 512;
/// How far ahead memory is asked for: this much work an element keeps a processor from looking ahead by
/// itself.
constexpr std::size_t read_ahead_bytes = 4096;
/// Elements larger than this are written where they belong at once.
constexpr std::size_t largest_staged_bytes = 64;
constexpr std::size_t largest_piece_bytes = 256 * largest_staged_bytes;

std::byte* at(void* data, std::size_t byte) {
  return static_cast<std::byte*>(data) + byte;
}
const std::byte* at(const void* data, std::size_t byte) {
  return static_cast<const std::byte*>(data) + byte;
}

/// Scratch memory that begins on a line.
class scratch {
 public:
  explicit scratch(std::size_t bytes) {
    if (bytes > sizeof near_) far_ = detail::memory(bytes, target());
  }
  std::byte* data() { return far_.data() != nullptr ? static_cast<std::byte*>(far_.data()) : near_; }

 private:
  alignas(line) std::byte near_[2048];
  detail::memory far_;
};

/// Bytes written one after another, past the cache by whole lines. Other threads see them once it is
/// destroyed.
class line_writer {
 public:
  explicit line_writer(std::byte* to)
      : to_(to - reinterpret_cast<std::size_t>(to) % line),
        begin_(reinterpret_cast<std::size_t>(to) % line),
        end_(begin_) {}
  line_writer(const line_writer&) = delete;

  /// Where the next bytes, at most `most`, are to be put.
  static constexpr std::size_t most = largest_piece_bytes;
  std::byte* room() { return stage_ + end_; }

  void wrote(std::size_t bytes) {
    end_ += bytes;
#if defined(__x86_64__)
    std::size_t from = 0;
    if (begin_ != 0 && end_ >= line) {
      std::memcpy(to_ + begin_, stage_ + begin_, line - begin_);
      begin_ = 0;
      from = line;
    }
    const std::size_t whole = end_ / line * line;
    if (whole > from) copy_lines_past_the_cache(stage_ + from, to_ + from, whole - from);
    if (whole > 0 && end_ > whole) std::memcpy(stage_, stage_ + whole, line);
    to_ += whole;
    end_ -= whole;
#else
    std::memcpy(to_ + begin_, stage_ + begin_, end_ - begin_);
    to_ += end_;
    end_ = begin_ = 0;
#endif
  }

  ~line_writer() {
    if (end_ > begin_) std::memcpy(to_ + begin_, stage_ + begin_, end_ - begin_);
#if defined(__x86_64__)
    end_of_lines();
#endif
  }

 private:
  alignas(line) std::byte stage_[most + 2 * line];
  std::byte* to_;            ///< where the stage's first line belongs
  std::size_t begin_, end_;  ///< the bytes of the stage that are still to be written
};

/// Into the second-level cache.
void read_ahead(const void* x, std::size_t bytes) {
  for (std::size_t b = 0; b < bytes; b += line) __builtin_prefetch(at(x, read_ahead_bytes + b), 0, 1);
  // gcc leaves out calls of a function that does nothing else.
  asm volatile("");
}

/// Elements in a piece: a unit has a whole number of them.
std::size_t piece_elements(const scan_steps& steps, std::size_t bytes) {
  std::size_t count = steps.tile();
  while (count < steps.unit() && count * steps.element_bytes < bytes) count *= 2;
  return count;
}

/// A writer past the cache where that pays.
class piece_writer {
 public:
  piece_writer(bool past_the_cache, std::size_t element_bytes, void* out) : out_(at(out, 0)) {
    if (past_the_cache && element_bytes <= largest_staged_bytes) writer_.emplace(out_);
  }
  std::byte* room() { return writer_ ? writer_->room() : out_; }
  void wrote(std::size_t bytes) {
    if (writer_) {
      writer_->wrote(bytes);
    } else {
      out_ += bytes;
    }
  }

 private:
  std::byte* out_;
  std::optional<line_writer> writer_;
};

/// Scans `count` elements on this thread, a piece at a time; calls beside(first, count) before each, with its
/// place.
template <class Beside>
void scan_pieces(const scan_steps& steps, std::size_t piece, const void* x, std::size_t count, bool exclusive,
                 void* state, piece_writer& writer, const Beside& beside) {
  const std::size_t size = steps.element_bytes;
  for (std::size_t first = 0; first < count; first += piece) {
    const std::size_t in_piece = std::min(piece, count - first);
    beside(first, in_piece);
    steps.scan(at(x, first * size), in_piece, exclusive, state, writer.room());
    writer.wrote(in_piece * size);
  }
}

/// The same, from memory.
void scan_from_memory(const scan_steps& steps, const void* x, std::size_t count, bool exclusive, void* state,
                      piece_writer& writer) {
  const std::size_t size = steps.element_bytes, bytes = size < 4 ? small_piece_bytes : large_piece_bytes;
  scan_pieces(
      steps, piece_elements(steps, bytes), x, count, exclusive, state, writer,
      [&](std::size_t first, std::size_t in_piece) { read_ahead(at(x, first * size), in_piece * size); });
}

/// Blocks of one segment, scanned by threads that take them in order. A thread folds its block, waits for its
/// turn, notes the state before the block and moves the common state on behind it, and scans the block while
/// it is in the cache and the next one that it took is read.
class scan_in_turns {
 public:
  scan_in_turns(const scan_steps& steps, const void* x, std::size_t count, bool exclusive, void* state,
                void* out)
      : steps_(steps),
        size_(steps.element_bytes),
        units_(std::max<std::size_t>(1, block_bytes / (steps.unit() * size_))),
        block_(units_ * steps.unit()),
        blocks_((count + block_ - 1) / block_),
        x_(x),
        count_(count),
        exclusive_(exclusive),
        past_the_cache_(count * size_ > past_the_cache_from_bytes),
        state_(state),
        out_(out),
        last_outputs_(exclusive ? blocks_ * size_ : 0, target()) {}

  std::size_t blocks() const { return blocks_; }

  void work() {
    try {
      take_blocks();
    } catch (...) {
      failed_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

  /// After all threads: the first output of a block is known to the thread that scanned the one before it,
  /// and may be written once it is no longer an input.
  void join() {
    if (!exclusive_) return;
    for (std::size_t b = 1; b < blocks_; ++b) {
      std::memcpy(at(out_, b * block_ * size_), at(last_outputs_.data(), (b - 1) * size_), size_);
    }
    std::memcpy(state_, at(last_outputs_.data(), (blocks_ - 1) * size_), size_);
  }

 private:
  std::size_t elements_of(std::size_t b) const { return std::min(block_, count_ - b * block_); }

  bool wait_for_turn(std::size_t b) const {
    for (int spins = 0; turn_.load(std::memory_order_acquire) != b; ++spins) {
      if (failed_.load(std::memory_order_relaxed)) return false;
      if (spins > 4000) {
        std::this_thread::yield();
      } else {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      }
    }
    return true;
  }

  void take_blocks() {
    scratch own_state(steps_.state_bytes), own_totals(units_ * size_);
    void* const state = own_state.data();
    std::byte* const totals = own_totals.data();
    const std::size_t piece = piece_elements(steps_, small_piece_bytes), unit = steps_.unit();
    auto fold = [&](std::size_t b, std::size_t first, std::size_t count) {
      if (past_the_cache_) read_ahead(at(x_, (b * block_ + first) * size_), count * size_);
      steps_.fold(at(x_, (b * block_ + first) * size_), count, first % unit == 0,
                  totals + first / unit * size_);
    };
    auto fold_from = [&](std::size_t b, std::size_t first) {
      for (const std::size_t end = elements_of(b); first < end; first += piece) {
        fold(b, first, std::min(piece, end - first));
      }
    };
    std::size_t b = next_.fetch_add(1, std::memory_order_relaxed);
    if (b >= blocks_) return;
    fold_from(b, 0);
    while (b < blocks_) {
      if (!wait_for_turn(b)) return;
      std::memcpy(state, state_, steps_.state_bytes);
      steps_.append(state_, totals, (elements_of(b) + unit - 1) / unit);
      turn_.store(b + 1, std::memory_order_release);
      const std::size_t next = next_.fetch_add(1, std::memory_order_relaxed);
      const std::size_t in_next = next < blocks_ ? elements_of(next) : 0;
      {
        piece_writer writer(past_the_cache_, size_, at(out_, b * block_ * size_));
        scan_pieces(steps_, piece, at(x_, b * block_ * size_), elements_of(b), exclusive_, state, writer,
                    [&](std::size_t first, std::size_t) {
                      if (first < in_next) fold(next, first, std::min(piece, in_next - first));
                    });
      }
      if (exclusive_) std::memcpy(at(last_outputs_.data(), b * size_), state, size_);
      b = next;
    }
  }

  const scan_steps& steps_;
  std::size_t size_, units_, block_, blocks_;
  const void* x_;
  std::size_t count_;
  bool exclusive_, past_the_cache_;
  void* state_;
  void* out_;
  detail::memory last_outputs_;
  alignas(line) std::atomic<std::size_t> next_ = 0;
  alignas(line) std::atomic<std::size_t> turn_ = 0;
  alignas(line) std::atomic<bool> failed_ = false;
};

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
    room_ = detail::memory(row_bytes_ * (first_level + levels_ + 1), target());
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
    for (std::size_t first = 0, strip = 0; first < length; first += steps_.strip, strip = (strip + 1) % 16) {
      const std::size_t last = std::min(first + steps_.strip, length);
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
      if (last < length) append(strip);
    }
  }

 private:
  enum { local, prefix, previous, initial, upper, before_tile, first_group, first_level = first_group + 5 };

  std::byte* row(std::size_t index) { return at(room_.data(), index * row_bytes_); }
  void copy(int from, int to) { std::memcpy(row(to), row(from), columns_ * steps_.element_bytes); }
  void combine(std::size_t a, std::size_t b, std::size_t to) {
    steps_.combine(row(a), row(b), columns_, row(to));
  }

  void append(std::size_t strip) {
    int level = 0;
    for (; (strip >> level & 1) != 0 && level < 4; ++level) combine(first_group + level, local, local);
    copy(local, first_group + level);
    if (level == 4) {
      append_tile();
      if (has_prefix_) copy(before_tile, prefix);
      return;
    }
    const std::size_t strips = strip + 1;
    int group = __builtin_ctzll(strips);
    copy(first_group + group, prefix);
    for (++group; strips >> group != 0; ++group) {
      if ((strips >> group & 1) != 0) combine(first_group + group, prefix, prefix);
    }
    if (strips == 1 && !tile_has_prefix()) has_prefix_ = true;
    if (tile_has_prefix()) combine(before_tile, prefix, prefix);
  }

  bool tile_has_prefix() const { return has_upper_ || filled_[0] != 0; }

  /// The tile's total is in `local`; what stands before the next goes to `before_tile`.
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
  detail::memory room_;
  std::vector<unsigned char> filled_;
  bool has_init_ = false, has_upper_ = false, has_prefix_ = false;
};

/// `width` segments side by side as one segment of wider elements; each keeps a state of its own, behind the
/// last outputs of all.
class side_by_side {
 public:
  side_by_side(const scan_steps& steps, std::size_t width)
      : steps_(steps), width_(width), copy_(copy_strided_for(steps.element_bytes)) {}

  scan_steps steps() const {
    return {width_ * steps_.element_bytes,
            outputs() + width_ * state(),
            steps_.strip,
            start_,
            fold_,
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
  struct fold_step : step {
    void operator()(const void* x, std::size_t count, bool opens, void* totals) const {
      const std::size_t size = all.steps_.element_bytes, stride = all.width_ * size;
      alignas(line) std::byte column[most_bytes];
      all.chunks(count, [&](std::size_t first, std::size_t in_chunk) {
        for (std::size_t c = 0; c < all.width_; ++c) {
          all.copy_(at(x, first * stride + c * size), stride, in_chunk, size, column, size);
          all.steps_.fold(column, in_chunk, opens && first == 0, at(totals, c * size));
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
    void operator()(const void* x, std::size_t count, bool exclusive, void* states, void* out) const {
      const std::size_t size = all.steps_.element_bytes, stride = all.width_ * size;
      alignas(line) std::byte column[most_bytes];
      all.chunks(count, [&](std::size_t first, std::size_t in_chunk) {
        all.each(states, [&](std::size_t c, void* state, void* output) {
          std::memcpy(state, output, size);
          all.copy_(at(x, first * stride + c * size), stride, in_chunk, size, column, size);
          all.steps_.scan(column, in_chunk, exclusive, state, column);
          all.copy_(column, size, in_chunk, size, at(out, first * stride + c * size), stride);
          std::memcpy(output, state, size);
        });
      });
    }
  };

  start_step start_{{*this}};
  fold_step fold_{{*this}};
  append_step append_{{*this}};
  scan_step scan_{{*this}};
};

/// Work on fewer bytes is not worth a second thread.
std::size_t grain(std::size_t bytes_each) {
  return parallel_from_bytes / 4 / (bytes_each + 1) + 1;
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
  const bool past_the_cache = rows.outer * row_bytes > past_the_cache_from_bytes;
  for_slices(threads, rows.outer, grain(row_bytes), [&](std::size_t first, std::size_t last) {
    scratch state(steps.state_bytes);
    piece_writer writer(past_the_cache, steps.element_bytes, at(out, first * row_bytes));
    for (std::size_t r = first; r < last; ++r) {
      steps.start(init, state.data());
      scan_from_memory(steps, at(x, r * row_bytes), rows.length, exclusive, state.data(), writer);
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
  const std::size_t strips = (all.inner + width - 1) / width;
  for_slices(threads, all.outer * strips, grain(all.length * std::min(width, all.inner) * size),
             [&](std::size_t first, std::size_t last) {
               column_scan columns(steps, std::min(width, all.inner), all.length);
               for (std::size_t p = first; p < last; ++p) {
                 const std::size_t column = p % strips * width;
                 const std::size_t begin = (p / strips * all.length * all.inner + column) * size;
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
    scan_in_turns turns(steps, x, count, exclusive, state, out);
    const std::size_t workers = std::min(static_cast<std::size_t>(threads), turns.blocks());
    if (workers > 1) {
      on_threads(threads, workers, [&] { turns.work(); });
      turns.join();
      return;
    }
  }
  if (bytes <= past_the_cache_from_bytes) return steps.scan(x, count, exclusive, state, out);
  piece_writer writer(true, steps.element_bytes, out);
  scan_from_memory(steps, x, count, exclusive, state, writer);
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
