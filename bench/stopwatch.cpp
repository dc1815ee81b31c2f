#include "stopwatch.hpp"

#include <chrono>

namespace heddle::timing {
namespace {

class wall_clock_stopwatch : public stopwatch {
 public:
  explicit wall_clock_stopwatch(const target& where) : where_(where) {}

  double seconds(function_ref<void()> work, std::size_t) override {
    const auto began = std::chrono::steady_clock::now();
    work();
    where_.wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

 private:
  target where_;
};

}  // namespace

std::unique_ptr<stopwatch> wall_clock(const target& where) {
  return std::make_unique<wall_clock_stopwatch>(where);
}

}  // namespace heddle::timing
