#pragma once

#include "stopwatch.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace heddle::timing {

/// The time of a call, over many samples.
struct measurement {
  double seconds = 0;  ///< the median
  double lower_quartile = 0, upper_quartile = 0;
  std::size_t samples = 0;
  std::size_t calls_a_sample = 0;

  /// Between the quartiles lies the middle half of the samples.
  double interquartile() const noexcept { return upper_quartile - lower_quartile; }
};

/// How many calls a sample makes: a power of two times the least, as many as last so long, and no more than
/// the most.
struct batch {
  std::size_t least = 1, most = 1;
  double seconds = 0;
};
inline constexpr batch single_call;
/// Calls that are shorter than the clock can tell are timed together.
inline constexpr batch calls_by_wall_clock = {1, std::size_t{1} << 30, 50e-6};
inline constexpr batch back_to_back_calls = {2, 16, 1e-3};

/// When a sampler stops at the latest: once so much time has passed, but not before so many samples.
struct patience {
  double seconds;
  std::size_t least_samples = 10;
};

/// Samples one thing until the median of its time is stable: until the 95 % confidence interval of the
/// median, which the order of the samples gives, lies within 1 % of it, after a round of ten samples, until
/// 1000 samples, or as long as its patience lasts.
class sampler {
 public:
  using calls = std::function<void(std::size_t first, std::size_t count)>;

  /// `before_sample` is called outside of what is timed, and may throw.
  sampler(calls made, stopwatch& watch, batch size, patience most,
          std::function<void()> before_sample = nullptr);

  bool is_finished() const noexcept { return finished_; }

  /// Warms up and takes the next ten samples. Alternating the rounds of several samplers lets what disturbs
  /// the machine disturb all of them.
  void take_round();

  measurement result() const;

 private:
  double run(std::size_t count);
  void warm_up();
  bool is_stable() const;

  calls made_;
  std::function<void()> before_sample_;
  stopwatch& watch_;
  batch size_;
  patience most_;
  std::size_t calls_a_sample_ = 0, next_ = 0;  ///< none before the first round
  std::vector<double> seconds_;                ///< of a call, in order
  double spent_ = 0;                           ///< on rounds
  bool finished_ = false;
};

}  // namespace heddle::timing
