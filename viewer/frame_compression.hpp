#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace heddle::viewer {

/// Whether the frames of one client are deflated. A slow connection brings fewer bytes sooner; on a fast one
/// they take longer to deflate and to inflate than to send. Learnt from how long frames of both kinds take.
class frame_compression {
 public:
  using seconds = std::chrono::duration<double>;

  /// Of the next frame.
  bool deflates() const noexcept {
    if (!deflated_) return true;
    if (!plain_) return *deflated_ > longest_before_plain;
    const bool is_better = *deflated_ <= *plain_;
    const bool is_due = since_worse_ >= part_of_better * std::max(*deflated_, *plain_);
    return is_due ? !is_better : is_better;
  }

  /// A frame took so long, from before it was deflated until the client had drawn it.
  void took(bool is_deflated, seconds time) noexcept {
    std::optional<seconds>& mean = is_deflated ? deflated_ : plain_;
    const std::optional<seconds>& other = is_deflated ? plain_ : deflated_;
    // The time that a hidden page takes to draw does not count.
    constexpr double most_of_mean = 4;
    mean = mean ? *mean + (std::min(time, most_of_mean * *mean) - *mean) / 4 : time;
    since_worse_ = other && *mean > *other ? seconds(0) : since_worse_ + time;
  }

 private:
  /// A connection on which a deflated frame takes longer is not tried with all bytes.
  static constexpr seconds longest_before_plain{0.1};
  /// The slower method is tried again, as conditions change, in 1/32 of the time.
  static constexpr double part_of_better = 32;

  std::optional<seconds> deflated_, plain_;  // means, of which the last frames count most
  seconds since_worse_{};
};

}  // namespace heddle::viewer
