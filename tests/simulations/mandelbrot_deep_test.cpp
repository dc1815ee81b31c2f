#include "mandelbrot/colours.hpp"
#include "mandelbrot/deep.hpp"
#include "mandelbrot/kernels.hpp"
#include "mandelbrot/mandelbrot.hpp"
#include "tests/on_targets.hpp"
#include <heddle/interruption.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpfr.h>

namespace heddle::mandelbrot {
namespace {

/// Enough for 10⁻³⁰⁰ and what is lost on the way.
constexpr int bits = 1400;

class real {
 public:
  real(double value = 0) {
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  explicit real(const std::string& decimal) : real() { mpfr_set_str(value_, decimal.c_str(), 10, MPFR_RNDN); }
  real(const real& other) : real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  real& operator=(const real& other) {
    if (this != &other) mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~real() { mpfr_clear(value_); }

  friend real operator+(const real& a, const real& b) { return made(mpfr_add, a, b); }
  friend real operator-(const real& a, const real& b) { return made(mpfr_sub, a, b); }
  friend real operator*(const real& a, const real& b) { return made(mpfr_mul, a, b); }
  friend real operator/(const real& a, const real& b) { return made(mpfr_div, a, b); }
  friend bool operator<(const real& a, const real& b) { return mpfr_less_p(a.value_, b.value_) != 0; }

  double in_double() const { return mpfr_get_d(value_, MPFR_RNDN); }
  mpfr_ptr get() { return value_; }
  std::string text() const {
    char* digits = nullptr;
    mpfr_asprintf(&digits, "%.400Rf", value_);
    std::string decimal(digits);
    mpfr_free_str(digits);
    return decimal;
  }

 private:
  template <class F>
  static real made(F f, const real& a, const real& b) {
    real c;
    f(c.value_, a.value_, b.value_, MPFR_RNDN);
    return c;
  }
  mpfr_t value_;
};

struct point {
  real re, im;
};
point operator+(const point& a, const point& b) {
  return {a.re + b.re, a.im + b.im};
}
point operator-(const point& a, const point& b) {
  return {a.re - b.re, a.im - b.im};
}
point operator*(const point& a, const point& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
real norm(const point& a) {
  return a.re * a.re + a.im * a.im;
}
point operator/(const point& a, const point& b) {
  const real of_b = norm(b);
  const point c = a * point{b.re, real() - b.im};
  return {c.re / of_b, c.im / of_b};
}

/// z_n and its derivative by c.
struct orbit_end {
  point z, dz;
};
orbit_end orbit(const point& c, int n) {
  orbit_end at;
  for (int i = 0; i < n; ++i) {
    at.dz = at.z * at.dz + at.z * at.dz + point{1, 0};
    at.z = at.z * at.z + c;
  }
  return at;
}

/// The point near `c` whose orbit is at z_k again after p more iterations, where spirals are around at every
/// depth.
point misiurewicz(point c, int k, int p) {
  for (int i = 0; i < 40; ++i) {
    const orbit_end early = orbit(c, k), late = orbit(c, k + p);
    c = c - (late.z - early.z) / (late.dz - early.dz);
  }
  return c;
}

/// The middle of a small copy of the set about `distance` from `c`, and its size.
struct small_copy {
  point middle;
  int period;
  real size;
};
small_copy copy_near(point c, const real& distance) {
  c.re = c.re + distance;
  // Its period: where Newton's step is no longer than the way there.
  orbit_end at;
  int n = 0;
  do {
    at.dz = at.z * at.dz + at.z * at.dz + point{1, 0};
    at.z = at.z * at.z + c;
    ++n;
  } while (n < 3 || !(norm(at.z) * real(4) < norm(at.dz) * distance * distance));
  for (int i = 0; i < 40; ++i) {
    at = orbit(c, n);
    c = c - at.z / at.dz;
  }
  // size = 1/(β·λ²) with λ = ∏ 2·z_i and β = Σ 1/∏ 2·z_j (C. Heiland-Allen).
  point z = c, lambda{1, 0}, beta{1, 0};
  for (int i = 1; i < n; ++i) {
    lambda = lambda * (z + z);
    beta = beta + point{1, 0} / lambda;
    z = z * z + c;
  }
  const point size = point{1, 0} / (beta * lambda * lambda);
  real length = norm(size);
  mpfr_sqrt(length.get(), length.get(), MPFR_RNDN);
  return {c, n, length};
}

std::uint32_t exact_count(const point& c, std::uint32_t limit, int with_bits) {
  std::array<real, 5> v;
  for (real& number : v) mpfr_prec_round(number.get(), with_bits, MPFR_RNDN);
  point rounded = c;
  mpfr_prec_round(rounded.re.get(), with_bits, MPFR_RNDN);
  mpfr_prec_round(rounded.im.get(), with_bits, MPFR_RNDN);
  mpfr_ptr x = v[0].get(), y = v[1].get(), xx = v[2].get(), yy = v[3].get(), sum = v[4].get();
  for (std::uint32_t i = 0; i < limit; ++i) {
    mpfr_mul(y, x, y, MPFR_RNDN);
    mpfr_mul_2ui(y, y, 1, MPFR_RNDN);
    mpfr_add(y, y, rounded.im.get(), MPFR_RNDN);
    mpfr_sub(x, xx, yy, MPFR_RNDN);
    mpfr_add(x, x, rounded.re.get(), MPFR_RNDN);
    mpfr_sqr(xx, x, MPFR_RNDN);
    mpfr_sqr(yy, y, MPFR_RNDN);
    mpfr_add(sum, xx, yy, MPFR_RNDN);
    if (mpfr_cmp_ui(sum, 4) >= 0) return i;
  }
  return limit;
}

/// c of a pixel, by the definition.
point pixel(const picture& what, std::size_t x, std::size_t y) {
  const deep_window& seen = *what.deep;
  const auto along = [&](const std::string& middle, std::size_t i, std::size_t count) {
    return real(middle) + (real(static_cast<double>(i)) - real(static_cast<double>(count)) / real(2)) *
                              real(seen.width) / real(static_cast<double>(what.width));
  };
  return {along(seen.re, x, what.width), along(seen.im, y, what.height)};
}

/// Every pixel iterated by itself with `with_bits` bits.
std::vector<std::uint32_t> exact_counts(const picture& what, int with_bits = bits) {
  std::vector<std::uint32_t> counts;
  for (std::size_t y = 0; y < what.height; ++y) {
    for (std::size_t x = 0; x < what.width; ++x) {
      counts.push_back(exact_count(pixel(what, x, y), what.iterations, with_bits));
    }
  }
  return counts;
}

/// What perturbation gives that never goes back to the beginning of its reference.
std::uint32_t count_without_rebasing(const reference_view& reference, double re, double im,
                                     std::uint32_t limit) {
  double ux = 0, uy = 0, x = 0, y = 0;
  for (std::uint32_t n = 0; n < limit && n < reference.last; ++n) {
    const double a_re = reference.z[n].re + x, a_im = reference.z[n].im + y;
    const double next = a_re * ux - a_im * uy + re;
    uy = a_re * uy + a_im * ux + im;
    ux = next;
    x = reference.z[n + 1].re + ux * reference.unit;
    y = reference.z[n + 1].im + uy * reference.unit;
    if (x * x + y * y >= 4) return n;
  }
  return limit;
}

picture deep_picture(std::size_t width, std::size_t height, const point& middle, double across,
                     std::uint32_t limit) {
  picture what{width, height, {}, limit, dtype::float64};
  what.deep = deep_window{middle.re.text(), middle.im.text(), across};
  return what;
}

std::size_t differences(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 0 : 1;
  return count;
}

struct place {
  const char* name;
  picture what;
  /// Pixels so near the edge of the set that their counts are not settled by 10⁻¹⁰ of a pixel.
  std::size_t unsettled = 0;
};

/// Places of every depth that are full of detail. The middle is beside the point that was looked for, so that
/// the reference is another one.
std::vector<place> places() {
  const point dendrite = misiurewicz({0, 1}, 2, 2);
  const point seahorse = misiurewicz({-0.77568377, 0.13646737}, 23, 2);
  std::vector<place> made;
  const auto add = [&](const char* name, point middle, double across, std::uint32_t limit,
                       std::size_t unsettled = 0) {
    middle.re = middle.re + real(across * 0.27);
    made.push_back({name, deep_picture(12, 8, middle, across, limit), unsettled});
  };
  add("seahorses", {-0.745, 0.113}, 1e-5, 2000, 1);
  add("spiral", seahorse, 1e-5, 2000);
  add("spiral", seahorse, 1e-14, 2000);
  add("spiral", seahorse, 1e-30, 5000);
  add("spiral", seahorse, 1e-100, 20000);
  add("spiral", seahorse, 1e-300, 40000);
  for (const double across : {1e-14, 1e-30, 1e-100, 1e-300}) add("dendrite", dendrite, across, 3000);
  for (const int exponent : {-7, -15, -50, -149}) {
    real distance(10);
    mpfr_pow_si(distance.get(), distance.get(), exponent, MPFR_RNDN);
    const small_copy copy = copy_near(dendrite, distance);
    const double size = copy.size.in_double();
    const auto limit = static_cast<std::uint32_t>(12 * copy.period);
    add("small copy", copy.middle, 3 * size, limit);
    add("around a small copy", copy.middle, std::pow(size, 0.75), limit);
  }
  return made;
}

/// Counts beside the reference of a picture, in one way or another.
template <class F>
std::vector<std::uint32_t> counts_near(const picture& what, const reference_orbit& orbit, F&& count) {
  reference_view reference{};
  reference.z = orbit.points().data();
  reference.last = static_cast<std::uint32_t>(orbit.points().size() - 1);
  reference.unit = what.deep->width;
  reference.per_unit = 1 / what.deep->width;
  const auto along = [&](std::size_t i, std::size_t pixels) {
    return (static_cast<double>(i) - static_cast<double>(pixels) / 2) / static_cast<double>(what.width);
  };
  std::vector<std::uint32_t> counts;
  for (std::size_t y = 0; y < what.height; ++y) {
    for (std::size_t x = 0; x < what.width; ++x) {
      counts.push_back(count(reference, along(x, what.width), along(y, what.height)));
    }
  }
  return counts;
}

/// Whether points within 10⁻¹⁰ of a pixel have other counts than each other.
bool is_unsettled(const picture& what, std::size_t i) {
  const point c = pixel(what, i % what.width, i / what.width);
  const double away = 1e-10 * what.deep->width / static_cast<double>(what.width);
  const std::uint32_t count = exact_count(c, what.iterations, bits);
  for (const double step : {away, -away, away / 3, -away / 3}) {
    if (exact_count({c.re + real(step), c.im}, what.iterations, bits) != count) return true;
  }
  return false;
}

TEST(Deep, SameAsEveryPixelByItself) {
  std::size_t with_glitches = 0;
  for (const place& at : places()) {
    const picture& what = at.what;
    const std::string where_it_is = std::string(at.name) + " " + std::to_string(std::log10(what.deep->width));
    const std::vector<std::uint32_t> wanted = exact_counts(what);
    const escape_counter counter(what, target());
    // Serial, so that what is wrong is wrong by itself.
    std::vector<std::uint32_t> counts(wanted.size());
    counter.count(0, what.height, counts.data());
    std::size_t unsettled = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (counts[i] == wanted[i]) continue;
      ++unsettled;
      EXPECT_TRUE(is_unsettled(what, i))
          << where_it_is << " pixel " << i << ": " << counts[i] << " for " << wanted[i];
    }
    EXPECT_LE(unsettled, at.unsettled) << where_it_is;
    for (const target& where : tests::targets_at_hand()) {
      EXPECT_EQ(escape_counts(what, where).to_vector(), counts) << where_it_is << " " << where.text();
    }
    // Linear steps are another way to the same counts, and rebasing is what mends glitches.
    const reference_orbit& orbit = *counter.reference();
    const std::vector<std::uint32_t> step_by_step =
        counts_near(what, orbit, [&](const reference_view& reference, double re, double im) {
          return escape_count_near(reference, re, im, what.iterations, nullptr);
        });
    EXPECT_LE(differences(step_by_step, wanted), at.unsettled) << where_it_is;
    const std::vector<std::uint32_t> without =
        counts_near(what, orbit, [&](const reference_view& reference, double re, double im) {
          return count_without_rebasing(reference, re, im, what.iterations);
        });
    with_glitches += differences(without, wanted) > unsettled ? 1 : 0;
  }
  EXPECT_GE(with_glitches, 10U);
}

TEST(Deep, AllInstructionSetsAgree) {
  const auto check = [](const count_kernels& chosen) {
    for (const double across : {3.0, 1e-30}) {
      const picture what = deep_picture(37, 23, misiurewicz({0, 1}, 2, 2), across, 300);
      const escape_counter counter(what, target());
      const std::vector<complex_double>& z = counter.reference()->points();
      reference_view reference{};
      reference.z = z.data();
      reference.last = static_cast<std::uint32_t>(z.size() - 1);
      reference.unit = across;
      reference.per_unit = 1 / across;
      // Linear steps that are wrong, and wrong in the same way for all.
      const std::vector<linear_steps> steps(z.size(), {{1, 0}, {0.5, 0}, 0.3});
      reference.steps = steps.data();
      reference.levels = 1;
      reference.largest_radius = 0.3;
      std::vector<double> re(37), im(23);
      for (std::size_t i = 0; i < re.size(); ++i) re[i] = (static_cast<double>(i) - 18) / 37;
      for (std::size_t i = 0; i < im.size(); ++i) im[i] = (static_cast<double>(i) - 11) / 37;
      std::vector<std::uint32_t> counts(re.size() * im.size(), 7);
      std::vector<double> norms(counts.size(), -1);
      constexpr std::size_t first = 5, last = 600;
      chosen.near_reference(reference, re.data(), im.data(), re.size(), first, last, 300, counts.data(),
                            norms.data());
      for (std::size_t i = 0; i < counts.size(); ++i) {
        double norm = -1;
        std::uint32_t wanted = 7;
        if (i >= first && i < last) wanted = escape_count_near(reference, re[i % 37], im[i / 37], 300, &norm);
        ASSERT_EQ(counts[i], wanted) << i;
        ASSERT_EQ(norms[i], norm) << i;
      }
    }
  };
  check(baseline_counts());
#if defined(HEDDLE_X86_KERNELS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) check(avx2_counts());
  if (__builtin_cpu_supports("avx512dq")) check(avx512_counts());
#endif
}

TEST(Deep, SameAsDoubleWhereThatHasDigitsEnough) {
  // Sides and distances of pixels are exact in double. Each of 53 bits is rounded as double is.
  const double across = 0x1p-24;
  picture deep = deep_picture(64, 48, {-0.74921875, 0.06640625}, across, 300);
  picture shallow = deep;
  shallow.deep.reset();
  shallow.view = view_around(-0.74921875, 0.06640625, 3 / across, 64, 48);
  const std::vector<std::uint32_t> in_double = escape_counts(shallow, target()).to_vector();
  EXPECT_EQ(in_double, exact_counts(deep, 53));
  EXPECT_EQ(escape_counts(deep, target()).to_vector(), in_double);
}

TEST(Deep, ReferenceOfAnotherWindow) {
  const point dendrite = misiurewicz({0, 1}, 2, 2);
  const picture first = deep_picture(33, 21, dendrite, 1e-60, 500);
  const escape_counter counter(first, target::parallel(2));
  // Nearer, and aside.
  picture second = first;
  second.deep = deep_window{moved(first.deep->re, 0.4, 1e-60), moved(first.deep->im, -3, 1e-60), 3e-61};
  const std::vector<std::uint32_t> wanted = exact_counts(second);
  EXPECT_EQ(escape_counts(second, target()).to_vector(), wanted);
  std::vector<std::uint32_t> counts(wanted.size());
  escape_counter(second, target(), counter.reference()).count(0, second.height, counts.data());
  EXPECT_EQ(counts, wanted);
  second.deep->im = moved(first.deep->im, 5000, 1e-60);
  EXPECT_NE(
      tests::message_of([&] { escape_counter(second, target(), counter.reference()); }).find("1000 at most"),
      std::string::npos);
}

TEST(Deep, OfSomeRows) {
  const picture what = deep_picture(31, 24, misiurewicz({0, 1}, 2, 2), 1e-40, 400);
  const std::vector<std::uint32_t> all = escape_counts(what, target()).to_vector();
  const escape_counter counter(what, target::parallel(2));
  std::vector<std::uint32_t> some(std::size_t{31} * 9);
  std::vector<double> beyond(some.size());
  counter.count(7, 9, some.data(), beyond.data());
  EXPECT_EQ(some, std::vector<std::uint32_t>(all.begin() + 31 * 7, all.begin() + 31 * 16));
  for (const double norm : beyond) EXPECT_GT(norm, 1e6);
}

TEST(Deep, SmallLimits) {
  for (const std::uint32_t limit : {0U, 1U, 2U, 9U, 50U}) {
    picture what = deep_picture(19, 13, {-0.5, 0}, 3, limit);
    EXPECT_EQ(escape_counts(what, target()).to_vector(), exact_counts(what)) << limit;
    what.deep->re = "1e3";
    EXPECT_EQ(escape_counts(what, target()).to_vector(), exact_counts(what)) << limit;
  }
}

TEST(Deep, MovedText) {
  EXPECT_EQ(moved("0.5", 0.25, 1), "0.75000000000000000000");
  EXPECT_NEAR(difference(moved("-1", 1, 1e-20), "-1", 1e-20), 1, 1e-15);
  EXPECT_NEAR(difference(moved("0.1", -0.25, 1e-300), "0.1", 1e-300), -0.25, 1e-15);
  EXPECT_EQ(moved("1e-2", -2, 0.5), "-0.990000000000000000000");
  EXPECT_DOUBLE_EQ(difference("1.00000000000000000000000000000000003", "1", 1e-35), 3);
}

TEST(Deep, Decimal) {
  for (const char* text : {"0", "-1", "+.5", "3.", "1e-300", "-0.7E+2", "123456789012345678901234567890.1"}) {
    EXPECT_TRUE(is_decimal(text)) << text;
  }
  for (const char* text :
       {"", ".", "-", "1e", "1e+", "e5", "0x1", "nan", "inf", "1 ", " 1", "1,2", "1e1234567", "--1"}) {
    EXPECT_FALSE(is_decimal(text)) << text;
  }
}

TEST(Deep, WhatIsNoPicture) {
  const auto message = [](const deep_window& window, std::uint32_t limit = 50) {
    picture what{4, 4, {}, limit, dtype::float64};
    what.deep = window;
    return tests::message_of([&] { escape_counts(what, target()); });
  };
  EXPECT_NE(message({"0,5", "0", 1}).find("'0,5' is no decimal number"), std::string::npos);
  EXPECT_NE(message({"0", "", 1}).find("'' is no decimal number"), std::string::npos);
  EXPECT_NE(message({"0", "0", 9e-301}).find("1e-300"), std::string::npos);
  EXPECT_NE(message({"0", "0", std::nan("")}).find("nan wide"), std::string::npos);
  EXPECT_NE(message({"0", "0", 1}, 4'000'000'000).find("4000000000"), std::string::npos);
}

TEST(Deep, CanBeEndedWhileTheReferenceIsComputed) {
  struct ended {};
  int asked = 0;
  const auto ask = [&] {
    if (++asked == 2) throw ended();
  };
  const interruptible now(ask);
  picture what = deep_picture(4, 4, {0, 0}, 1e-200, picture::most_iterations);
  EXPECT_THROW(escape_counter(what, target()), ended);
}

TEST(Deep, SmoothColours) {
  // Where double has digits enough, the colours are those of the same window in double.
  picture deep = deep_picture(40, 30, {-0.7453125, 0.1125}, 0x1p-10, 300);
  picture shallow = deep;
  shallow.deep.reset();
  shallow.view = view_around(-0.7453125, 0.1125, 3 * 0x1p10, 40, 30);
  std::vector<std::uint32_t> counts(std::size_t{40} * 30);
  std::vector<double> beyond(counts.size());
  escape_counter(deep, target()).count(0, 30, counts.data(), beyond.data());
  std::vector<std::uint8_t> have(3 * counts.size()), wanted(have.size());
  colouring(deep, "dusk", true).paint(0, 30, counts.data(), 1, have.data(), beyond.data());
  colouring(shallow, "dusk", true).paint(0, 30, counts.data(), 1, wanted.data());
  int farthest = 0;
  for (std::size_t i = 0; i < have.size(); ++i) farthest = std::max(farthest, std::abs(have[i] - wanted[i]));
  EXPECT_LE(farthest, 1);
  EXPECT_EQ(
      tests::message_of([&] { colouring(deep, "dusk", true).paint(0, 30, counts.data(), 1, have.data()); }),
      "mandelbrot: smooth colours of a deep picture take the norms beyond the escape");
}

}  // namespace
}  // namespace heddle::mandelbrot
