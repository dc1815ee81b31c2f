#include "laplace/kernels.hpp"
#include "laplace/machine.hpp"
#include <heddle/machine.hpp>
#include <heddle/support/threads.hpp>

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

  std::size_t jacobi_at_once(std::size_t sweeps, bool) const override {
    // Passes alike, of as many sweeps as the blocking allows where the memory is larger than a cache.
    const std::size_t passes = (sweeps + most_jacobi_sweeps - 1) / most_jacobi_sweeps;
    return (sweeps + passes - 1) / passes;
  }

  void jacobi(const grid<T>& on, const T* u, T* v, const T* g, std::size_t sweeps,
              const row_range& rows) override {
    // The rows around as a grid of their own, whose outermost ones stay: only those near them become wrong.
    const auto beside = static_cast<std::ptrdiff_t>(sweeps);
    const std::ptrdiff_t first = std::max(rows.first - beside, on.first);
    grid<T> part = on;
    part.height = std::min(rows.last + beside, on.last) - first;
    if (part.height < 3) return;
    const std::ptrdiff_t at = first * on.pitch;
    kernels_.jacobi(threads_, part, u + at, g == nullptr ? nullptr : g + at, v + at, sweeps);
  }

  void relax(const grid<T>& on, const T* u, const correction<T>& from, const T* g, T* v, int sweeps,
             const row_range& rows) override {
    // Rows that are few beside those around them would be computed more than once.
    const std::size_t grain = std::max<std::size_t>(grain_of(on), 16 * static_cast<std::size_t>(sweeps));
    over(inner(on, rows), grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      const std::unique_ptr<T[]> room(new T[relax_room(sweeps)]);
      for (std::ptrdiff_t left = 1; left < on.width - 1; left += relax_columns) {
        const std::ptrdiff_t right = std::min(left + relax_columns, on.width - 1);
        kernels_.relax(on, u, from, g, v, sweeps, {first, last, left, right}, room.get());
      }
    });
  }

  T restrict_residual(const grid<T>& fine, const T* u, const T* g, const grid<T>& coarse, T* coarse_g,
                      const transfer_view<T>& across, const transfer_view<T>& down, const row_range& rows,
                      bool) override {
    largest<T> most;
    const std::size_t grain = std::max<std::size_t>(grain_of(fine), 16);
    over(inner(coarse, rows), grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      const std::unique_ptr<T[]> room(new T[restrict_room(fine.width, coarse.width)]);
      most.add(
          kernels_.restrict_residual(fine, u, g, coarse, coarse_g, across, down, first, last, room.get()));
    });
    return most.value();
  }

  T largest_residual(const grid<T>& on, const T* u, const T* g, const row_range& rows) override {
    largest<T> most;
    over(inner(on, rows), grain_of(on), [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      most.add(kernels_.largest_residual(on, u, g, first, last));
    });
    return most.value();
  }

 private:
  /// f(first, last) on slices of rows.
  template <class F>
  void over(const row_range& rows, std::size_t grain, const F& f) const {
    if (rows.first >= rows.last) return;
    cpu::for_slices(threads_, static_cast<std::size_t>(rows.last - rows.first), grain,
                    [&](std::size_t first, std::size_t last) {
                      f(rows.first + static_cast<std::ptrdiff_t>(first),
                        rows.first + static_cast<std::ptrdiff_t>(last));
                    });
  }
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
