#pragma once

#include <heddle/support/function_ref.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <memory>

namespace heddle::timing {

/// Measures how long work takes.
class stopwatch {
 public:
  virtual ~stopwatch() = default;

  /// The seconds that `work` takes, which makes so many calls of something.
  virtual double seconds(function_ref<void()> work, std::size_t calls) = 0;
};

/// By the system's clock, from the start of the work until it has returned and the stream of `where` is free.
std::unique_ptr<stopwatch> wall_clock(const target& where);

}  // namespace heddle::timing
