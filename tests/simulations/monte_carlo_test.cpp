#include "monte_carlo/pi.hpp"
#include "monte_carlo/points.hpp"
#include "tests/on_targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace heddle::monte_carlo {
namespace {

TEST(Disc, EdgeInWiderIntegers) {
  const auto in_128_bits = [](std::uint32_t x, std::uint32_t y) {
    const unsigned __int128 a = 2 * static_cast<unsigned __int128>(x) + 1,
                            b = 2 * static_cast<unsigned __int128>(y) + 1;
    return a * a + b * b < static_cast<unsigned __int128>(1) << 66;
  };
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint32_t x = block_of_points(5, i).word[0];
    const auto edge = static_cast<std::uint32_t>(
        std::min(4294967295.0, std::sqrt(0x1p64 - static_cast<double>(x) * static_cast<double>(x))));
    for (int step = -3; step <= 3; ++step) {
      const std::uint32_t y = edge + static_cast<std::uint32_t>(step);
      ASSERT_EQ(is_in_disc(x, y), in_128_bits(x, y)) << x << ' ' << y;
    }
  }
  EXPECT_FALSE(is_in_disc(0xffffffff, 0xffffffff));
  EXPECT_TRUE(is_in_disc(0, 0));
}

std::uint64_t looped(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  std::uint64_t inside = 0;
  for (std::uint64_t k = first; k < first + count; ++k) {
    const philox_block b =
        philox4x32({{static_cast<std::uint32_t>(k / 2), static_cast<std::uint32_t>(k / 2 >> 32), 0, 0}},
                   static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    const double x = (b.word[k % 2 * 2] + 0.5) / 0x1p32, y = (b.word[k % 2 * 2 + 1] + 0.5) / 0x1p32;
    inside += x * x + y * y < 1;
  }
  return inside;
}

class Pi : public tests::on_targets {};

TEST_P(Pi, SameAsALoop) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x123456789abcdef0}}) {
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8589934580}}) {
      for (const std::uint64_t count : {0, 1, 2, 3, 63, 64, 65, 127, 1000, 70001}) {
        ASSERT_EQ(points_in_disc(where, seed, first, count), looped(seed, first, count))
            << seed << ' ' << first << ' ' << count;
      }
    }
  }
}

TEST_P(Pi, WithinItsError) {
  constexpr std::uint64_t samples = 20'000'001;
  const std::uint64_t inside = points_in_disc(where, 7, 0, samples);
  EXPECT_EQ(inside, points_in_disc(target::serial(), 7, 0, samples));
  EXPECT_EQ(inside, points_in_disc(where, 7, 0, 12345) + points_in_disc(where, 7, 12345, samples - 12345));
  const pi_estimate pi = estimate_of_pi(inside, samples);
  EXPECT_NEAR(pi.standard_error, 1.642 / std::sqrt(double{samples}), 1e-3 * pi.standard_error);
  EXPECT_LT(std::abs(pi.value - 3.14159265358979), 5 * pi.standard_error);
}

TEST_P(Pi, NumbersBeyond64Bits) {
  const std::string message =
      tests::message_of([&] { points_in_disc(where, 0, std::numeric_limits<std::uint64_t>::max(), 2); });
  EXPECT_NE(message.find("64 bits"), std::string::npos) << message;
}

HD_ON_ALL_TARGETS(Pi);

TEST(Kernels, AllInstructionSetsAgree) {
  const std::uint64_t wanted = looped(3, 200, 2 * 4999);
  EXPECT_EQ(baseline_points(3, 100, 4999), wanted);
#if defined(HEDDLE_X86_KERNELS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_EQ(avx2_points(3, 100, 4999), wanted);
  }
  if (__builtin_cpu_supports("avx512dq")) {
    EXPECT_EQ(avx512_points(3, 100, 4999), wanted);
  }
#endif
}

}  // namespace
}  // namespace heddle::monte_carlo
