#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace heddle::viewer {

/// When steps are due: as fast as possible, or so many a second.
class pace {
 public:
  using clock = std::chrono::steady_clock;

  /// No rate: as fast as possible.
  void set_rate(std::optional<double> per_second) noexcept { per_second_ = per_second; }
  const std::optional<double>& rate() const noexcept { return per_second_; }

  /// Counts the steps that are due from now on.
  void begin(clock::time_point now) noexcept;

  /// How many of the next `most` steps are due now. They count as taken.
  std::uint64_t take_due(clock::time_point now, std::uint64_t most) noexcept;

  /// When the next step is due: `now` at the earliest, and an hour later at the latest. A rate may be as
  /// small as 2e-308 steps a second.
  clock::time_point next(clock::time_point now) const noexcept;

 private:
  std::optional<double> per_second_;
  clock::time_point from_{};
  std::uint64_t taken_ = 0;  // since then
};

}  // namespace heddle::viewer
