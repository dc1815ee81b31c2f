#include "mandelbrot/mandelbrot.hpp"

#include "mandelbrot/colours.hpp"
#include "mandelbrot/escape.hpp"
#include "mandelbrot/kernels.hpp"
#include "mandelbrot_by_definition.hpp"
#include "tests/on_targets.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::mandelbrot {
namespace {

using tests::escape_counts_by_definition;

const view views[] = {
    {-2, 1, -1, 1},
    {-2.5, 2.5, -2, 2},
    {-0.76, -0.74, -0.01, 0.01},          // between the cardioid and the disc
    {0.24, 0.26, -0.01, 0.01},            // the cusp
    {-1.26, -1.24, -0.02, 0.02},          // where the disc ends
    {-1.7691, -1.7685, -0.0003, 0.0003},  // a small copy, of period 3
    {-0.7436438870 - 1e-4, -0.7436438870 + 1e-4, 0.1318259042 - 1e-4, 0.1318259042 + 1e-4},
    {-2.0001, -1.9999, -0.0001, 0.0001},  // where |z| stays at 2
    {3, 4, 3, 4},                         // nothing but 0
};

class Counts : public tests::on_targets {};

TEST_P(Counts, SameAsTheDefinition) {
  for (const dtype precision : {dtype::float32, dtype::float64}) {
    for (const view& v : views) {
      for (const std::uint32_t limit :
           {0u, 1u, 2u, 11u, 12u, 13u, 21u, 50u, 64u, 65u, 72u, 73u, 100u, 1000u}) {
        const std::size_t side = limit == 1000 ? 37 : 23;
        const picture what{side, side + 6, v, limit, precision};
        ASSERT_EQ(escape_counts(what, where).to_vector(), escape_counts_by_definition(what))
            << name(precision) << " limit " << limit << " view from " << v.xmin;
      }
    }
  }
}

TEST_P(Counts, EverySize) {
  for (const std::size_t width : {1, 2, 3, 15, 16, 17, 33, 257}) {
    for (const std::size_t height : {1, 2, 3, 5, 9}) {
      const picture what{width, height, {}, 60, dtype::float32};
      const array<std::uint32_t> counts = escape_counts(what, where);
      ASSERT_EQ(counts.shape(), (shape{height, width}));
      ASSERT_EQ(counts.to_vector(), escape_counts_by_definition(what)) << width << " x " << height;
    }
  }
}

TEST_P(Counts, OfMoreRowsThanThreadsTakeOneByOne) {
  // No rows are mirrored, and no number of rows above one divides those of the picture.
  const picture what{17, 103, {-2, 1, -0.97, 1.03}, 60, dtype::float32};
  ASSERT_EQ(escape_counts(what, where).to_vector(), escape_counts_by_definition(what));
}

TEST_P(Counts, OfSomeRows) {
  const picture what{61, 40, {}, 100, dtype::float64};
  const escape_counter counter(what, where);
  array<std::uint32_t> some(61 * 7, where);
  counter.count(20, 7, some.data());
  where.wait();
  const std::vector<std::uint32_t> all = escape_counts_by_definition(what);
  EXPECT_EQ(some.to_vector(), std::vector<std::uint32_t>(all.begin() + 61 * 20, all.begin() + 61 * 27));
  EXPECT_NE(tests::message_of([&] { counter.count(35, 6, some.data()); }).find("the picture has 40"),
            std::string::npos);
}

TEST_P(Counts, OfRowsOnBothSidesOfTheRealAxis) {
  // The axis is row 16 of the first, between rows 15 and 16 of the second, and row 8 of the third.
  for (const view& v : {view{-2, 1, -1, 1}, view{-2, 1, -0.96875, 1.03125}, view{-2, 1, -0.5, 1.5}}) {
    const picture what{23, 32, v, 90, dtype::float32};
    const escape_counter counter(what, where);
    const std::vector<std::uint32_t> all = escape_counts_by_definition(what);
    for (std::size_t first = 0; first < 32; ++first) {
      for (std::size_t rows = 1; rows <= 32 - first; ++rows) {
        array<std::uint32_t> some(23 * rows, where);
        counter.count(first, rows, some.data());
        where.wait();
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(23 * first);
        ASSERT_EQ(some.to_vector(),
                  std::vector<std::uint32_t>(from, from + static_cast<std::ptrdiff_t>(23 * rows)))
            << first << " " << rows << " view from " << v.ymin;
      }
    }
  }
}

// The orbit of column 148 has an x for the second time, with another y, and leaves later.
TEST_P(Counts, AnOrbitComesBackInBothCoordinatesOrNot) {
  const picture what{400, 1, {-0.75, -0.74, 0.095, 0.105}, 2000, dtype::float32};
  ASSERT_EQ(escape_counts(what, where).to_vector(), escape_counts_by_definition(what));
}

TEST_P(Counts, PeriodsAreFoundAtAnyLimit) {
  // The definition would take two thousand million iterations a pixel.
  const picture what{5, 5, {-0.1226, -0.1225, 0.7448, 0.7449}, picture::most_iterations, dtype::float32};
  for (const std::uint32_t count : escape_counts(what, where).to_vector()) {
    ASSERT_EQ(count, picture::most_iterations);
  }
}

HD_ON_ALL_TARGETS(Counts);

// Enough pixels for several tiles a warp, for more points than lanes, and for more rows than one queue holds.
TEST(CountsOnGpu, LargePictures) {
  if (!target::best().is_gpu()) GTEST_SKIP() << "no GPU";
  const view aside{-2, 1, -0.97, 1.03};
  for (const picture& what :
       {picture{4097, 1201, aside, 65, dtype::float32}, picture{4097, 1201, aside, 700, dtype::float64},
        picture{std::size_t{1} << 20, 70, aside, 80, dtype::float32}}) {
    EXPECT_TRUE(escape_counts(what, target::gpu()).to_vector() ==
                escape_counts(what, target::parallel()).to_vector())
        << what.width << " x " << what.height << " limit " << what.iterations;
  }
}

template <class T>
void check_that_inside_stays_inside(std::uint32_t limit) {
  // Points on the outermost curves that are taken as inside, where λ turns once round.
  for (int i = 0; i < 400; ++i) {
    const double angle = 2 * 3.14159265358979 * i / 400, rho = cardioid_multiplier<T> - 1e-6;
    const double lr = rho * std::cos(angle), li = rho * std::sin(angle);
    const T re = static_cast<T>(lr / 2 - (lr * lr - li * li) / 4), im = static_cast<T>(li / 2 - lr * li / 2);
    ASSERT_TRUE(is_inside(re, im)) << i;
    ASSERT_EQ(escape_count(re, im, limit), limit) << i;
    const double radius = disc_multiplier<T> / 4 - 1e-6;
    const T disc_re = static_cast<T>(radius * std::cos(angle) - 1),
            disc_im = static_cast<T>(radius * std::sin(angle));
    ASSERT_TRUE(is_inside(disc_re, disc_im)) << i;
    ASSERT_EQ(escape_count(disc_re, disc_im, limit), limit) << i;
    // Just beyond the cardioid and the disc nothing is taken as inside.
    const double cr = 1.0001 * std::cos(angle), ci = 1.0001 * std::sin(angle);
    const T out_re = static_cast<T>(cr / 2 - (cr * cr - ci * ci) / 4),
            out_im = static_cast<T>(ci / 2 - cr * ci / 2);
    const bool in_disc = (out_re + 1) * (out_re + 1) + out_im * out_im < T(0.0625);
    ASSERT_FALSE(is_inside(out_re, out_im) && !in_disc) << i;
  }
}

TEST(Inside, NeverLeaves) {
  check_that_inside_stays_inside<float>(20000);
  check_that_inside_stays_inside<double>(20000);
}

TEST(Kernels, AllInstructionSetsAgree) {
  const picture what{71, 33, {-0.8, -0.7, 0.05, 0.15}, 500, dtype::float32};
  const std::vector<double> re = coordinates(what, false), im = coordinates(what, true);
  const std::vector<std::uint32_t> wanted = escape_counts_by_definition(what);
  const auto check = [&](const count_kernels& kernels) {
    const std::vector<float> re_float(re.begin(), re.end()), im_float(im.begin(), im.end());
    std::vector<std::uint32_t> counts(71 * 33);
    kernels.in_float(re_float.data(), im_float.data(), 71, 33, 500, counts.data());
    EXPECT_EQ(counts, wanted);
    picture in_double = what;
    in_double.precision = dtype::float64;
    const std::vector<double> re_double = coordinates(in_double, false),
                              im_double = coordinates(in_double, true);
    kernels.in_double(re_double.data(), im_double.data(), 71, 33, 500, counts.data());
    EXPECT_EQ(counts, escape_counts_by_definition(in_double));
  };
  check(baseline_counts());
#if defined(HEDDLE_X86_KERNELS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) check(avx2_counts());
  if (__builtin_cpu_supports("avx512dq")) check(avx512_counts());
#endif
}

TEST(Counts, WhatIsNoPicture) {
  const auto message = [](const picture& what) {
    return tests::message_of([&] { escape_counts(what, target()); });
  };
  EXPECT_NE(message({0, 4, {}, 50, dtype::float32}).find("0 x 4"), std::string::npos);
  EXPECT_NE(message({4, 4, {1, -2, -1, 1}, 50, dtype::float32}).find("is empty"), std::string::npos);
  EXPECT_NE(message({4, 4, {-2, 1e300, -1, 1}, 50, dtype::float32}).find("beyond"), std::string::npos);
  EXPECT_NE(message({4, 4, {}, 50, dtype::int32}).find("no precision int32"), std::string::npos);
  EXPECT_NE(message({4, 4, {}, 4'000'000'000, dtype::float32}).find("4000000000"), std::string::npos);
}

TEST(Colours, OfCounts) {
  const picture what{40, 30, {}, 50, dtype::float32};
  const std::vector<std::uint32_t> counts = escape_counts_by_definition(what);
  for (const std::string& palette : palette_names()) {
    const colouring bands(what, palette, false), smooth(what, palette, true);
    EXPECT_EQ(bands.format(), pixel_format::palette);
    EXPECT_EQ(bands.palette().size(), 51u);
    EXPECT_EQ(bands.palette().back(), (colour{0, 0, 0}));
    std::vector<std::uint8_t> pixels(counts.size()), smooth_pixels(3 * counts.size());
    bands.paint(0, 30, counts.data(), 2, pixels.data());
    smooth.paint(0, 30, counts.data(), 2, smooth_pixels.data());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      ASSERT_EQ(pixels[i], counts[i]);
      const bool black = smooth_pixels[3 * i] + smooth_pixels[3 * i + 1] + smooth_pixels[3 * i + 2] == 0;
      ASSERT_EQ(black, counts[i] == 50) << i;
    }
  }
  EXPECT_NE(tests::message_of([&] { colouring(what, "mauve", false); }).find("dusk"), std::string::npos);
}

}  // namespace
}  // namespace heddle::mandelbrot
