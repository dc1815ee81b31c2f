#include "patterns/cpu_kernels.hpp"
#include "tests/elements.hpp"
#include "tests/looped_scan.hpp"
#include "tests/operator_on.hpp"
#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/machine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

// The kernels of every instruction set that this processor has, not only of the one that the library chooses.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

struct instruction_set {
  const char* name;
  hd::cpu::kernels_source<hd::cpu::reduce_kernels> reduce;
  hd::cpu::kernels_source<hd::cpu::scan_kernels> scan;
  hd::cpu::kernels_source<hd::cpu::map_kernel> map;
};

std::vector<instruction_set> instruction_sets() {
  std::vector<instruction_set> all{{"baseline", hd::cpu::baseline_reduce_kernels,
                                    hd::cpu::baseline_scan_kernels, hd::cpu::baseline_map_kernel}};
#if defined(HEDDLE_X86_KERNELS)
  const std::string best = hd::cpu_instruction_set();
  if (best != "baseline")
    all.push_back(
        {"avx2", hd::cpu::avx2_reduce_kernels, hd::cpu::avx2_scan_kernels, hd::cpu::avx2_map_kernel});
  if (best == "avx512")
    all.push_back(
        {"avx512", hd::cpu::avx512_reduce_kernels, hd::cpu::avx512_scan_kernels, hd::cpu::avx512_map_kernel});
#endif
  return all;
}

class instruction_sets_test : public testing::TestWithParam<instruction_set> {};
INSTANTIATE_TEST_SUITE_P(Cpu, instruction_sets_test, testing::ValuesIn(instruction_sets()),
                         [](const auto& info) { return info.param.name; });

/// Every number up to 140, and numbers around rows and tiles.
template <class T>
std::vector<std::size_t> sizes() {
  constexpr std::size_t lanes = lanes_of(sizeof(T), true);
  std::vector<std::size_t> all{lanes - 1, lanes,          lanes + 1,      2 * lanes - 3,
                               3 * lanes, 15 * lanes + 7, 16 * lanes - 1, 16 * lanes};
  for (std::size_t n = 1; n <= 140; ++n) all.push_back(n);
  return all;
}

// As a static object of a program asks for it, before those of the library may be there.
const std::string set_before_main = hd::cpu_instruction_set();
const hd::cpu::reduce_tile_kernel kernel_before_main =
    hd::cpu::reduce_kernels_for(hd::dtype::float32, hd::runtime_op::plus).reduce_tile;

}  // namespace

TEST(instruction_set, is_the_same_before_main) {
  EXPECT_EQ(set_before_main, hd::cpu_instruction_set());
#if defined(HEDDLE_X86_KERNELS)
  const auto of_set = set_before_main == "avx512" ? hd::cpu::avx512_reduce_kernels
                      : set_before_main == "avx2" ? hd::cpu::avx2_reduce_kernels
                                                  : hd::cpu::baseline_reduce_kernels;
  __builtin_cpu_init();
  const char* const named = std::getenv("HEDDLE_SIMD");
  if (named != nullptr && *named != '\0') {
    EXPECT_EQ(set_before_main, named);
  } else {
    EXPECT_EQ(set_before_main == "baseline",
              !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"));
  }
#else
  const auto of_set = hd::cpu::baseline_reduce_kernels;
#endif
  EXPECT_EQ(kernel_before_main, of_set(hd::dtype::float32, hd::runtime_op::plus).reduce_tile);
}

TEST_P(instruction_sets_test, reduce_tiles_in_the_documented_order) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      const hd::cpu::reduce_kernels kernels = GetParam().reduce(hd::dtype_of<T>, op.which);
      ASSERT_NE(kernels.reduce_tile, nullptr);
      const hd::array<T> x = op.operands({16 * lanes_of(sizeof(T), true)});
      for (const std::size_t n : sizes<T>()) {
        if (n > kernels.tile) continue;
        T have;
        kernels.reduce_tile(x.data(), n, &have);
        ASSERT_TRUE(same_bits(have, op.grouped(x.span().first(n)))) << op.named(n) << ": " << have;
      }
    }
  });
}

TEST_P(instruction_sets_test, scan_as_a_loop_does_and_as_the_set_that_is_chosen) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      const hd::runtime_op op = hd::impl::function_of<Op>;
      const hd::cpu::scan_kernels scan = GetParam().scan(hd::dtype_of<T>, op),
                                  chosen = hd::cpu::scan_kernels_for(hd::dtype_of<T>, op);
      ASSERT_EQ(scan.scan == nullptr, chosen.scan == nullptr);
      if (scan.scan == nullptr) return;
      constexpr std::size_t most = 1500;
      const T init = operand<T, Op>(7, most);
      const auto scanned = [&](const hd::cpu::scan_kernels& by, const hd::array<T>& x, const variant& how,
                               bool non_temporal) {
        const T start = how.has_init ? init : hd::impl::identity_of<Op, T>(Op());
        alignas(64) std::byte state[4096];
        EXPECT_LE(by.state_bytes, sizeof state);
        hd::array<T> out = x.on(hd::target::serial());
        const hd::array<T> elsewhere = x.on(hd::target::serial());
        by.start(how.exclusive || how.has_init ? &start : nullptr, state);
        by.scan(how.in_place ? out.data() : elsewhere.data(), x.size(), how.exclusive, non_temporal, state,
                out.data());
        return out;
      };
      for (std::size_t n = 1; n <= most; n += n <= 140 ? 1 : 97) {
        const hd::array<T> x = operands<T, Op>(n);
        for (unsigned v = 0; v < variants; ++v) {
          const variant how(v);
          const hd::array<T> have = scanned(scan, x, how, false);
          ASSERT_TRUE(same_elements(have, scanned(chosen, x, how, false)))
              << hd::name(op) << " of " << n << " " << hd::impl::type_name<T>() << ", " << how.text();
          ASSERT_TRUE(same_elements(have, scanned(scan, x, how, true)))
              << hd::name(op) << " of " << n << " " << hd::impl::type_name<T>() << ", " << how.text()
              << ", non-temporal";
          if constexpr (is_exact<T, Op>) {
            ASSERT_TRUE(same_elements(have, looped_by<T, Op>(x, how, init)))
                << hd::name(op) << " of " << n << " " << hd::impl::type_name<T>() << ", " << how.text();
          }
        }
      }
    });
  });
}

// As documented: NaN stays, as the one quiet NaN, and −0 lies below 0.
template <class T, class Op>
T extreme(T a, T b) {
  if (a != a) return a;
  if (b != b) return b;
  constexpr bool least = std::is_same_v<Op, hd::minimum>;
  if (a == b) return std::signbit(a) == least ? a : b;
  return (a < b) == least ? a : b;
}

TEST_P(instruction_sets_test, scans_pass_on_nan_and_tell_zeros_apart) {
  for_each_type<float, double>([&]<class T>() {
    for_each_type<hd::minimum, hd::maximum>([&]<class Op>() {
      const hd::cpu::scan_kernels by = GetParam().scan(hd::dtype_of<T>, hd::impl::function_of<Op>);
      constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
      constexpr T pattern[] = {T(1), T(0), T(-0.0), T(-3), T(-0.0), T(7), T(0)};
      for (const std::size_t n : {1, 2, 7, 8, 15, 16, 17, 40, 64, 100, 1023, 1024, 1025, 1500}) {
        for (const std::size_t place : {n, std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
          hd::array<T> x(n);
          for (std::size_t i = 0; i < n; ++i) x.data()[i] = pattern[i * i % 7];
          x.data()[n / 3] = -inf;
          x.data()[2 * n / 3] = inf;
          if (place < n) x.data()[place] = -nan;
          if (place < n && n > 3) x.data()[n - 2] = nan;
          for (const bool exclusive : {false, true}) {
            const T start = std::is_same_v<Op, hd::minimum> ? inf : -inf;
            T state = start;
            ASSERT_EQ(by.state_bytes, sizeof state);
            hd::array<T> have(n), want(n);
            // In two parts, the first of whole vectors.
            const std::size_t first = n / 2 / 4 * 4;
            by.scan(x.data(), first, exclusive, false, &state, have.data());
            by.scan(x.data() + first, n - first, exclusive, false, &state, have.data() + first);
            T so_far = start;
            for (std::size_t i = 0; i < n; ++i) {
              T next = extreme<T, Op>(so_far, x.data()[i]);
              if (next != next) next = nan;
              want.data()[i] = exclusive ? so_far : next;
              so_far = next;
            }
            ASSERT_TRUE(same_elements(have, want)) << hd::impl::type_name<T>() << ", n = " << n << ", NaN at "
                                                   << place << ", exclusive " << exclusive;
            ASSERT_TRUE(same_bits(state, so_far));
          }
        }
      }
    });
  });
}

// What threads do that take turns.
TEST_P(instruction_sets_test, reduced_blocks_leave_the_state_of_a_scan) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      const hd::runtime_op op = hd::impl::function_of<Op>;
      const hd::cpu::scan_kernels by = GetParam().scan(hd::dtype_of<T>, op);
      if (by.scan == nullptr) return;
      constexpr std::size_t row = hd::order::scan_row<T>, unit = hd::cpu::rows_in_unit * row, units = 3,
                            some = std::min<std::size_t>(12, hd::cpu::rows_in_unit), n = units * unit + 77;
      const hd::array<T> x = operands<T, Op>(n);
      const T init = operand<T, Op>(7, n);
      alignas(64) std::byte of_scan[4096], of_reduce[4096];
      ASSERT_LE(by.state_bytes, sizeof of_scan);
      hd::array<T> whole(n), rest(n - units * unit);
      by.start(&init, of_scan);
      by.scan(x.data(), n, false, false, of_scan, whole.data());
      T totals[units * hd::cpu::totals_of_unit];
      for (std::size_t u = 0; u < units; ++u) {
        T* const of_unit = &totals[u * hd::cpu::totals_of_unit];
        by.reduce_serially(x.data() + u * unit, some, 0, of_unit);
        if (some == hd::cpu::rows_in_unit) continue;
        by.reduce_serially(x.data() + u * unit + some * row, hd::cpu::rows_in_unit - some, some, of_unit);
      }
      by.start(&init, of_reduce);
      by.append(of_reduce, totals, units);
      by.scan(x.data() + units * unit, rest.size(), false, false, of_reduce, rest.data());
      ASSERT_TRUE(same_elements<T>(rest.span(), whole.span().subspan(units * unit)))
          << hd::name(op) << " of " << hd::impl::type_name<T>();
    });
  });
}

TEST_P(instruction_sets_test, combine_elements_as_plain_code_does) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      const hd::runtime_op op = hd::impl::function_of<Op>;
      const hd::cpu::map_kernel map = GetParam().map(hd::dtype_of<T>, op);
      constexpr std::size_t n = 203;
      const hd::array<T> x = operands<T, Op>(n), y = operands<T, Op>(n + 31);
      for (int constant = 0; constant < 3; ++constant) {
        const bool x_is_one = constant == 1, y_is_one = constant == 2;
        hd::array<T> have(n), want(n);
        map(x.data(), x_is_one, y.data(), y_is_one, n, false, have.data());
        for (std::size_t i = 0; i < n; ++i)
          want.data()[i] = Op()(x.data()[x_is_one ? 0 : i], y.data()[y_is_one ? 0 : i]);
        ASSERT_TRUE(same_elements(have, want)) << hd::name(op) << " of " << hd::impl::type_name<T>();
      }
    });
  });
}
