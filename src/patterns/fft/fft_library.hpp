#pragma once

#include <complex>
#include <cstddef>

#if defined(HEDDLE_FFTW)
#include <mutex>
#include <vector>

#include <fftw3.h>
#include <pthread.h>
#else
#include <kissfft/kissfft.hh>
#endif

/// The library that transforms on a CPU.
namespace heddle::cpu {

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

/// FFTW's planner serves one thread at a time. A fork waits for the planner, so that a child finds it whole.
inline constinit std::mutex fftw_planner;
[[maybe_unused]] inline const int fftw_planner_is_registered =
    pthread_atfork([] { fftw_planner.lock(); }, [] { fftw_planner.unlock(); }, [] { fftw_planner.unlock(); });

/// The library's transform, which is not scaled.
template <class T>
class library_transform {
 public:
  library_transform(std::size_t n, bool inverse) {
    std::vector<std::complex<T>> x(n), out(n);
    const std::lock_guard lock(fftw_planner);
    plan_ = fftw<T>::make(n, raw(x.data()), raw(out.data()), inverse ? FFTW_BACKWARD : FFTW_FORWARD);
  }
  ~library_transform() {
    const std::lock_guard lock(fftw_planner);
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

}  // namespace heddle::cpu
