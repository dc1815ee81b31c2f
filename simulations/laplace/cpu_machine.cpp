#include "laplace/kernels.hpp"
#include "laplace/machine.hpp"
#include <heddle/machine.hpp>
#include <heddle/threads.hpp>

#include <algorithm>
#include <atomic>
#include <string_view>

namespace heddle::laplace {
namespace {

template <class T>
cpu_kernels<T> kernels_for_this_processor() {
  [[maybe_unused]] const std::string_view best = cpu_instruction_set();
#if defined(HEDDLE_X86_KERNELS)
  if (best == "avx512") return avx512_kernels<T>();
  if (best == "avx2") return avx2_kernels<T>();
#endif
  return baseline_kernels<T>();
}

/// The largest of what threads have found.
template <class T>
class largest {
 public:
  void add(T found) {
    T now = value_.load(std::memory_order_relaxed);
    while (now < found && !value_.compare_exchange_weak(now, found, std::memory_order_relaxed)) {
    }
  }
  T value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<T> value_{0};
};

template <class T>
class cpu_machine final : public machine<T> {
 public:
  explicit cpu_machine(int threads) : threads_(threads), kernels_(kernels_for_this_processor<T>()) {}

  T* jacobi(const grid<T>& on, T* u, T* v, const T* g, std::size_t sweeps) override {
    // As many sweeps a pass as the blocking allows where the memory is larger than a cache.
    constexpr std::size_t at_once = 8;
    const std::size_t passes = (sweeps + at_once - 1) / at_once;
    for (std::size_t left = passes; left > 0; --left) {
      const std::size_t now = (sweeps + left - 1) / left;
      kernels_.jacobi(threads_, on, u, g, v, now);
      sweeps -= now;
      std::swap(u, v);
    }
    return u;
  }

  void relax(const grid<T>& on, const T* u, const correction<T>& from, const T* g, T* v,
             int sweeps) override {
    // Rows that are few beside those around them would be computed more than once.
    const std::size_t grain = std::max<std::size_t>(grain_of(on), 16 * static_cast<std::size_t>(sweeps));
    cpu::for_slices(threads_, rows_of(on), grain, [&](std::size_t first, std::size_t last) {
      const std::unique_ptr<T[]> room(new T[relax_room(sweeps)]);
      for (std::ptrdiff_t left = 1; left < on.width - 1; left += relax_columns) {
        const std::ptrdiff_t right = std::min(left + relax_columns, on.width - 1);
        kernels_.relax(on, u, from, g, v, sweeps, {row(first), row(last), left, right}, room.get());
      }
    });
  }

  T restrict_residual(const grid<T>& fine, const T* u, const T* g, const grid<T>& coarse, T* coarse_g,
                      const transfer_view<T>& across, const transfer_view<T>& down, bool) override {
    largest<T> most;
    const std::size_t grain = std::max<std::size_t>(grain_of(fine), 16);
    cpu::for_slices(threads_, rows_of(coarse), grain, [&](std::size_t first, std::size_t last) {
      const std::unique_ptr<T[]> room(new T[restrict_room(fine.width, coarse.width)]);
      most.add(kernels_.restrict_residual(fine, u, g, coarse, coarse_g, across, down, row(first), row(last),
                                          room.get()));
    });
    return most.value();
  }

  T largest_residual(const grid<T>& on, const T* u, const T* g) override {
    largest<T> most;
    cpu::for_slices(threads_, rows_of(on), grain_of(on), [&](std::size_t first, std::size_t last) {
      most.add(kernels_.largest_residual(on, u, g, row(first), row(last)));
    });
    return most.value();
  }

 private:
  /// Inner rows are counted from 0 by for_slices.
  static std::size_t rows_of(const grid<T>& on) { return static_cast<std::size_t>(on.height - 2); }
  static std::ptrdiff_t row(std::size_t number) { return static_cast<std::ptrdiff_t>(number) + 1; }
  /// Rows that are worth a thread.
  static std::size_t grain_of(const grid<T>& on) {
    constexpr std::size_t points = std::size_t{1} << 15;
    return points / static_cast<std::size_t>(on.width) + 1;
  }

  int threads_;
  cpu_kernels<T> kernels_;
};

}  // namespace

template <class T>
std::unique_ptr<machine<T>> make_cpu_machine(int threads) {
  return std::make_unique<cpu_machine<T>>(threads);
}
template std::unique_ptr<machine<float>> make_cpu_machine(int);
template std::unique_ptr<machine<double>> make_cpu_machine(int);

}  // namespace heddle::laplace
