#include "cpu/fft.hpp"

#include <heddle/cpu/threads.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
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

/// A transform of n complex elements side by side, forward. One thread at a time uses a plan.
template <class T>
class complex_plan {
 public:
  virtual ~complex_plan() = default;
  virtual void run(const std::complex<T>* x, std::complex<T>* out) = 0;
};

#if defined(HEDDLE_FFTW)
template <class T>
struct fftw;
template <>
struct fftw<float> {
  using complex = fftwf_complex;
  using plan = fftwf_plan;
  static plan make(std::size_t n, complex* x, complex* out) {
    const fftwf_iodim64 line{static_cast<std::ptrdiff_t>(n), 1, 1};
    return fftwf_plan_guru64_dft(1, &line, 0, nullptr, x, out, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
  }
  static void run(plan p, complex* x, complex* out) { fftwf_execute_dft(p, x, out); }
  static void destroy(plan p) { fftwf_destroy_plan(p); }
};
template <>
struct fftw<double> {
  using complex = fftw_complex;
  using plan = fftw_plan;
  static plan make(std::size_t n, complex* x, complex* out) {
    const fftw_iodim64 line{static_cast<std::ptrdiff_t>(n), 1, 1};
    return fftw_plan_guru64_dft(1, &line, 0, nullptr, x, out, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
  }
  static void run(plan p, complex* x, complex* out) { fftw_execute_dft(p, x, out); }
  static void destroy(plan p) { fftw_destroy_plan(p); }
};

/// FFTW's planner serves one thread at a time.
std::mutex& fftw_planner() {
  static std::mutex only;
  return only;
}

template <class T>
class library_plan : public complex_plan<T> {
 public:
  explicit library_plan(std::size_t n) {
    std::vector<std::complex<T>> x(n), out(n);
    const std::lock_guard lock(fftw_planner());
    plan_ = fftw<T>::make(n, raw(x.data()), raw(out.data()));
  }
  ~library_plan() override {
    const std::lock_guard lock(fftw_planner());
    fftw<T>::destroy(plan_);
  }
  void run(const std::complex<T>* x, std::complex<T>* out) override {
    fftw<T>::run(plan_, raw(const_cast<std::complex<T>*>(x)), raw(out));
  }

 private:
  static typename fftw<T>::complex* raw(std::complex<T>* x) {
    return reinterpret_cast<typename fftw<T>::complex*>(x);
  }
  typename fftw<T>::plan plan_;
};
#else
template <class T>
class library_plan : public complex_plan<T> {
 public:
  explicit library_plan(std::size_t n) : plan_(n, false) {}
  void run(const std::complex<T>* x, std::complex<T>* out) override { plan_.transform(x, out); }

 private:
  kissfft<T> plan_;
};

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
  explicit convolution_plan(std::size_t n)
      : n_(n), size_(smooth_from(2 * n - 1)), plan_(size_), chirp_(n), kernel_(size_), x_(size_), y_(size_) {
    for (std::size_t k = 0; k < n; ++k) {
      // k² modulo 2n in 128 bits: the chirp is exp(−πi·k²/n).
      const auto square = static_cast<std::size_t>(static_cast<unsigned __int128>(k) * k % (2 * n));
      chirp_[k] = std::conj(root_of_unity(square, 2 * n));
      x_[k] = std::conj(chirp_[k]);
      if (k > 0) x_[size_ - k] = x_[k];
    }
    plan_.run(x_.data(), kernel_.data());
    for (std::complex<double>& value : kernel_) value /= static_cast<double>(size_);
  }
  void run(const std::complex<T>* x, std::complex<T>* out) override {
    for (std::size_t k = 0; k < n_; ++k) x_[k] = std::complex<double>(x[k]) * chirp_[k];
    std::fill(x_.begin() + static_cast<std::ptrdiff_t>(n_), x_.end(), 0);
    plan_.run(x_.data(), y_.data());
    // The inverse is the transform of the conjugates, conjugated.
    for (std::size_t k = 0; k < size_; ++k) x_[k] = std::conj(y_[k] * kernel_[k]);
    plan_.run(x_.data(), y_.data());
    for (std::size_t k = 0; k < n_; ++k) out[k] = std::complex<T>(std::conj(y_[k]) * chirp_[k]);
  }

 private:
  std::size_t n_, size_;
  library_plan<double> plan_;
  std::vector<std::complex<double>> chirp_, kernel_, x_, y_;
};
#endif

template <class T>
std::unique_ptr<complex_plan<T>> make_complex_plan(std::size_t n) {
#if !defined(HEDDLE_FFTW)
  // KissFFT takes n times its largest factor.
  constexpr std::size_t most_factor = 64;
  if (largest_factor(n) > most_factor) return std::make_unique<convolution_plan<T>>(n);
#endif
  return std::make_unique<library_plan<T>>(n);
}

/// A transform of one line of a task.
template <class T>
class line_plan {
 public:
  using complex = std::complex<T>;

  line_plan(std::size_t n, fft_kind kind) : n_(n), kind_(kind) {
    const bool real = kind == fft_kind::real_forward || kind == fft_kind::real_inverse;
    halved_ = real && n % 2 == 0;
    const std::size_t length = halved_ ? n / 2 : n;
    plan_ = make_complex_plan<T>(length);
    if (kind != fft_kind::forward) in_.resize(length);
    if (real) out_.resize(length);
    if (halved_) {
      roots_.resize(length / 2 + 1);
      for (std::size_t k = 0; k < roots_.size(); ++k) roots_[k] = complex(std::conj(root_of_unity(k, n)));
    }
  }

  std::size_t bytes() const { return 6 * n_ * sizeof(complex); }

  void run(const complex* x, complex* out) {
    if (kind_ == fft_kind::forward) return plan_->run(x, out);
    const T scale = T(1) / static_cast<T>(n_);
    for (std::size_t k = 0; k < n_; ++k) in_[k] = std::conj(x[k]);
    plan_->run(in_.data(), out);
    for (std::size_t k = 0; k < n_; ++k) out[k] = std::conj(out[k]) * scale;
  }

  /// n real elements to n/2 + 1 complex ones. Where n is even, those at even places and those at odd ones are
  /// the real and the imaginary parts of a transform of half the length.
  void run(const T* x, complex* out) {
    if (!halved_) {
      for (std::size_t k = 0; k < n_; ++k) in_[k] = x[k];
      plan_->run(in_.data(), out_.data());
      std::copy_n(out_.begin(), n_ / 2 + 1, out);
      out[0] = out[0].real();
      return;
    }
    const std::size_t half = n_ / 2;
    for (std::size_t k = 0; k < half; ++k) in_[k] = {x[2 * k], x[2 * k + 1]};
    plan_->run(in_.data(), out_.data());
    out[0] = out_[0].real() + out_[0].imag();
    out[half] = out_[0].real() - out_[0].imag();
    for (std::size_t k = 1; 2 * k <= half; ++k) {
      const complex a = out_[k], b = std::conj(out_[half - k]);
      const complex even = (a + b) * T(0.5), d = (a - b) * T(0.5);
      const complex odd = complex(d.imag(), -d.real()) * roots_[k];
      out[k] = even + odd;
      out[half - k] = std::conj(even - odd);
    }
  }

  /// The reverse. What the imaginary parts of elements 0 and n/2 hold does not count.
  void run(const complex* x, T* out) {
    const T scale = T(1) / static_cast<T>(n_);
    // The inverse transform is the transform of the conjugates, conjugated.
    if (!halved_) {
      in_[0] = x[0].real();
      for (std::size_t k = 1; k <= n_ / 2; ++k) {
        in_[k] = std::conj(x[k]);
        in_[n_ - k] = x[k];
      }
      plan_->run(in_.data(), out_.data());
      for (std::size_t k = 0; k < n_; ++k) out[k] = out_[k].real() * scale;
      return;
    }
    const std::size_t half = n_ / 2;
    in_[0] = {x[0].real() + x[half].real(), -(x[0].real() - x[half].real())};
    for (std::size_t k = 1; 2 * k <= half; ++k) {
      const complex a = x[k], b = std::conj(x[half - k]);
      const complex even = a + b, odd = (a - b) * std::conj(roots_[k]);
      const complex turned(-odd.imag(), odd.real());
      in_[k] = std::conj(even + turned);
      in_[half - k] = even - turned;
    }
    plan_->run(in_.data(), out_.data());
    for (std::size_t k = 0; k < half; ++k) {
      out[2 * k] = out_[k].real() * scale;
      out[2 * k + 1] = -out_[k].imag() * scale;
    }
  }

 private:
  std::size_t n_;
  fft_kind kind_;
  bool halved_ = false;
  std::unique_ptr<complex_plan<T>> plan_;
  std::vector<complex> in_, out_, roots_;
};

/// Plans that nobody uses just now, kept for later: as many as threads have used at once, and of all lengths
/// together not much more than so many bytes.
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
    constexpr std::size_t most_bytes = std::size_t{1} << 28;
    const std::lock_guard lock(kept().mutex);
    if (kept().bytes + plan_->bytes() > most_bytes) {
      kept().idle.clear();
      kept().bytes = 0;
    }
    if (plan_->bytes() > most_bytes) return;
    try {
      const std::size_t bytes = plan_->bytes();
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

/// Transforms all lines of x along an axis, `length_in` elements each, to lines of `length_out`. Neighbouring
/// columns are taken together, as many as a line of the cache holds.
template <class T, class In, class Out>
void transform_lines(int threads, std::size_t n, fft_kind kind, const In* x, std::size_t outer,
                     std::size_t inner, std::size_t length_in, std::size_t length_out, Out* out) {
  const std::size_t columns =
      inner == 1 ? 1 : std::min<std::size_t>(inner, std::max<std::size_t>(1, 64 / sizeof(Out)));
  const std::size_t strips = (inner + columns - 1) / columns,
                    work = columns * std::max(length_in, length_out);
  for_slices(
      threads, outer * strips, (std::size_t{1} << 12) / work + 1, [&](std::size_t first, std::size_t last) {
        const lent_plan<T> plan(n, kind);
        std::vector<In> line_in(inner == 1 ? 0 : columns * length_in);
        std::vector<Out> line_out(inner == 1 && static_cast<const void*>(x) != out ? 0
                                                                                   : columns * length_out);
        for (std::size_t strip = first; strip < last; ++strip) {
          const std::size_t row = strip / strips, column = strip % strips * columns;
          const In* const from = x + row * length_in * inner + column;
          Out* const to = out + row * length_out * inner + column;
          if (inner == 1) {
            if (line_out.empty()) {
              (*plan).run(from, to);
            } else {
              (*plan).run(from, line_out.data());
              std::copy(line_out.begin(), line_out.end(), to);
            }
            continue;
          }
          const std::size_t width = std::min(columns, inner - column);
          for (std::size_t k = 0; k < length_in; ++k) {
            for (std::size_t c = 0; c < width; ++c) line_in[c * length_in + k] = from[k * inner + c];
          }
          for (std::size_t c = 0; c < width; ++c)
            (*plan).run(line_in.data() + c * length_in, line_out.data() + c * length_out);
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

}  // namespace heddle::cpu
