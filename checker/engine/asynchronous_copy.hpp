#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::checker {

/// From global to shared memory, begun by a thread that goes on before it is done.
struct asynchronous_copy {
  void* to;
  const void* from;
  std::uint32_t bytes, read;  ///< the rest of the bytes is filled with zeros
  std::uintptr_t pc;
};

/// Those of a thread that are not complete, in groups.
class asynchronous_copies {
 public:
  void begin(const asynchronous_copy& c) { copies_.push_back(c); }
  /// Those that were begun since the last call are a group.
  void commit() { ends_.push_back(copies_.size()); }
  bool is_empty() const { return copies_.empty(); }
  /// All of those but the last `groups`, which are complete; of groups that are not committed
  /// none.
  std::vector<asynchronous_copy> take_all_but(std::size_t groups) {
    if (ends_.size() <= groups) return {};
    const std::size_t taken = ends_.size() - groups, count = ends_[taken - 1];
    std::vector<asynchronous_copy> result(copies_.begin(),
                                          copies_.begin() + static_cast<std::ptrdiff_t>(count));
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(count));
    ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(taken));
    for (std::size_t& end : ends_) end -= count;
    return result;
  }
  std::vector<asynchronous_copy> take_all() {
    ends_.clear();
    return std::exchange(copies_, {});
  }
  void clear() {
    copies_.clear();
    ends_.clear();
  }

 private:
  std::vector<asynchronous_copy> copies_;
  std::vector<std::size_t> ends_;
};

}  // namespace heddle::checker
