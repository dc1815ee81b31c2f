// Pictures of the Mandelbrot set beside the definition, a pixel at a time.
#include "mandelbrot/mandelbrot.hpp"

#include "arrays.hpp"
#include "on_ranks.hpp"
#include "properties.hpp"
#include "tests/simulations/mandelbrot_by_definition.hpp"

#if defined(HEDDLE_WITH_MPFR)
#include <mpfr.h>
#endif

namespace heddle::tests::differential {
namespace {

using mandelbrot::picture;

/// Whole pictures, symmetric ones, and small parts of places at the edge of the set.
mandelbrot::view drawn_view(choices& from, std::size_t width, std::size_t height) {
  constexpr std::pair<double, double> places[] = {
      {-0.5, 0},     {-0.75, 0},          {0.25, 0},     {-1.25, 0},
      {-2, 0},       {-1.7688, 0},        {0, 1},        {-0.7436438870, 0.1318259042},
      {0.3, 0.0201}, {-0.1011, 0.956287}, {3.5, -1000.0}};
  const auto [re, im] = from.of(places);
  const double size = std::exp2(2 - static_cast<double>(from.between(0, 30)));
  // A fraction of a pixel, so that rows are no images of one another.
  const double shift = static_cast<double>(from.between(0, 4)) / 4 * size / static_cast<double>(height);
  const double half = size / 2 * static_cast<double>(height) / static_cast<double>(width);
  return {re - size / 2, re + size / 2, im - half + shift, im + half + shift};
}

void mandelbrot_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  picture what;
  what.width = 1 + draw_length(from, 2100);
  what.height = 1 + draw_length(from, 8000 / what.width);
  what.view = drawn_view(from, what.width, what.height);
  what.iterations = static_cast<std::uint32_t>(
      from.one_in(3) ? draw_length(from, 1000) : from.between(0, 40));  // lanes fill after 12, in blocks of 8
  what.precision = from.one_in(2) ? dtype::float64 : dtype::float32;
  const std::size_t first = from.between(0, what.height), rows = from.between(0, what.height - first);
  const int size = static_cast<int>(from.between(0, 5));
  from.note(fmt::format("{} x {} of {} from {}, {} to {}, {}, limit {}, rows {} from {}, {} ranks",
                        what.width, what.height, name(what.precision), what.view.xmin, what.view.ymin,
                        what.view.xmax, what.view.ymax, what.iterations, rows, first, size));
  try {
    check(what);
  } catch (const error&) {
    return;  // sides that are one number
  }
  const std::vector<std::uint32_t> want = escape_counts_by_definition(what);
  check_values("counts", escape_counts(what, where).to_vector(), want);
  const mandelbrot::escape_counter counter(what, where);
  guarded part(from, dtype::uint32, {rows, what.width}, where);
  counter.count(first, rows, part.as<std::uint32_t>().data());
  part.check_zones("some rows");
  const auto begin = want.begin() + static_cast<std::ptrdiff_t>(first * what.width);
  check_values("some rows", elements_of<std::uint32_t>(part.view()),
               std::vector<std::uint32_t>(begin, begin + static_cast<std::ptrdiff_t>(rows * what.width)));
  if (size == 0) return;
  on_ranks(size, [&](const ranks& all) {
    check_values("over ranks", escape_counts(what, all).gather().to_vector(), want);
  });
}

#if defined(HEDDLE_WITH_MPFR)

/// A number of so many bits.
class real {
 public:
  explicit real(int bits, double value = 0) {
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  real(int bits, const std::string& decimal) : real(bits) {
    mpfr_set_str(value_, decimal.c_str(), 10, MPFR_RNDN);
  }
  ~real() { mpfr_clear(value_); }
  real(const real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// A deep picture's pixels in exact arithmetic, or near enough: a rounding moves the pixel by less than
/// 2^-150 of itself.
class exact_picture {
 public:
  explicit exact_picture(const picture& what)
      : what_(what),
        bits_(192 + static_cast<int>(std::max(0.0, -std::log2(what.deep->width)))),
        re_(bits_),
        im_(bits_) {}

  /// The count of a pixel, moved by a part of a pixel along x and y.
  std::uint32_t count(std::size_t column, std::size_t row, double by_x = 0, double by_y = 0) {
    place(re_, what_.deep->re, column, what_.width, by_x);
    place(im_, what_.deep->im, row, what_.height, by_y);
    real x(bits_), y(bits_), xx(bits_), yy(bits_), sum(bits_);
    nearest_ = 4;
    for (std::uint32_t i = 0; i < what_.iterations; ++i) {
      mpfr_mul(y.get(), x.get(), y.get(), MPFR_RNDN);
      mpfr_mul_2ui(y.get(), y.get(), 1, MPFR_RNDN);
      mpfr_add(y.get(), y.get(), im_.get(), MPFR_RNDN);
      mpfr_sub(x.get(), xx.get(), yy.get(), MPFR_RNDN);
      mpfr_add(x.get(), x.get(), re_.get(), MPFR_RNDN);
      mpfr_sqr(xx.get(), x.get(), MPFR_RNDN);
      mpfr_sqr(yy.get(), y.get(), MPFR_RNDN);
      mpfr_add(sum.get(), xx.get(), yy.get(), MPFR_RNDN);
      const bool escapes = mpfr_cmp_ui(sum.get(), 4) >= 0;
      mpfr_sub_ui(sum.get(), sum.get(), 4, MPFR_RNDN);
      nearest_ = std::min(nearest_, std::fabs(mpfr_get_d(sum.get(), MPFR_RNDN)));
      if (escapes) return i;
    }
    return what_.iterations;
  }

  /// Whether points within 10⁻¹⁰ of a pixel have other counts, or |z|² comes within 10⁻¹⁴ of 4, where doubles
  /// are rounded.
  bool is_unsettled(std::size_t column, std::size_t row) {
    const std::uint32_t here = count(column, row);
    if (nearest_ < 1e-14) return true;
    for (const double step : {1e-10, -1e-10, 3e-11, -3e-11}) {
      if (count(column, row, step, 0) != here || count(column, row, 0, step) != here) return true;
    }
    return false;
  }

 private:
  /// middle + (i − count/2 + part)·w/width
  void place(real& to, const std::string& middle, std::size_t i, std::size_t count, double part) {
    real steps(bits_, static_cast<double>(i) - static_cast<double>(count) / 2 + part);
    mpfr_mul_d(steps.get(), steps.get(), what_.deep->width, MPFR_RNDN);
    mpfr_div_ui(steps.get(), steps.get(), what_.width, MPFR_RNDN);
    real start(bits_, middle);
    mpfr_add(to.get(), start.get(), steps.get(), MPFR_RNDN);
  }

  const picture& what_;
  int bits_;
  real re_, im_;
  double nearest_ = 4;  // of |z|² to 4, in the last count
};

/// Around points of the edge whose surroundings have detail at every depth: i, ¼, and small copies.
void deep_mandelbrot_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  constexpr std::pair<const char*, const char*> places[] = {
      {"0", "1"},
      {"0.25", "0"},
      {"-0.75", "0.0"},
      {"-1.54368901269207636157085597180174798652520329765098393524", "0"},
      {"-0.10109636384562216103", "0.95628651080914150077"},
      {"-0.7436438870371587", "+.13182590420531197"},
      {"-17e-1", "1e-20"}};
  const auto [re, im] = from.of(places);
  picture what;
  what.width = 1 + draw_length(from, 24);
  what.height = 1 + draw_length(from, std::min<std::size_t>(24, 120 / what.width));
  const double digits =
      static_cast<double>(from.between(0, 299)) + static_cast<double>(from.between(0, 9)) / 10;
  const double across = 3 * std::pow(10, -digits);
  what.deep = mandelbrot::deep_window{re, im, across};
  if (from.one_in(2)) {
    // Beside the point, so that the reference is another one.
    const double away = static_cast<double>(from.between(1, 9)) / 16;
    what.deep->re = mandelbrot::moved(re, away, across);
    what.deep->im = mandelbrot::moved(im, -away / 3, across);
  }
  // Near i an iteration is worth 1.25 bits.
  const auto deep_enough = static_cast<std::uint64_t>(3.4 * digits) + 20;
  what.iterations =
      static_cast<std::uint32_t>(from.one_in(4) ? from.between(0, 30) : from.between(0, deep_enough));
  from.note(fmt::format("{} x {} around {}, {}, {} wide, limit {}", what.width, what.height, what.deep->re,
                        what.deep->im, across, what.iterations));
  const std::vector<std::uint32_t> have = escape_counts(what, where).to_vector();
  exact_picture exact(what);
  for (std::size_t i = 0; i < have.size(); ++i) {
    const std::size_t column = i % what.width, row = i / what.width;
    const std::uint32_t want = exact.count(column, row);
    if (have[i] != want && !exact.is_unsettled(column, row))
      throw std::runtime_error(
          fmt::format("the count of pixel {}, {} is {} instead of {}", column, row, have[i], want));
  }
  check_same_bits(where, have,
                  [&](const target& on_one_core) { return escape_counts(what, on_one_core).to_vector(); });
}

#endif

}  // namespace

std::vector<property> pictures() {
  return {{"mandelbrot", mandelbrot_property},
#if defined(HEDDLE_WITH_MPFR)
          {"deep_mandelbrot", deep_mandelbrot_property}
#endif
  };
}

}  // namespace heddle::tests::differential
