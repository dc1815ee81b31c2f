#pragma once

#include <heddle/fft.hpp>
#include <heddle/impl/core/thresholds.hpp>

#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

/// Plans of transforms of one line on a CPU: what is computed once for a length, and the memory to work in.
namespace heddle::cpu {

/// From this length on a line is taken as a matrix, whose parts are shared out; FFTW knows better on one
/// thread.
#if defined(HEDDLE_FFTW)
constexpr std::size_t long_line = std::numeric_limits<std::size_t>::max();
#else
constexpr std::size_t long_line = impl::threshold.fft_long_line;
#endif

template <class T>
class complex_plan;

/// A transform of one line of n elements, real ones on the one side for the real kinds, on up to `threads`
/// threads where it is long. One thread at a time calls it.
template <class T>
class line_plan {
 public:
  using complex = std::complex<T>;

  line_plan(std::size_t n, impl::fft_kind kind);
  ~line_plan();
  line_plan(const line_plan&) = delete;
  line_plan& operator=(const line_plan&) = delete;

  /// The bytes that the plan owns.
  std::size_t bytes() const;

  void run(const complex* x, complex* out, int threads);
  /// n real elements to n/2 + 1 complex ones.
  void run(const T* x, complex* out, int threads);
  /// The reverse. What the imaginary parts of elements 0 and n/2 hold does not count.
  void run(const complex* x, T* out, int threads);

 private:
  std::size_t n_;
  bool halved_ = false;
  std::unique_ptr<complex_plan<T>> plan_;
  std::vector<complex> in_, out_, roots_;
};

/// A plan of this thread's own while it lives, and kept for later calls then, where keep_fft_plans_within()
/// leaves room: as many are kept as threads have used at once.
template <class T>
class pooled_plan {
 public:
  pooled_plan(std::size_t n, impl::fft_kind kind);
  ~pooled_plan();
  pooled_plan(const pooled_plan&) = delete;
  pooled_plan& operator=(const pooled_plan&) = delete;

  line_plan<T>& operator*() const { return *plan_; }

 private:
  std::size_t n_;
  impl::fft_kind kind_;
  std::unique_ptr<line_plan<T>> plan_;
};

/// How many bytes of plans that nobody uses are kept at most, of each precision: 2^28 unless said. Where more
/// are kept they are dropped at once. Returns what it was.
std::size_t keep_fft_plans_within(std::size_t bytes);

}  // namespace heddle::cpu
