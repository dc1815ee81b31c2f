#include "ceilings.hpp"

#include <system_error>
#include <utility>

namespace heddle::viewer {

ceilings::ceilings(measurement measure, std::function<void()> known)
    : measure_(std::move(measure)), known_(std::move(known)) {}

ceilings::~ceilings() {
  {
    const std::lock_guard held(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

std::optional<double> ceilings::of(const target& where) {
  if (!measure_) return 0;
  const std::lock_guard held(mutex_);
  const auto [at, is_new] = rates_.try_emplace(where.text());
  if (!is_new) return at->second;
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { measure_all(); });
    } catch (const std::system_error&) {
      // If the system gives no thread, there is no ceiling to show, and the simulation goes on.
      return at->second = 0;
    }
  }
  wanted_.push_back(where);
  ++measuring_;
  wake_.notify_one();
  return std::nullopt;
}

void ceilings::measure_all() {
  std::unique_lock held(mutex_);
  for (;;) {
    wake_.wait(held, [&] { return ends_ || !wanted_.empty(); });
    if (ends_) return;
    const target where = wanted_.front();
    wanted_.pop_front();
    held.unlock();
    double rate = 0;
    try {
      rate = measure_(where);
    } catch (...) {
      // Without memory to spare there is no ceiling to show, and no exception may leave this thread.
    }
    held.lock();
    rates_[where.text()] = rate;
    --measuring_;
    held.unlock();
    known_();
    held.lock();
  }
}

}  // namespace heddle::viewer
