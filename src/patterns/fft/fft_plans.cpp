#include "patterns/fft/fft_plans.hpp"

#include "patterns/fft/fft_library.hpp"
#include "target/process_limits.hpp"
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <new>
#include <numbers>
#include <utility>

namespace heddle::cpu {

using impl::fft_kind;

/// A transform of n complex elements side by side, the inverse divided by n, on up to `threads` threads where
/// it is long. One thread at a time calls it.
template <class T>
class complex_plan {
 public:
  virtual ~complex_plan() = default;
  virtual void run(const std::complex<T>* x, std::complex<T>* out, int threads) = 0;
  /// The bytes that the plan owns.
  virtual std::size_t bytes() const = 0;
};

namespace {

/// exp(2πi·k/n); whole turns are taken off before anything is rounded.
std::complex<double> root_of_unity(std::size_t k, std::size_t n) {
  const double angle = 2 * std::numbers::pi * (static_cast<double>(k % n) / static_cast<double>(n));
  return {std::cos(angle), std::sin(angle)};
}

/// Elements of a line that are worth a thread.
constexpr std::size_t line_grain = impl::threshold.fft_grain;

template <class T>
class library_plan : public complex_plan<T> {
 public:
  library_plan(std::size_t n, bool inverse) : n_(n), inverse_(inverse), transform_(n, inverse) {}
  void run(const std::complex<T>* x, std::complex<T>* out, int) override {
    transform_.run(x, out);
    if (!inverse_) return;
    const T scale = T(1) / static_cast<T>(n_);
    for (std::size_t k = 0; k < n_; ++k) out[k] *= scale;
  }
  std::size_t bytes() const override { return 2 * n_ * sizeof(std::complex<T>); }

 private:
  std::size_t n_;
  bool inverse_;
  library_transform<T> transform_;
};

#if !defined(HEDDLE_FFTW)
template <class T>
std::unique_ptr<complex_plan<T>> make_complex_plan(std::size_t n, bool inverse);

std::size_t largest_factor(std::size_t n) {
  std::size_t largest = 1;
  for (std::size_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) {
      largest = p;
      n /= p;
    }
  }
  return std::max(largest, n);
}

/// The next product of twos, threes and fives.
std::size_t smooth_from(std::size_t n) {
  for (;; ++n) {
    std::size_t rest = n;
    for (const std::size_t p : {2, 3, 5}) {
      while (rest % p == 0) rest /= p;
    }
    if (rest == 1) return n;
  }
}

/// A transform of any length n as a convolution of a length that has small factors only (Bluestein 1970):
/// jk = (j² + k² − (k − j)²)/2. In double, whatever the elements.
template <class T>
class convolution_plan : public complex_plan<T> {
 public:
  convolution_plan(std::size_t n, bool inverse)
      : n_(n),
        size_(size_for(n)),
        scale_(inverse ? 1 / static_cast<double>(n) : 1),
        plan_(make_complex_plan<double>(size_, false)),
        chirp_(n),
        kernel_(size_),
        x_(size_),
        y_(size_) {
    for (std::size_t k = 0; k < n; ++k) {
      // k² modulo 2n in 128 bits: the chirp is exp(∓πi·k²/n).
      const auto square = static_cast<std::size_t>(static_cast<unsigned __int128>(k) * k % (2 * n));
      const std::complex<double> root = root_of_unity(square, 2 * n);
      chirp_[k] = inverse ? root : std::conj(root);
      x_[k] = std::conj(chirp_[k]);
      if (k > 0) x_[size_ - k] = x_[k];
    }
    plan_->run(x_.data(), kernel_.data(), 1);
    for (std::complex<double>& value : kernel_) value /= static_cast<double>(size_);
  }
  void run(const std::complex<T>* x, std::complex<T>* out, int threads) override {
    const auto for_elements = [threads](std::size_t count, const auto& f) {
      for_slices(threads, count, line_grain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) f(k);
      });
    };
    for_elements(size_, [&](std::size_t k) { x_[k] = k < n_ ? std::complex<double>(x[k]) * chirp_[k] : 0; });
    plan_->run(x_.data(), y_.data(), threads);
    // The inverse is the transform of the conjugates, conjugated.
    for_elements(size_, [&](std::size_t k) { x_[k] = std::conj(y_[k] * kernel_[k]); });
    plan_->run(x_.data(), y_.data(), threads);
    for_elements(n_, [&](std::size_t k) { out[k] = std::complex<T>(std::conj(y_[k]) * chirp_[k] * scale_); });
  }
  std::size_t bytes() const override {
    return (n_ + 3 * size_) * sizeof(std::complex<double>) + plan_->bytes();
  }

 private:
  /// The length of the convolution, where there is memory for it.
  static std::size_t size_for(std::size_t n) {
    const std::size_t size = smooth_from(2 * n - 1);
    require_memory((n + 3 * size) * sizeof(std::complex<double>));
    return size;
  }

  std::size_t n_, size_;
  double scale_;
  std::unique_ptr<complex_plan<double>> plan_;
  std::vector<std::complex<double>> chirp_, kernel_, x_, y_;
};

/// The largest divisor of n that is not above its root.
std::size_t rows_of_line(std::size_t n) {
  auto rows = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (n % rows != 0) --rows;
  return rows;
}

/// A long line as a matrix of rows · columns elements: transforms of its columns, factors, transforms of its
/// rows, which go to columns of the result (Bailey 1990). Each step runs through memory once, and on several
/// threads.
template <class T>
class matrix_plan : public complex_plan<T> {
 public:
  using complex = std::complex<T>;

  matrix_plan(std::size_t n, std::size_t rows, bool inverse);
  void run(const complex* x, complex* out, int threads) override;
  std::size_t bytes() const override {
    return (rows_ * columns_ + rows_ * side) * sizeof(complex) +
           (rows_ + columns_) * sizeof(std::complex<double>);
  }

 private:
  /// Lines that are taken together, so that whole lines of the cache are read and written.
  static constexpr std::size_t side = 128 / sizeof(complex);
  static_assert(long_line >= side * side, "a matrix has at least as many columns as are taken together");
  /// Between lines in a thread's memory, which else would meet in one set of the cache.
  static constexpr std::size_t gap = 64 / sizeof(complex);

  /// exp(∓2πi·(coarse·columns + fine)/n).
  std::complex<double> root(std::size_t coarse, std::size_t fine) const {
    const std::complex<double> r = coarse_[coarse] * fine_[fine];
    return inverse_ ? r : std::conj(r);
  }
  /// f(0) … f(width − 1); most panels have all lines, whose loop is unrolled.
  template <class F>
  static void for_width(std::size_t width, const F& f) {
    if (width == side) {
      for (std::size_t c = 0; c < side; ++c) f(c);
    } else {
      for (std::size_t c = 0; c < width; ++c) f(c);
    }
  }
  void transform_columns(const complex* x, complex* work, int threads) const;
  void transform_rows(const complex* work, complex* out, int threads) const;

  std::size_t rows_, columns_;
  bool inverse_;
  std::vector<std::complex<double>> coarse_, fine_;  ///< roots of multiples of columns, and of what is below
  std::vector<complex> side_factors_;                ///< of element (k, c), c < side: the root of k·c
  memory work_;
};

template <class T>
matrix_plan<T>::matrix_plan(std::size_t n, std::size_t rows, bool inverse)
    : rows_(rows),
      columns_(n / rows),
      inverse_(inverse),
      coarse_(rows),
      fine_(columns_),
      side_factors_(rows * side),
      work_(n * sizeof(complex), target()) {
  for (std::size_t k = 0; k < rows; ++k) coarse_[k] = root_of_unity(k * columns_, n);
  for (std::size_t k = 0; k < columns_; ++k) fine_[k] = root_of_unity(k, n);
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < side; ++c)
      side_factors_[k * side + c] = complex(root(k * c / columns_, k * c % columns_));
  }
}

template <class T>
void matrix_plan<T>::run(const complex* x, complex* out, int threads) {
  complex* const work = static_cast<complex*>(work_.data());
  transform_columns(x, work, threads);
  transform_rows(work, out, threads);
}

template <class T>
void matrix_plan<T>::transform_columns(const complex* x, complex* work, int threads) const {
  const std::size_t stride = rows_ + gap;
  for_slices(threads, (columns_ + side - 1) / side, 1, [&](std::size_t first, std::size_t last) {
    const pooled_plan<T> plan(rows_, inverse_ ? fft_kind::inverse : fft_kind::forward);
    std::vector<complex> in(side * stride), out(side * stride);
    for (std::size_t panel = first; panel < last; ++panel) {
      const std::size_t column = panel * side, width = std::min(side, columns_ - column);
      for (std::size_t k = 0; k < rows_; ++k) {
        for_width(width, [&](std::size_t c) { in[c * stride + k] = x[k * columns_ + column + c]; });
      }
      for (std::size_t c = 0; c < width; ++c) (*plan).run(in.data() + c * stride, out.data() + c * stride, 1);
      // k·column = coarse·columns_ + fine
      std::size_t coarse = 0, fine = 0;
      for (std::size_t k = 0; k < rows_; ++k) {
        const complex of_panel(root(coarse, fine));
        const complex* const factors = side_factors_.data() + k * side;
        complex* const to = work + k * columns_ + column;
        for_width(width, [&](std::size_t c) { to[c] = out[c * stride + k] * (of_panel * factors[c]); });
        fine += column;
        if (fine >= columns_) {
          fine -= columns_;
          ++coarse;
        }
      }
    }
  });
}

template <class T>
void matrix_plan<T>::transform_rows(const complex* work, complex* to, int threads) const {
  const std::size_t stride = columns_ + gap;
  for_slices(threads, (rows_ + side - 1) / side, 1, [&](std::size_t first, std::size_t last) {
    const pooled_plan<T> plan(columns_, inverse_ ? fft_kind::inverse : fft_kind::forward);
    std::vector<complex> out(side * stride);
    for (std::size_t panel = first; panel < last; ++panel) {
      const std::size_t row = panel * side, width = std::min(side, rows_ - row);
      for (std::size_t c = 0; c < width; ++c)
        (*plan).run(work + (row + c) * columns_, out.data() + c * stride, 1);
      for (std::size_t k = 0; k < columns_; ++k) {
        for_width(width, [&](std::size_t c) { to[k * rows_ + row + c] = out[c * stride + k]; });
      }
    }
  });
}
#endif

template <class T>
std::unique_ptr<complex_plan<T>> make_complex_plan(std::size_t n, bool inverse) {
#if !defined(HEDDLE_FFTW)
  // KissFFT takes n times its largest factor.
  constexpr std::size_t most_factor = 64;
  if (largest_factor(n) > most_factor) return std::make_unique<convolution_plan<T>>(n, inverse);
  if (n >= long_line) return std::make_unique<matrix_plan<T>>(n, rows_of_line(n), inverse);
#endif
  return std::make_unique<library_plan<T>>(n, inverse);
}

}  // namespace

template <class T>
line_plan<T>::line_plan(std::size_t n, fft_kind kind) : n_(n) {
  const bool real = kind == fft_kind::real_forward || kind == fft_kind::real_inverse;
  halved_ = real && n % 2 == 0;
  const std::size_t length = halved_ ? n / 2 : n;
  plan_ = make_complex_plan<T>(length, kind == fft_kind::inverse);
  if (!real) return;
  require_memory(2 * length * sizeof(complex));
  in_.resize(length);
  out_.resize(length);
  if (halved_) {
    roots_.resize(length / 2 + 1);
    for (std::size_t k = 0; k < roots_.size(); ++k) roots_[k] = complex(std::conj(root_of_unity(k, n)));
  }
}

template <class T>
line_plan<T>::~line_plan() = default;

template <class T>
std::size_t line_plan<T>::bytes() const {
  return plan_->bytes() + (in_.size() + out_.size() + roots_.size()) * sizeof(complex);
}

template <class T>
void line_plan<T>::run(const complex* x, complex* out, int threads) {
  plan_->run(x, out, threads);
}

/// Where n is even, those at even indices and those at odd ones are the real and the imaginary parts of a
/// transform of half the length.
template <class T>
void line_plan<T>::run(const T* x, complex* out, int threads) {
  if (!halved_) {
    for (std::size_t k = 0; k < n_; ++k) in_[k] = x[k];
    plan_->run(in_.data(), out_.data(), threads);
    std::copy_n(out_.begin(), n_ / 2 + 1, out);
    out[0] = out[0].real();
    return;
  }
  const std::size_t half = n_ / 2;
  for_slices(threads, half, line_grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) in_[k] = {x[2 * k], x[2 * k + 1]};
  });
  plan_->run(in_.data(), out_.data(), threads);
  out[0] = out_[0].real() + out_[0].imag();
  out[half] = out_[0].real() - out_[0].imag();
  for_slices(threads, half / 2, line_grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first + 1; k <= last; ++k) {
      const complex a = out_[k], b = std::conj(out_[half - k]);
      const complex even = (a + b) * T(0.5), d = (a - b) * T(0.5);
      const complex odd = complex(d.imag(), -d.real()) * roots_[k];
      out[k] = even + odd;
      out[half - k] = std::conj(even - odd);
    }
  });
}

template <class T>
void line_plan<T>::run(const complex* x, T* out, int threads) {
  const T scale = T(1) / static_cast<T>(n_);
  // The inverse transform is the transform of the conjugates, conjugated.
  if (!halved_) {
    in_[0] = x[0].real();
    for (std::size_t k = 1; k <= n_ / 2; ++k) {
      in_[k] = std::conj(x[k]);
      in_[n_ - k] = x[k];
    }
    plan_->run(in_.data(), out_.data(), threads);
    for (std::size_t k = 0; k < n_; ++k) out[k] = out_[k].real() * scale;
    return;
  }
  const std::size_t half = n_ / 2;
  in_[0] = {x[0].real() + x[half].real(), -(x[0].real() - x[half].real())};
  for_slices(threads, half / 2, line_grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first + 1; k <= last; ++k) {
      const complex a = x[k], b = std::conj(x[half - k]);
      const complex even = a + b, odd = (a - b) * std::conj(roots_[k]);
      const complex turned(-odd.imag(), odd.real());
      in_[k] = std::conj(even + turned);
      in_[half - k] = even - turned;
    }
  });
  plan_->run(in_.data(), out_.data(), threads);
  for_slices(threads, half, line_grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      out[2 * k] = out_[k].real() * scale;
      out[2 * k + 1] = -out_[k].imag() * scale;
    }
  });
}

template class line_plan<float>;
template class line_plan<double>;

namespace {

std::atomic<std::size_t> most_kept_bytes{std::size_t{1} << 28};

/// Plans of one precision that nobody uses just now.
template <class T>
class idle_plans {
 public:
  static typename fork_aware<idle_plans>::access all() {
    constinit static fork_aware<idle_plans> only;
    return only.lock();
  }

  /// One of them, or none.
  std::unique_ptr<line_plan<T>> take(std::size_t n, fft_kind kind) {
    const auto found = plans_.find({n, kind});
    if (found == plans_.end() || found->second.empty()) return nullptr;
    std::unique_ptr<line_plan<T>> plan = std::move(found->second.back());
    found->second.pop_back();
    bytes_ -= plan->bytes();
    return plan;
  }

  void put(std::size_t n, fft_kind kind, std::unique_ptr<line_plan<T>> plan) {
    const std::size_t bytes = plan->bytes(), most_bytes = most_kept_bytes;
    if (bytes > most_bytes) return;
    drop_beyond(most_bytes - bytes);
    try {
      plans_[{n, kind}].push_back(std::move(plan));
      bytes_ += bytes;
    } catch (const std::bad_alloc&) {
      // Without room to keep it, a plan is made anew the next time.
    }
  }

  /// Drops all where they are more.
  void keep_within(std::size_t bytes) { drop_beyond(bytes); }

 private:
  void drop_beyond(std::size_t bytes) {
    if (bytes_ <= bytes) return;
    plans_.clear();
    bytes_ = 0;
  }

  std::map<std::pair<std::size_t, fft_kind>, std::vector<std::unique_ptr<line_plan<T>>>> plans_;
  std::size_t bytes_ = 0;
};

}  // namespace

template <class T>
pooled_plan<T>::pooled_plan(std::size_t n, fft_kind kind)
    : n_(n), kind_(kind), plan_(idle_plans<T>::all()->take(n, kind)) {
  if (!plan_) plan_ = std::make_unique<line_plan<T>>(n, kind);
}

template <class T>
pooled_plan<T>::~pooled_plan() {
  idle_plans<T>::all()->put(n_, kind_, std::move(plan_));
}

template class pooled_plan<float>;
template class pooled_plan<double>;

std::size_t keep_fft_plans_within(std::size_t bytes) {
  const std::size_t before = most_kept_bytes.exchange(bytes);
  idle_plans<float>::all()->keep_within(bytes);
  idle_plans<double>::all()->keep_within(bytes);
  return before;
}

}  // namespace heddle::cpu
