#pragma once

#include "cli/files/progress.hpp"
#include "cli/over_ranks.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <string>

namespace heddle::cli {

/// Takes many steps in pieces that last long enough to be fast and briefly enough to be interrupted, and
/// shows how far they are.
class paced_steps {
 public:
  /// `first_piece` lasts less than a second on the slowest machines.
  paced_steps(std::uint64_t total, double first_piece, bool quiet)
      : shown_(std::max<std::uint64_t>(1, total), quiet),
        piece_(std::bit_floor(static_cast<std::uint64_t>(std::clamp(first_piece, 1.0, 1e18)))) {}

  /// Takes at most so many: advance(steps) takes them and returns once they are done, and rate(steps,
  /// seconds) says how fast that was. Throws `interrupted` where that has been asked for.
  template <class Advance, class Rate>
  void take(std::uint64_t most, const Advance& advance, const Rate& rate) {
    stop_together();
    const std::uint64_t now = std::min(piece_, most);
    const auto began = std::chrono::steady_clock::now();
    advance(now);
    const double took =
        of_first_rank(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    seconds += took;
    steps += now;
    if (took < 0.2 && now == piece_ && piece_ < std::uint64_t{1} << 60) piece_ *= 2;
    if (took > 0.5) piece_ = std::max<std::uint64_t>(1, piece_ / 2);
    if (took > 0) shown_.show_instead_of_rate(rate(now, took));
    shown_.advance(now);
  }
  void hide() { shown_.hide(); }

  double seconds = 0;
  std::uint64_t steps = 0;

 private:
  progress shown_;
  std::uint64_t piece_;
};

}  // namespace heddle::cli
