#include "cpu/fft.hpp"

#include <heddle/cpu/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numbers>
#include <utility>
#include <vector>

#if defined(HEDDLE_FFTW)
#include <fftw3.h>
#else
#include <kissfft/kissfft.hh>
#endif

namespace heddle::cpu {
namespace {

using detail::fft_kind, detail::fft_task;

/// exp(2πi·k/n); whole turns are taken off before anything is rounded.
std::complex<double> root_of_unity(std::size_t k, std::size_t n) {
  const double angle = 2 * std::numbers::pi * (static_cast<double>(k % n) / static_cast<double>(n));
  return {std::cos(angle), std::sin(angle)};
}

/// A transform of n complex elements side by side, the inverse divided by n, on up to `threads` threads where
/// it is long. One thread at a time calls it.
template <class T>
class complex_plan {
 public:
  virtual ~complex_plan() = default;
  virtual void run(const std::complex<T>* x, std::complex<T>* out, int threads) = 0;
  /// What it holds.
  virtual std::size_t bytes() const = 0;
};

/// From this length on a line is taken as a matrix, whose parts are shared out; FFTW knows better on one
/// thread.
#if defined(HEDDLE_FFTW)
constexpr std::size_t long_line = std::numeric_limits<std::size_t>::max();
#else
constexpr std::size_t long_line = std::size_t{1} << 18;
#endif

/// Elements of a line that are worth a thread.
constexpr std::size_t line_grain = std::size_t{1} << 14;

#if defined(HEDDLE_FFTW)
template <class T>
struct fftw;
template <>
struct fftw<float> {
  using complex = fftwf_complex;
  using plan = fftwf_plan;
  static plan make(std::size_t n, complex* x, complex* out, int sign) {
    const fftwf_iodim64 line{static_cast<std::ptrdiff_t>(n), 1, 1};
    return fftwf_plan_guru64_dft(1, &line, 0, nullptr, x, out, sign, FFTW_ESTIMATE | FFTW_UNALIGNED);
  }
  static void run(plan p, complex* x, complex* out) { fftwf_execute_dft(p, x, out); }
  static void destroy(plan p) { fftwf_destroy_plan(p); }
};
template <>
struct fftw<double> {
  using complex = fftw_complex;
  using plan = fftw_plan;
  static plan make(std::size_t n, complex* x, complex* out, int sign) {
    const fftw_iodim64 line{static_cast<std::ptrdiff_t>(n), 1, 1};
    return fftw_plan_guru64_dft(1, &line, 0, nullptr, x, out, sign, FFTW_ESTIMATE | FFTW_UNALIGNED);
  }
  static void run(plan p, complex* x, complex* out) { fftw_execute_dft(p, x, out); }
  static void destroy(plan p) { fftw_destroy_plan(p); }
};

/// FFTW's planner serves one thread at a time.
std::mutex& fftw_planner() {
  static std::mutex only;
  return only;
}

/// The library's transform, which is not scaled.
template <class T>
class library_transform {
 public:
  library_transform(std::size_t n, bool inverse) {
    std::vector<std::complex<T>> x(n), out(n);
    const std::lock_guard lock(fftw_planner());
    plan_ = fftw<T>::make(n, raw(x.data()), raw(out.data()), inverse ? FFTW_BACKWARD : FFTW_FORWARD);
  }
  ~library_transform() {
    const std::lock_guard lock(fftw_planner());
    fftw<T>::destroy(plan_);
  }
  library_transform(const library_transform&) = delete;
  library_transform& operator=(const library_transform&) = delete;
  void run(const std::complex<T>* x, std::complex<T>* out) {
    fftw<T>::run(plan_, raw(const_cast<std::complex<T>*>(x)), raw(out));
  }

 private:
  static typename fftw<T>::complex* raw(std::complex<T>* x) {
    return reinterpret_cast<typename fftw<T>::complex*>(x);
  }
  typename fftw<T>::plan plan_;
};
#else
/// The library's transform, which is not scaled.
template <class T>
class library_transform {
 public:
  library_transform(std::size_t n, bool inverse) : plan_(n, inverse) {}
  void run(const std::complex<T>* x, std::complex<T>* out) { plan_.transform(x, out); }

 private:
  kissfft<T> plan_;
};
#endif

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
        size_(smooth_from(2 * n - 1)),
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
/// threads. Defined below, over plans of shorter lines.
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
  /// Between lines in a thread's memory, which else would meet in one set of the cache.
  static constexpr std::size_t gap = 64 / sizeof(complex);

  /// exp(∓2πi·(coarse·columns + fine)/n).
  std::complex<double> root(std::size_t coarse, std::size_t fine) const {
    const std::complex<double> r = coarse_[coarse] * fine_[fine];
    return inverse_ ? r : std::conj(r);
  }
  /// f(0) … f(width − 1); most strips have all lines, whose loop is unrolled.
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
  detail::memory work_;
};
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

/// A transform of one line of a task.
template <class T>
class line_plan {
 public:
  using complex = std::complex<T>;

  line_plan(std::size_t n, fft_kind kind) : n_(n) {
    const bool real = kind == fft_kind::real_forward || kind == fft_kind::real_inverse;
    halved_ = real && n % 2 == 0;
    const std::size_t length = halved_ ? n / 2 : n;
    plan_ = make_complex_plan<T>(length, kind == fft_kind::inverse);
    if (!real) return;
    in_.resize(length);
    out_.resize(length);
    if (halved_) {
      roots_.resize(length / 2 + 1);
      for (std::size_t k = 0; k < roots_.size(); ++k) roots_[k] = complex(std::conj(root_of_unity(k, n)));
    }
  }

  std::size_t bytes() const {
    return plan_->bytes() + (in_.size() + out_.size() + roots_.size()) * sizeof(complex);
  }

  void run(const complex* x, complex* out, int threads) { plan_->run(x, out, threads); }

  /// n real elements to n/2 + 1 complex ones. Where n is even, those at even places and those at odd ones are
  /// the real and the imaginary parts of a transform of half the length.
  void run(const T* x, complex* out, int threads) {
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

  /// The reverse. What the imaginary parts of elements 0 and n/2 hold does not count.
  void run(const complex* x, T* out, int threads) {
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

 private:
  std::size_t n_;
  bool halved_ = false;
  std::unique_ptr<complex_plan<T>> plan_;
  std::vector<complex> in_, out_, roots_;
};

std::atomic<std::size_t> most_kept_bytes{std::size_t{1} << 28};

/// Plans that nobody uses just now, kept for later: as many as threads have used at once, and of all lengths
/// together so many bytes at most.
template <class T>
class lent_plan {
 public:
  lent_plan(std::size_t n, fft_kind kind) : key_(n, kind) {
    {
      const std::lock_guard lock(kept().mutex);
      auto& idle = kept().idle[key_];
      if (!idle.empty()) {
        plan_ = std::move(idle.back());
        idle.pop_back();
        kept().bytes -= plan_->bytes();
      }
    }
    if (!plan_) plan_ = std::make_unique<line_plan<T>>(n, kind);
  }
  ~lent_plan() {
    const std::size_t bytes = plan_->bytes(), most_bytes = most_kept_bytes;
    if (bytes > most_bytes) return;
    const std::lock_guard lock(kept().mutex);
    if (kept().bytes + bytes > most_bytes) {
      kept().idle.clear();
      kept().bytes = 0;
    }
    try {
      kept().idle[key_].push_back(std::move(plan_));
      kept().bytes += bytes;
    } catch (const std::bad_alloc&) {
      // Without room to keep it, a plan is made anew the next time.
    }
  }
  lent_plan(const lent_plan&) = delete;
  lent_plan& operator=(const lent_plan&) = delete;

  line_plan<T>& operator*() const { return *plan_; }

 private:
  using key = std::pair<std::size_t, fft_kind>;
  struct plans {
    std::mutex mutex;
    std::map<key, std::vector<std::unique_ptr<line_plan<T>>>> idle;
    std::size_t bytes = 0;
  };
  static plans& kept() {
    static auto& only = *new plans;
    return only;
  }

  key key_;
  std::unique_ptr<line_plan<T>> plan_;
};

#if !defined(HEDDLE_FFTW)
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
    const lent_plan<T> plan(rows_, inverse_ ? fft_kind::inverse : fft_kind::forward);
    std::vector<complex> in(side * stride), out(side * stride);
    for (std::size_t strip = first; strip < last; ++strip) {
      const std::size_t column = strip * side, width = std::min(side, columns_ - column);
      for (std::size_t k = 0; k < rows_; ++k) {
        for_width(width, [&](std::size_t c) { in[c * stride + k] = x[k * columns_ + column + c]; });
      }
      for (std::size_t c = 0; c < width; ++c) (*plan).run(in.data() + c * stride, out.data() + c * stride, 1);
      // k·column = coarse·columns_ + fine
      std::size_t coarse = 0, fine = 0;
      for (std::size_t k = 0; k < rows_; ++k) {
        const complex of_strip(root(coarse, fine));
        const complex* const factors = side_factors_.data() + k * side;
        complex* const to = work + k * columns_ + column;
        for_width(width, [&](std::size_t c) { to[c] = out[c * stride + k] * (of_strip * factors[c]); });
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
    const lent_plan<T> plan(columns_, inverse_ ? fft_kind::inverse : fft_kind::forward);
    std::vector<complex> out(side * stride);
    for (std::size_t strip = first; strip < last; ++strip) {
      const std::size_t row = strip * side, width = std::min(side, rows_ - row);
      for (std::size_t c = 0; c < width; ++c)
        (*plan).run(work + (row + c) * columns_, out.data() + c * stride, 1);
      for (std::size_t k = 0; k < columns_; ++k) {
        for_width(width, [&](std::size_t c) { to[k * rows_ + row + c] = out[c * stride + k]; });
      }
    }
  });
}
#endif

/// Transforms all lines of x along an axis, `length_in` elements each, to lines of `length_out`. Neighbouring
/// columns are taken together, as many as a line of the cache holds.
template <class T, class In, class Out>
void transform_lines(int threads, std::size_t n, fft_kind kind, const In* x, std::size_t outer,
                     std::size_t inner, std::size_t length_in, std::size_t length_out, Out* out) {
  const std::size_t columns =
      inner == 1 ? 1 : std::min<std::size_t>(inner, std::max<std::size_t>(1, 64 / sizeof(Out)));
  const std::size_t strips = (inner + columns - 1) / columns,
                    work = columns * std::max(length_in, length_out);
  // Lines are shared out, or of a few long ones each is.
  const bool real = kind == fft_kind::real_forward || kind == fft_kind::real_inverse;
  const bool share_lines =
      n / (real ? 2 : 1) < long_line || outer * strips >= static_cast<std::size_t>(threads);
  const int each = share_lines ? 1 : threads;
  for_slices(share_lines ? threads : 1, outer * strips, (std::size_t{1} << 12) / work + 1,
             [&](std::size_t first, std::size_t last) {
               const lent_plan<T> plan(n, kind);
               std::vector<In> line_in(inner == 1 ? 0 : columns * length_in);
               std::vector<Out> line_out(
                   inner == 1 && static_cast<const void*>(x) != out ? 0 : columns * length_out);
               for (std::size_t strip = first; strip < last; ++strip) {
                 const std::size_t row = strip / strips, column = strip % strips * columns;
                 const In* const from = x + row * length_in * inner + column;
                 Out* const to = out + row * length_out * inner + column;
                 if (inner == 1) {
                   if (line_out.empty()) {
                     (*plan).run(from, to, each);
                   } else {
                     (*plan).run(from, line_out.data(), each);
                     std::copy(line_out.begin(), line_out.end(), to);
                   }
                   continue;
                 }
                 const std::size_t width = std::min(columns, inner - column);
                 for (std::size_t k = 0; k < length_in; ++k) {
                   for (std::size_t c = 0; c < width; ++c) line_in[c * length_in + k] = from[k * inner + c];
                 }
                 for (std::size_t c = 0; c < width; ++c)
                   (*plan).run(line_in.data() + c * length_in, line_out.data() + c * length_out, each);
                 for (std::size_t k = 0; k < length_out; ++k) {
                   for (std::size_t c = 0; c < width; ++c) to[k * inner + c] = line_out[c * length_out + k];
                 }
               }
             });
}

template <class T>
void fft_of(int threads, const fft_task& task, const void* x, void* out) {
  using complex = std::complex<T>;
  const auto along_axis = [&]<class In, class Out>(std::size_t axis, const shape& lengths, std::size_t n,
                                                   fft_kind kind, const In* from, std::size_t length_out,
                                                   Out* to) {
    const segments all = along(lengths, axis);
    transform_lines<T>(threads, n, kind, from, all.outer, all.inner, all.length, length_out, to);
  };
  // The complex transforms of all axes but so many from the back, in place.
  const auto others = [&](std::size_t skipped, const shape& lengths, fft_kind kind, complex* data) {
    for (std::size_t i = task.axes.size() - skipped; i-- > 0;) {
      const std::size_t axis = task.axes[i];
      along_axis(axis, lengths, lengths[axis], kind, data, lengths[axis], data);
    }
  };
  const std::size_t last = task.axes.back(), n = task.lengths[last];
  complex* const result = static_cast<complex*>(out);
  switch (task.kind) {
    case fft_kind::forward:
    case fft_kind::inverse:
      if (task.from_real) {
        const T* const reals = static_cast<const T*>(x);
        for_slices(threads, task.lengths.elements(), std::size_t{1} << 14,
                   [&](std::size_t first, std::size_t end) {
                     std::copy(reals + first, reals + end, result + first);
                   });
        return others(0, task.lengths, task.kind, result);
      }
      along_axis(last, task.lengths, n, task.kind, static_cast<const complex*>(x), n, result);
      return others(1, task.lengths, task.kind, result);
    case fft_kind::real_forward:
      along_axis(last, task.lengths, n, task.kind, static_cast<const T*>(x), n / 2 + 1, result);
      return others(1, task.result(), fft_kind::forward, result);
    case fft_kind::real_inverse:
      break;
  }
  const complex* spectrum = static_cast<const complex*>(x);
  detail::memory held;
  if (task.axes.size() > 1) {
    held = detail::memory(task.lengths.elements() * sizeof(complex), target());
    std::memcpy(held.data(), x, held.bytes());
    others(1, task.lengths, fft_kind::inverse, static_cast<complex*>(held.data()));
    spectrum = static_cast<const complex*>(held.data());
  }
  along_axis(last, task.lengths, task.real_length, task.kind, spectrum, task.real_length,
             static_cast<T*>(out));
}

}  // namespace

void fft(int threads, const fft_task& task, const void* x, void* out) {
  if (task.is_double) return fft_of<double>(threads, task, x, out);
  fft_of<float>(threads, task, x, out);
}

std::size_t keep_fft_plans_within(std::size_t bytes) {
  return most_kept_bytes.exchange(bytes);
}

}  // namespace heddle::cpu
