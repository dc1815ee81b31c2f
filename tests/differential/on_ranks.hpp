#pragma once

#include "tests/ranks_as_threads.hpp"

#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace heddle::tests::differential {

/// Calls f(ranks) on each of `size` ranks, which are threads, and throws what a rank has thrown.
template <class F>
void on_ranks(int size, const F& f) {
  std::mutex mutex;
  std::string problem;
  ranks_as_threads::run(size, [&](const ranks& group) {
    try {
      f(group);
    } catch (const std::exception& e) {
      const std::lock_guard lock(mutex);
      problem = fmt::format("rank {}: {}", group.rank(), e.what());
    }
  });
  if (!problem.empty()) throw std::runtime_error(problem);
}

}  // namespace heddle::tests::differential
