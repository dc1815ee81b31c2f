#pragma once

#include <chrono>
#include <cstddef>

namespace heddle::cli {

/// A line on standard error with the fraction done, the rate and the time left, for work that lasts: it
/// appears after half a second, when standard error is a terminal, and is gone afterwards.
class progress {
 public:
  progress(std::size_t total_bytes, bool quiet);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// Says that so many bytes more are done.
  void advance(std::size_t bytes);

 private:
  using clock = std::chrono::steady_clock;

  std::size_t total_, done_ = 0;
  bool wanted_, shown_ = false;
  clock::time_point began_ = clock::now(), next_ = began_ + std::chrono::milliseconds(500);
};

}  // namespace heddle::cli
