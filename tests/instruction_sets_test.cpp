#include "cpu/kernels.hpp"
#include "elements.hpp"
#include "looped_scan.hpp"
#include "operator_on.hpp"
#include <heddle/array.hpp>
#include <heddle/dtype.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// The kernels of every instruction set that this processor has, not only of the one that the library chooses.

namespace hd = heddle;
using namespace heddle::tests;

namespace {

struct instruction_set {
  const char* name;
  hd::cpu::kernels (*kernels)(hd::dtype, hd::detail::function);
};

std::vector<instruction_set> instruction_sets() {
  std::vector<instruction_set> all{{"baseline", hd::cpu::baseline_kernels}};
#if defined(HEDDLE_X86_KERNELS)
  const std::string best = hd::cpu::instruction_set();
  if (best != "baseline") all.push_back({"avx2", hd::cpu::avx2_kernels});
  if (best == "avx512") all.push_back({"avx512", hd::cpu::avx512_kernels});
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

}  // namespace

TEST_P(instruction_sets_test, fold_tiles_in_the_documented_order) {
  for_each_dtype([&]<class T>() {
    for (const operator_on<T>& op : operators_on<T>()) {
      const hd::cpu::kernels kernels = GetParam().kernels(hd::dtype_of<T>, op.which);
      ASSERT_NE(kernels.fold_tile, nullptr);
      const hd::array<T> x = op.operands({16 * lanes_of(sizeof(T), true)});
      for (const std::size_t n : sizes<T>()) {
        if (n > kernels.tile) continue;
        T have;
        kernels.fold_tile(x.data(), n, &have);
        ASSERT_TRUE(same_bits(have, op.grouped(x.span().first(n)))) << op.named(n) << ": " << have;
      }
    }
  });
}

TEST_P(instruction_sets_test, scan_as_a_loop_does_and_as_the_set_that_is_chosen) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      const hd::detail::function op = hd::detail::function_of<Op>;
      const hd::cpu::scan_kernels scan = GetParam().kernels(hd::dtype_of<T>, op).scan,
                                  chosen = hd::cpu::kernels_for(hd::dtype_of<T>, op).scan;
      ASSERT_EQ(scan.scan == nullptr, chosen.scan == nullptr);
      if (scan.scan == nullptr) return;
      constexpr std::size_t most = 1500;
      const T init = operand<T, Op>(7, most);
      const auto scanned = [&](const hd::cpu::scan_kernels& by, const hd::array<T>& x, const variant& how,
                               bool past_the_cache) {
        const T start = how.has_init ? init : hd::detail::identity_of<Op, T>(Op());
        alignas(64) std::byte state[512];
        hd::array<T> out = x.on(hd::target::serial());
        const hd::array<T> elsewhere = x.on(hd::target::serial());
        by.start(how.exclusive || how.has_init ? &start : nullptr, state);
        by.scan(how.in_place ? out.data() : elsewhere.data(), x.size(), how.exclusive, past_the_cache, state,
                out.data());
        return out;
      };
      for (std::size_t n = 1; n <= most; n += n <= 140 ? 1 : 97) {
        const hd::array<T> x = operands<T, Op>(n);
        for (unsigned v = 0; v < variants; ++v) {
          const variant how(v);
          const hd::array<T> have = scanned(scan, x, how, false);
          ASSERT_TRUE(same_elements(have, scanned(chosen, x, how, false)))
              << hd::detail::name(op) << " of " << n << " " << hd::detail::type_name<T>() << ", "
              << how.text();
          ASSERT_TRUE(same_elements(have, scanned(scan, x, how, true)))
              << hd::detail::name(op) << " of " << n << " " << hd::detail::type_name<T>() << ", "
              << how.text() << ", past the cache";
          if constexpr (is_exact<T, Op>) {
            ASSERT_TRUE(same_elements(have, looped_by<T, Op>(x, how, init)))
                << hd::detail::name(op) << " of " << n << " " << hd::detail::type_name<T>() << ", "
                << how.text();
          }
        }
      }
    });
  });
}

TEST_P(instruction_sets_test, combine_elements_as_plain_code_does) {
  for_each_dtype([&]<class T>() {
    for_each_operator<T>([&]<class Op>() {
      const hd::detail::function op = hd::detail::function_of<Op>;
      const hd::cpu::kernels kernels = GetParam().kernels(hd::dtype_of<T>, op);
      constexpr std::size_t n = 203;
      const hd::array<T> x = operands<T, Op>(n), y = operands<T, Op>(n + 31);
      for (int constant = 0; constant < 3; ++constant) {
        const bool x_is_one = constant == 1, y_is_one = constant == 2;
        hd::array<T> have(n), want(n);
        kernels.map(x.data(), x_is_one, y.data(), y_is_one, n, false, have.data());
        for (std::size_t i = 0; i < n; ++i)
          want.data()[i] = Op()(x.data()[x_is_one ? 0 : i], y.data()[y_is_one ? 0 : i]);
        ASSERT_TRUE(same_elements(have, want))
            << hd::detail::name(op) << " of " << hd::detail::type_name<T>();
      }
    });
  });
}
