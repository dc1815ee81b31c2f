// The headers below the patterns: docs/reference/own_loops.md.
#include "tests/on_targets.hpp"
#include <heddle/array.hpp>
#include <heddle/memory.hpp>
#include <heddle/random.hpp>
#include <heddle/statistics.hpp>
#include <heddle/support/matrix_stencil.hpp>
#include <heddle/support/number_text.hpp>
#include <heddle/support/simd.hpp>
#include <heddle/support/threads.hpp>
#include <heddle/textbook.hpp>

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;

namespace {

using heddle::tests::message_of;

class own_loops : public heddle::tests::on_targets {};
HD_ON_ALL_TARGETS(own_loops);

TEST_P(own_loops, copy_and_fill_bytes_on_a_target) {
  const std::uint16_t value = 0x1234;
  const std::size_t n = 1001;
  const hd::memory there(n * sizeof value, where);
  hd::fill(there.data(), where, n, &value, sizeof value);
  std::vector<std::uint16_t> here(n);
  hd::copy(here.data(), hd::target(), there.data(), where, there.bytes());
  EXPECT_EQ(here, std::vector<std::uint16_t>(n, value));
  EXPECT_EQ(hd::memory(0, where).data(), nullptr);
}

TEST_P(own_loops, a_sequence_has_the_numbers_of_an_array_wherever_it_is_cut) {
  const hd::random::stream from{7, 3};
  const std::size_t n = 1000;
  const auto expect_same = [&]<class T>(const hd::random::sequence& made, const hd::array<T>& all) {
    hd::array<T> out(n, where);
    for (std::size_t first = 0; first < n; first += 300) {
      made.fill(where, first, std::min<std::size_t>(300, n - first), out.data() + first);
    }
    EXPECT_EQ(out.to_vector(), all.to_vector());
  };
  using hd::random::sequence;
  expect_same(sequence::uniform(hd::dtype::float32, from, -1, 2),
              hd::random::uniform<float>(where, {n}, from, -1, 2));
  expect_same(sequence::normal(hd::dtype::float64, from, 5, 2),
              hd::random::normal<double>(where, {n}, from, 5, 2));
  expect_same(sequence::exponential(hd::dtype::float64, from, 3),
              hd::random::exponential<double>(where, {n}, from, 3));
  expect_same(sequence::integers(hd::dtype::int16, from, static_cast<std::uint64_t>(-5), 9),
              hd::random::integers<std::int16_t>(where, {n}, from, -5, 10));
  EXPECT_NE(message_of([&] { sequence::uniform(hd::dtype::float32, from, 2, 1); }).find("no uniform float32"),
            std::string::npos);
  const auto last = sequence::uniform(hd::dtype::float32, {0, ~std::uint64_t{0}});
  EXPECT_NE(message_of([&] { last.fill(where, 1, 1, nullptr); }).find("leaves fewer elements below 2^64"),
            std::string::npos);
}

TEST_P(own_loops, a_reduction_by_a_method_stays_on_the_target) {
  hd::array<int> x(1000, where), out(1, where);
  x.fill(3);
  for (const auto method : {hd::reduce_algorithm::tree, hd::reduce_algorithm::single_pass}) {
    out.fill(-1);
    hd::reduce_into(where, out, x, hd::plus{}, method);
    EXPECT_EQ(out[0], 3000);
  }
  const hd::array<int> none(0, where);
  hd::reduce_into(where, out, none, hd::plus{}, hd::reduce_algorithm::tree);
  EXPECT_EQ(out[0], 0);
  hd::array<int> two(2, where);
  EXPECT_NE(message_of([&] {
              hd::reduce_into(where, two, x, hd::plus{}, hd::reduce_algorithm::tree);
            }).find("the output of reduce: 2 elements do not fit 1"),
            std::string::npos);
}

TEST(matrix_stencil, leaves_the_edges_and_the_pitch_alone) {
  constexpr std::ptrdiff_t rows = 9, columns = 13, pitch = 16;
  for (const std::size_t steps : {1u, 2u, 5u}) {
    std::vector<double> in(rows * pitch), out(rows * pitch, -1);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i * i % 17);
    std::vector<double> expected = in, next = in;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::ptrdiff_t r = 1; r < rows - 1; ++r) {
        for (std::ptrdiff_t c = 1; c < columns - 1; ++c) {
          const auto at = [&](std::ptrdiff_t y, std::ptrdiff_t x) {
            return expected[static_cast<std::size_t>(y * pitch + x)];
          };
          next[static_cast<std::size_t>(r * pitch + c)] =
              at(r - 1, c) + 2 * at(r, c + 1) + static_cast<double>(10 * r + c);
        }
      }
      expected = next;
    }
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t c = 0; c < columns; ++c) {
        const auto i = static_cast<std::size_t>(r * pitch + c);
        if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1) out[i] = in[i];
      }
    }
    hd::cpu::matrix_stencil<1, 2>(
        2, in.data(), out.data(), rows, columns, pitch,
        [](const hd::neighbours<double, 1>& u, std::size_t r, std::size_t c) {
          return u(-1, 0) + 2 * u(0, 1) + static_cast<double>(10 * r + c);
        },
        steps);
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t c = 0; c < pitch; ++c) {
        const auto i = static_cast<std::size_t>(r * pitch + c);
        ASSERT_EQ(out[i], c < columns ? expected[i] : -1) << steps << " " << r << " " << c;
      }
    }
  }
}

TEST(squared_deviations, are_from_the_centres_of_columns) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const std::vector<double> centres{2, 3};
  std::vector<double> out(6);
  hd::cpu::squared_deviations(hd::dtype::float32, x.data(), 3, 2, centres.data(), out.data());
  EXPECT_EQ(out, (std::vector<double>{1, 1, 1, 1, 9, 9}));
  const std::vector<std::complex<double>> z{{3, 4}};
  const std::complex<double> zero;
  hd::cpu::squared_deviations(hd::dtype::complex128, z.data(), 1, 1, &zero, out.data());
  EXPECT_EQ(out[0], 25);
}

TEST(threads, slices_cover_each_index_once) {
  std::vector<std::atomic<int>> seen(10'000);
  hd::cpu::for_slices(3, seen.size(), 100, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++seen[i];
  });
  for (const auto& times : seen) ASSERT_EQ(times, 1);
}

TEST(simd, loads_and_stores_some_lanes) {
  using hd::cpu::simd;
  std::vector<float> x(simd<float>::width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  const auto doubled = simd<float>::load(x.data()) + simd<float>::load(x.data());
  std::vector<float> out(x.size(), -1);
  hd::cpu::store_some<float>(doubled, 3, out.data());
  EXPECT_EQ(out[2], 6);
  EXPECT_EQ(out[3], -1);
  const auto some = hd::cpu::load_some(x.data(), 2, 9.f);
  EXPECT_EQ(some[1], 2);
  EXPECT_EQ(some[2], 9);
}

TEST(number_text, is_read_and_written) {
  EXPECT_EQ(hd::bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(hd::bytes_text(3.0 * (1 << 30)), "3.0 GiB");
  EXPECT_EQ(hd::counted(1, "launch", "es"), "1 launch");
  EXPECT_EQ(hd::counted(3, "launch", "es"), "3 launches");
  EXPECT_EQ(hd::parse_byte_count("48KiB"), 49152u);
  EXPECT_EQ(hd::parse_byte_count("1.5KiB"), 1536u);
  EXPECT_EQ(hd::parse_byte_count("2.500MB"), 2'500'000u);
  EXPECT_EQ(hd::parse_byte_count("1.3KiB"), std::nullopt);
  EXPECT_EQ(hd::why_no_byte_count("much"),
            "'much' is no whole number of bytes, such as 1000000, 2^20, 500MB or 2GiB");
  EXPECT_EQ(hd::parse_whole_number("2^10"), 1024u);
  EXPECT_EQ(hd::parse_whole_number("1.5"), std::nullopt);
}

TEST(fail, is_inside_an_operation) {
  EXPECT_EQ(message_of([] { hd::fail("no"); }), "no");
  const hd::target where = hd::target::serial();
  EXPECT_EQ(message_of([&] {
              hd::operation running("life", 12, "cells");
              running.runs_on(where);
              hd::fail("no");
            }),
            "life: 12 cells on serial: no");
}

}  // namespace
