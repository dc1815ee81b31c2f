#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace heddle::timing {
namespace {

constexpr std::size_t round_samples = 10, most_samples = 1000;
constexpr double tolerance = 0.01;
// The first time a processor's clock has to rise too.
constexpr double first_warm_up_seconds = 20e-3, warm_up_seconds = 2e-3;

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point began) {
  return std::chrono::duration<double>(clock::now() - began).count();
}

/// The value at a fraction of the way through sorted samples, between two of them where it has to be.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

}  // namespace

sampler::sampler(calls made, stopwatch& watch, batch size, patience most, std::function<void()> before_sample)
    : made_(std::move(made)),
      before_sample_(std::move(before_sample)),
      watch_(watch),
      size_(size),
      most_(most) {}

double sampler::run(std::size_t count) {
  if (before_sample_) before_sample_();
  const std::size_t first = next_;
  next_ += count;
  return watch_.seconds([&] { made_(first, count); }, count);
}

void sampler::warm_up() {
  const auto began = clock::now();
  const bool is_first = calls_a_sample_ == 0;
  if (is_first) calls_a_sample_ = size_.least;
  do {
    const double took = run(calls_a_sample_);
    if (is_first && took < size_.seconds && 2 * calls_a_sample_ <= size_.most) calls_a_sample_ *= 2;
  } while (seconds_since(began) < (is_first ? first_warm_up_seconds : warm_up_seconds));
}

void sampler::take_round() {
  const auto began = clock::now();
  warm_up();
  for (std::size_t i = 0; i < round_samples; ++i) {
    if (seconds_.size() >= most_.least_samples && spent_ + seconds_since(began) >= most_.seconds) break;
    seconds_.push_back(run(calls_a_sample_) / static_cast<double>(calls_a_sample_));
  }
  std::sort(seconds_.begin(), seconds_.end());
  spent_ += seconds_since(began);
  finished_ = is_stable() || seconds_.size() >= most_samples || spent_ >= most_.seconds;
}

bool sampler::is_stable() const {
  // Of n samples the median of the distribution lies between those of these ranks, 95 times in 100.
  const double n = static_cast<double>(seconds_.size()), half_width = 0.98 * std::sqrt(n);
  const auto low = static_cast<std::size_t>(std::max(std::floor(n / 2 - half_width), 0.0));
  const auto high = static_cast<std::size_t>(std::min(std::ceil(n / 2 + half_width), n - 1));
  const double median = quantile(seconds_, 0.5);
  return seconds_[low] >= (1 - tolerance) * median && seconds_[high] <= (1 + tolerance) * median;
}

measurement sampler::result() const {
  return {quantile(seconds_, 0.5), quantile(seconds_, 0.25), quantile(seconds_, 0.75), seconds_.size(),
          calls_a_sample_};
}

}  // namespace heddle::timing
