#pragma once

#include <heddle/array.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

namespace heddle::cpu {

/// Memory for the slices of one call of for_slices() to work in: a piece for each of those at work at once.
/// It is allocated as one, before the first slice begins, so that too much is refused and all is returned
/// after.
class slice_memory {
 public:
  /// For slices of for_slices(threads, count, grain, …), so many bytes for each.
  slice_memory(int threads, std::size_t count, std::size_t grain, std::size_t bytes) {
    constexpr std::size_t line = 64;
    const std::size_t most = threads <= 1 ? 1 : static_cast<std::size_t>(threads);
    const std::size_t slices = std::clamp<std::size_t>(count / std::max<std::size_t>(grain, 1), 1, most);
    const std::size_t each = (bytes + line - 1) / line * line;
    all_ = memory(slices * each, target());
    for (std::size_t i = 0; i < slices; ++i) free_.push_back(static_cast<std::byte*>(all_.data()) + i * each);
  }

  /// The scratch memory of one slice, which is not initialised.
  class piece {
   public:
    explicit piece(slice_memory& of) : of_(of) {
      const std::lock_guard lock(of_.mutex_);
      data_ = of_.free_.back();
      of_.free_.pop_back();
    }
    ~piece() {
      const std::lock_guard lock(of_.mutex_);
      of_.free_.push_back(data_);
    }
    piece(const piece&) = delete;
    piece& operator=(const piece&) = delete;

    std::byte* data() const { return data_; }

   private:
    slice_memory& of_;
    std::byte* data_;
  };

 private:
  memory all_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
};

}  // namespace heddle::cpu
