#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

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

  /// For work whose rate says nothing: what is being done stands in its place from now on, and the bytes are
  /// any measure of the time that it takes.
  void show_instead_of_rate(std::string what) { what_ = std::move(what); }

  /// Takes the line away until the next call of `advance`, for something else to be printed.
  void hide();

 private:
  using clock = std::chrono::steady_clock;

  std::size_t total_, done_ = 0;
  bool wanted_, shown_ = false;
  std::string what_;
  clock::time_point began_ = clock::now(), next_ = began_ + std::chrono::milliseconds(500);
};

}  // namespace heddle::cli
