#include "pace.hpp"

#include <algorithm>

namespace heddle::viewer {
namespace {

using seconds = std::chrono::duration<double>;

}  // namespace

void pace::begin(clock::time_point now) noexcept {
  from_ = now;
  taken_ = 0;
}

std::uint64_t pace::take_due(clock::time_point now, std::uint64_t most) noexcept {
  if (!per_second_) return most;
  // A rate may be as large as 1.8e308 steps a second.
  constexpr double most_counted = 0x1p62;
  const auto wanted =
      static_cast<std::uint64_t>(std::min(most_counted, seconds(now - from_).count() * *per_second_));
  if (wanted <= taken_) return 0;
  const std::uint64_t due = std::min(most, wanted - taken_);
  // A simulation that is too slow for the rate does not catch up later.
  if (wanted - taken_ > 2 * most) {
    begin(now);
  } else {
    taken_ += due;
  }
  return due;
}

pace::clock::time_point pace::next(clock::time_point now) const noexcept {
  if (!per_second_) return now;
  constexpr seconds latest{3600};
  const seconds left = seconds(static_cast<double>(taken_ + 1) / *per_second_) - seconds(now - from_);
  // Rounded up, because no step is due before that time.
  return now + std::chrono::ceil<clock::duration>(std::clamp(left, seconds{0}, latest));
}

}  // namespace heddle::viewer
