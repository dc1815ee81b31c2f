// Scans of one segment by several threads.
#pragma once

#include "patterns/scan/scan_pieces.hpp"
#include <heddle/impl/core/thresholds.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>

namespace heddle::cpu {

/// The block that a thread scans at a time: small compared with a second-level cache and with its share,
/// large compared with the cost of passing the state on.
inline constexpr std::size_t most_block_bytes = impl::threshold.scan_most_block_bytes,
                             least_block_bytes = impl::threshold.scan_least_block_bytes;

/// Blocks of one segment, scanned by threads that take them in order. A thread reduces its block and waits
/// for the state before it, which the thread of the block before passes on. It advances the state past its
/// block for the next thread. Then it scans the block, which is still in the cache, and reduces the next one
/// that it took.
class chained_scan {
 public:
  chained_scan(int threads, const scan_steps& steps, const void* x, std::size_t count, bool exclusive,
               void* state, void* out)
      : steps_(steps),
        size_(steps.element_bytes),
        units_(std::max<std::size_t>(1, block_bytes(threads, count * size_) / (steps.unit() * size_))),
        block_(units_ * steps.unit()),
        blocks_((count + block_ - 1) / block_),
        x_(x),
        count_(count),
        exclusive_(exclusive),
        non_temporal_(count * size_ > stream_from_bytes),
        state_(state),
        out_(out) {}

  std::size_t blocks() const { return blocks_; }

  void work() {
    try {
      take_blocks();
    } catch (...) {
      failed_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

 private:
  static std::size_t block_bytes(int threads, std::size_t bytes) {
    return std::clamp(bytes / (2 * static_cast<std::size_t>(threads)), least_block_bytes, most_block_bytes);
  }
  std::size_t elements_of(std::size_t b) const { return std::min(block_, count_ - b * block_); }

  bool wait_for_prefix(std::size_t b) const {
    for (int spins = 0; ready_.load(std::memory_order_acquire) != b; ++spins) {
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
    const std::size_t total_bytes = totals_of_unit * size_;
    scratch own_state(steps_.state_bytes), own_totals(units_ * total_bytes);
    void* const state = own_state.data();
    std::byte* const totals = own_totals.data();
    const std::size_t piece = steps_.piece(), unit = steps_.unit();
    auto reduce_serially = [&](std::size_t b, std::size_t first, std::size_t count) {
      if (non_temporal_) read_ahead{x_, size_}(b * block_ + first, count);
      steps_.reduce_serially(at(x_, (b * block_ + first) * size_), count / steps_.row,
                             first % unit / steps_.row, totals + first / unit * total_bytes);
    };
    auto reduce_block = [&](std::size_t b, std::size_t first) {
      for (const std::size_t end = elements_of(b); first < end; first += piece) {
        reduce_serially(b, first, std::min(piece, end - first));
      }
    };
    std::size_t b = next_.fetch_add(1, std::memory_order_relaxed);
    if (b >= blocks_) return;
    reduce_block(b, 0);
    while (b < blocks_) {
      if (!wait_for_prefix(b)) return;
      std::memcpy(state, state_, steps_.state_bytes);
      steps_.append(state_, totals, elements_of(b) / unit);
      ready_.store(b + 1, std::memory_order_release);
      const std::size_t next = next_.fetch_add(1, std::memory_order_relaxed);
      const std::size_t in_next = next < blocks_ ? elements_of(next) : 0;
      {
        piece_writer writer(steps_, non_temporal_, at(out_, b * block_ * size_));
        scan_pieces(steps_, at(x_, b * block_ * size_), elements_of(b), exclusive_, state, writer,
                    [&](std::size_t first, std::size_t) {
                      if (first < in_next) reduce_serially(next, first, std::min(piece, in_next - first));
                    });
      }
      b = next;
    }
  }

  const scan_steps& steps_;
  std::size_t size_, units_, block_, blocks_;
  const void* x_;
  std::size_t count_;
  bool exclusive_, non_temporal_;
  void* state_;
  void* out_;
  alignas(line) std::atomic<std::size_t> next_ = 0;
  alignas(line) std::atomic<std::size_t> ready_ = 0;
  alignas(line) std::atomic<bool> failed_ = false;
};

}  // namespace heddle::cpu
