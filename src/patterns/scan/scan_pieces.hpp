// Scans of one thread: a piece is read, scanned and written before the next.
#pragma once

#include <heddle/error.hpp>
#include <heddle/impl/patterns/scan/cpu.hpp>
#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/interruption.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

namespace heddle::cpu {

inline constexpr std::size_t line = 64;
/// How far ahead to prefetch: with so many operations for each element, hardware prefetching is too late.
inline constexpr std::size_t read_ahead_bytes = 4096;
/// Elements larger than this are written directly.
inline constexpr std::size_t largest_staged_bytes = 64;
/// The longest row of elements that are staged, in bytes.
inline constexpr std::size_t longest_staged_row_bytes = [] {
  std::size_t longest = 0;
  for (std::size_t size = 1; size <= largest_staged_bytes; ++size)
    longest = std::max(longest, order::scan_row_vectors * order::scan_vector_of(size) * size);
  return longest;
}();

inline std::byte* at(void* data, std::size_t byte) {
  return static_cast<std::byte*>(data) + byte;
}
inline const std::byte* at(const void* data, std::size_t byte) {
  return static_cast<const std::byte*>(data) + byte;
}

/// Scratch memory aligned to a cache line.
class scratch {
 public:
  explicit scratch(std::size_t bytes) {
    if (bytes > sizeof near_) far_ = memory(bytes, target());
  }
  std::byte* data() { return far_.data() != nullptr ? static_cast<std::byte*>(far_.data()) : near_; }

 private:
  alignas(line) std::byte near_[longest_staged_row_bytes + 2 * line];
  memory far_;
};

/// Writes consecutive bytes by non-temporal stores of whole cache lines. Other threads see them once it is
/// destroyed.
class line_writer {
 public:
  /// Writes from `to` on, at most `most` bytes at a time.
  line_writer(std::byte* to, std::size_t most)
      : most_(most),
        memory_(most + 2 * line),
        stage_(memory_.data()),
        to_(to - reinterpret_cast<std::size_t>(to) % line),
        begin_(reinterpret_cast<std::size_t>(to) % line),
        end_(begin_) {}
  line_writer(const line_writer&) = delete;

  /// Room for the next `bytes`.
  std::byte* next(std::size_t bytes) {
    if (bytes > most_) {
      throw error("scan: a piece of " + std::to_string(bytes) + " bytes does not fit the stage of " +
                  std::to_string(most_) + " bytes: this is a defect of heddle");
    }
    return stage_ + end_;
  }

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
    if (whole > from) copy_lines_non_temporal(stage_ + from, to_ + from, whole - from);
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
    store_fence();
#endif
  }

 private:
  std::size_t most_;
  scratch memory_;
  std::byte* stage_;
  std::byte* to_;            ///< the destination of the stage's first line
  std::size_t begin_, end_;  ///< the bytes of the stage that are still to be written
};

/// Prefetches into the second-level cache the elements that a scan of pieces reads soon.
struct read_ahead {
  const void* x;
  std::size_t element_bytes;
  void operator()(std::size_t first, std::size_t count) const {
    const std::byte* const from = at(x, first * element_bytes);
    for (std::size_t b = 0; b < count * element_bytes; b += line)
      __builtin_prefetch(from + read_ahead_bytes + b, 0, 1);
    // gcc leaves out calls of a function that does nothing else.
    asm volatile("");
  }
};

/// Writes consecutive pieces, by non-temporal stores where that pays.
class piece_writer {
 public:
  /// Of one segment, or of segments that begin `stride` elements from each other.
  piece_writer(const scan_steps& steps, bool non_temporal, void* out, std::size_t stride = 0)
      : size_(steps.element_bytes), out_(at(out, 0)) {
    const bool on_lines = (reinterpret_cast<std::size_t>(out) | stride * size_) % line == 0;
    streams_ = non_temporal && steps.writes_non_temporal && on_lines;
    if (non_temporal && !streams_ && size_ <= largest_staged_bytes)
      writer_.emplace(out_, steps.piece() * size_);
  }
  ~piece_writer() {
#if defined(__x86_64__)
    if (streams_) store_fence();
#endif
  }
  piece_writer(const piece_writer&) = delete;

  /// Scans the next `count` elements.
  void scan(const scan_steps& steps, const void* x, std::size_t count, bool exclusive, void* state) {
    steps.scan(x, count, exclusive, streams_, state, writer_ ? writer_->next(count * size_) : out_);
    if (writer_) {
      writer_->wrote(count * size_);
    } else {
      out_ += count * size_;
    }
  }

 private:
  std::size_t size_;
  std::byte* out_;
  bool streams_;
  std::optional<line_writer> writer_;
};

/// Scans `count` elements on this thread, a piece at a time; calls beside(first, count) before each piece.
template <class Beside>
void scan_pieces(const scan_steps& steps, const void* x, std::size_t count, bool exclusive, void* state,
                 piece_writer& writer, const Beside& beside) {
  const std::size_t piece = steps.piece();
  interruptible* const interruption = interruptible::current();
  for (std::size_t first = 0; first < count; first += piece) {
    const std::size_t in_piece = std::min(piece, count - first);
    if (interruption != nullptr) interruption->check();
    beside(first, in_piece);
    writer.scan(steps, at(x, first * steps.element_bytes), in_piece, exclusive, state);
  }
}

}  // namespace heddle::cpu
