#pragma once

#include <cstddef>
#include <memory>

#include <sched.h>

namespace heddle::impl {

/// The cores that the calling thread may use; none where the system does not tell.
class core_set {
 public:
  static core_set of_this_thread() noexcept {
    // The system refuses a set that is smaller than its own.
    for (std::size_t most = 1024; most <= (std::size_t{1} << 20); most *= 2) {
      core_set found(most);
      if (found.cores_ != nullptr && sched_getaffinity(0, found.bytes_, found.cores_.get()) == 0)
        return found;
    }
    return core_set(0);
  }

  int count() const noexcept { return cores_ == nullptr ? 0 : CPU_COUNT_S(bytes_, cores_.get()); }

  /// The first of them alone.
  core_set first() const noexcept {
    core_set one(bytes_ * 8);
    if (cores_ == nullptr || one.cores_ == nullptr) return one;
    std::size_t core = 0;
    while (core < bytes_ * 8 && !CPU_ISSET_S(core, bytes_, cores_.get())) ++core;
    CPU_ZERO_S(bytes_, one.cores_.get());
    CPU_SET_S(core, bytes_, one.cores_.get());
    return one;
  }

  /// Makes them those of the calling thread, where the system lets it.
  void use() const noexcept {
    if (cores_ != nullptr) sched_setaffinity(0, bytes_, cores_.get());
  }

 private:
  struct release {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
  };
  explicit core_set(std::size_t most) noexcept
      : bytes_(CPU_ALLOC_SIZE(most)), cores_(most == 0 ? nullptr : CPU_ALLOC(most)) {}

  std::size_t bytes_;
  std::unique_ptr<cpu_set_t, release> cores_;
};

}  // namespace heddle::impl
