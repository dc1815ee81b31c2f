#include "checker/program/program_libraries.hpp"

#include "checker/program/program_runtime.hpp"
#include "checker/program/sparse_factors.hpp"
#include "cuda_on_cpu/device/heddle_device/half_bits.hpp"
#include <heddle/error.hpp>
#include <heddle/fft.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

using heddle_device::transform_kind, heddle_device::transform_layout, heddle_device::transform_precision,
    heddle_device::transform_request;

/// A number as it lies in memory, and the type that it is calculated in.
template <class T>
struct plain_number {
  using calculated = T;
  T value;
  T get() const { return value; }
  void set(T number) { value = number; }
};
struct half_number {
  using calculated = float;
  std::uint16_t bits;
  float get() const { return heddle_device::half_to_float(bits); }
  void set(float number) { bits = heddle_device::float_to_half(number); }
};
struct bfloat16_number {
  using calculated = float;
  std::uint16_t bits;
  float get() const { return heddle_device::bfloat16_to_float(bits); }
  void set(float number) { bits = heddle_device::float_to_bfloat16(number); }
};

/// Calls f with the place of each element, in the order in which they lie side by side.
template <class F>
void for_elements(const transform_layout& l, std::uint64_t first, std::uint64_t count, F f) {
  for (std::uint64_t t = first; t < first + count; ++t) {
    for (std::uint64_t i = 0; i < l.lengths[0]; ++i) {
      for (std::uint64_t j = 0; j < l.lengths[1]; ++j) {
        const std::uint64_t row = t * l.distance + (i * l.embedding[1] + j) * l.embedding[2] * l.stride;
        for (std::uint64_t k = 0; k < l.lengths[2]; ++k) f(row + k * l.stride);
      }
    }
  }
}

template <class Number>
class transformer {
 public:
  using T = typename Number::calculated;
  using complex = std::complex<T>;

  explicit transformer(const transform_request& what) : what_(what) {
    for (std::ptrdiff_t axis = 1; axis <= 3; ++axis) {
      if (what.lengths[axis - 1] > 1 || axis == 3) axes_.push_back(axis);
    }
  }
  void run() {
    // So many at once that memory beside the program's stays small.
    constexpr std::uint64_t elements_at_once = std::uint64_t{1} << 18;
    const std::uint64_t each = what_.lengths[0] * what_.lengths[1] * what_.lengths[2];
    const std::uint64_t at_once = std::max<std::uint64_t>(1, elements_at_once / each);
    for (std::uint64_t first = 0; first < what_.count; first += at_once)
      run(first, std::min<std::uint64_t>(at_once, what_.count - first));
  }

 private:
  void run(std::uint64_t first, std::uint64_t count) {
    const shape input = shape_of(what_.from_layout, count), output = shape_of(what_.to_layout, count);
    std::vector<complex> spectrum;
    std::vector<T> reals;
    switch (what_.kind) {
      case transform_kind::complex_to_complex: {
        std::vector<complex> x(input.elements());
        spectrum.resize(output.elements());
        load(x, first, count);
        const array_view<const complex> from(x.data(), input);
        const array_view<complex> to(spectrum.data(), output);
        if (what_.is_inverse) {
          ifft_into(target::serial(), to, from, axes_);
          scale(spectrum, axes_);
        } else {
          fft_into(target::serial(), to, from, axes_);
        }
        return store(spectrum, what_.to, what_.to_layout, first, count);
      }
      case transform_kind::real_to_complex:
        reals.resize(input.elements());
        spectrum.resize(output.elements());
        load(reals, first, count);
        rfft_into(target::serial(), array_view<complex>(spectrum.data(), output),
                  array_view<const T>(reals.data(), input), axes_);
        return store(spectrum, what_.to, what_.to_layout, first, count);
      case transform_kind::complex_to_real:
        reals.resize(output.elements());
        spectrum.resize(input.elements());
        load(spectrum, first, count);
        if (axes_.size() > 1) {
          const fft_axes others(axes_.begin(), axes_.end() - 1);
          const std::vector<complex> x = spectrum;
          ifft_into(target::serial(), array_view<complex>(spectrum.data(), input),
                    array_view<const complex>(x.data(), input), others);
          scale(spectrum, others);
        }
        if (what_.overwrites_input)
          store(spectrum, const_cast<void*>(what_.from), what_.from_layout, first, count);
        irfft_into(target::serial(), array_view<T>(reals.data(), output),
                   array_view<const complex>(spectrum.data(), input), {-1},
                   static_cast<std::size_t>(what_.lengths[2]));
        scale(reals, {3});
        return store(reals, what_.to, what_.to_layout, first, count);
    }
  }
  static shape shape_of(const transform_layout& l, std::uint64_t count) {
    return {count, l.lengths[0], l.lengths[1], l.lengths[2]};
  }
  /// cuFFT's inverse is not divided by the number of elements.
  template <class E>
  void scale(std::vector<E>& x, const fft_axes& axes) const {
    T by = 1;
    for (const std::ptrdiff_t axis : axes) by *= static_cast<T>(what_.lengths[axis - 1]);
    for (E& element : x) element *= by;
  }
  void load(std::vector<complex>& x, std::uint64_t first, std::uint64_t count) const {
    const Number* const from = static_cast<const Number*>(what_.from);
    auto to = x.begin();
    for_elements(what_.from_layout, first, count,
                 [&](std::uint64_t at) { *to++ = {from[2 * at].get(), from[2 * at + 1].get()}; });
  }
  void load(std::vector<T>& x, std::uint64_t first, std::uint64_t count) const {
    const Number* const from = static_cast<const Number*>(what_.from);
    auto to = x.begin();
    for_elements(what_.from_layout, first, count, [&](std::uint64_t at) { *to++ = from[at].get(); });
  }
  static void store(const std::vector<complex>& x, void* where, const transform_layout& layout,
                    std::uint64_t first, std::uint64_t count) {
    Number* const to = static_cast<Number*>(where);
    auto from = x.begin();
    for_elements(layout, first, count, [&](std::uint64_t at) {
      to[2 * at].set(from->real());
      to[2 * at + 1].set(from->imag());
      ++from;
    });
  }
  static void store(const std::vector<T>& x, void* where, const transform_layout& layout, std::uint64_t first,
                    std::uint64_t count) {
    Number* const to = static_cast<Number*>(where);
    auto from = x.begin();
    for_elements(layout, first, count, [&](std::uint64_t at) { to[at].set(*from++); });
  }

  const transform_request& what_;
  fft_axes axes_;
};

}  // namespace

void program_libraries::transform(const transform_request& what) {
  try {
    switch (what.precision) {
      case transform_precision::f16:
        return transformer<half_number>(what).run();
      case transform_precision::bf16:
        return transformer<bfloat16_number>(what).run();
      case transform_precision::f32:
        return transformer<plain_number<float>>(what).run();
      case transform_precision::f64:
        return transformer<plain_number<double>>(what).run();
    }
  } catch (const std::exception& wrong) {
    program_.refuse(fmt::format("cuFFT: {} transforms of {} x {} x {} elements: {}", what.count,
                                what.lengths[0], what.lengths[1], what.lengths[2], wrong.what()));
  }
}

void* program_libraries::lend(heddle_device::u64 bytes) {
  void* const lent = std::calloc(std::max<std::size_t>(bytes, 1), 1);
  if (lent == nullptr)
    program_.refuse(
        fmt::format("a library's call: out of memory (needs {} bytes beside the program's)", bytes));
  return lent;
}

void program_libraries::take_back(void* lent) {
  std::free(lent);
}

void program_libraries::sort(const heddle_device::u64* keys, heddle_device::u64* numbers,
                             heddle_device::u64 count) {
  std::vector<std::pair<heddle_device::u64, heddle_device::u64>> pairs(count);
  for (std::size_t i = 0; i < count; ++i) pairs[i] = {keys[i], numbers[i]};
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  for (std::size_t i = 0; i < count; ++i) numbers[i] = pairs[i].second;
}

heddle_device::sparse_factors* program_libraries::factor(const heddle_device::sparse_matrix& a,
                                                         const heddle_device::sparse_factoring& how) {
  try {
    return factors_of(a, how).release();
  } catch (const std::bad_alloc&) {
    program_.refuse(
        fmt::format("cuSOLVER: factors of a sparse matrix of {} x {}: out of memory", a.rows, a.columns));
  }
}

void program_libraries::release(heddle_device::sparse_factors* factors) {
  delete static_cast<sparse_factors*>(factors);
}

void program_libraries::order(const heddle_device::sparse_matrix& pattern, heddle_device::sparse_order how,
                              long long* permutation) {
  order_for_factors(pattern, how, permutation);
}

void program_libraries::refuse(const char* what) {
  program_.refuse(what);
}

}  // namespace heddle::checker
