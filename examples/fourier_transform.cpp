// A Fourier transform finds the tones in a signal, and its inverse makes the signal of the tones again.
// Change `n`: any length will do, primes too. Change the tones: a peak moves with its frequency.
// Forward is not scaled and the inverse is divided by n, as in NumPy, so there and back is where one began.
#include "on_each_target.hpp"
#include <heddle/fft.hpp>

#include <cmath>
#include <numbers>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t n = 1000;
  std::vector<std::complex<double>> signal(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / n;
    signal[i] = 3 * std::cos(5 * turn) + std::sin(60 * turn);
  }
  const hd::array<std::complex<double>> spectrum = hd::fft(where, signal);
  const std::vector<std::complex<double>> tones = spectrum.to_vector();
  for (std::size_t k = 0; k < n; ++k) {
    // A cosine is half at k and half at n - k, real; a sine is imaginary, with opposite signs.
    const double cosine = k == 5 || k == n - 5 ? 1.5 * n : 0;
    const double sine = k == 60 ? -0.5 * n : k == n - 60 ? 0.5 * n : 0;
    expect(std::abs(tones[k] - std::complex(cosine, sine)) < 1e-9, "tone " + std::to_string(k));
  }
  const std::vector<std::complex<double>> back = hd::ifft(where, spectrum).to_vector();
  for (std::size_t i = 0; i < n; ++i) expect(std::abs(back[i] - signal[i]) < 1e-12, "there and back");
  std::printf("  tones at 5 (%.1f) and 60 (%.1f) of %zu samples; there and back\n",
              std::abs(tones[5]) * 2 / n, std::abs(tones[60]) * 2 / n, n);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
