#pragma once

#include <heddle/target.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace heddle::viewer {

/// The rate of a copy on each target, measured on a thread of its own.
class ceilings {
 public:
  /// Bytes a second that a copy on a target reads and writes. May throw.
  using measurement = std::function<double(const target&)>;

  /// Calls `known` on the measuring thread after each measurement. Without `measure` every rate is 0.
  ceilings(measurement measure, std::function<void()> known);
  /// Waits for the measurement that runs now.
  ~ceilings();
  ceilings(const ceilings&) = delete;
  ceilings& operator=(const ceilings&) = delete;

  /// The rate on a target, or 0 if the measurement failed. Nothing while it is not known; the first call for
  /// a target starts the measurement, and returns at once.
  std::optional<double> of(const target& where);

  /// Whether measurements run or wait.
  bool is_measuring() const noexcept { return measuring_ != 0; }

 private:
  void measure_all();

  const measurement measure_;
  const std::function<void()> known_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, std::optional<double>> rates_;
  std::deque<target> wanted_;
  bool ends_ = false;
  std::atomic<int> measuring_ = 0;
  std::thread thread_;  // from the first measurement on
};

}  // namespace heddle::viewer
