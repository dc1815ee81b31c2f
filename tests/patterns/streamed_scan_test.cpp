#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/sizes.hpp"
#include <heddle/scan.hpp>
#include <heddle/streamed_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::tests;

namespace {

class streamed_scan : public on_targets {};
HD_ON_CPU_TARGETS(streamed_scan);

/// Gives x in pieces of so many units each, over and over; every other piece is scanned in place.
template <class T>
hd::array<T> streamed(const hd::target& where, hd::runtime_op op, const hd::array<T>& x, bool exclusive,
                      const T* init, const std::vector<std::size_t>& units_a_piece) {
  std::optional<hd::any_value> start;
  if (init != nullptr) start = *init;
  hd::streamed_scan scan(where, op, hd::dtype_of<T>, exclusive, start);
  hd::array<T> out = x.on(hd::target::serial());
  std::size_t first = 0;
  for (std::size_t piece = 0; first < x.size(); ++piece) {
    const std::size_t count =
        std::min(units_a_piece[piece % units_a_piece.size()] * scan.unit(), x.size() - first);
    scan.append(piece % 2 == 0 ? x.data() + first : out.data() + first, count, out.data() + first);
    first += count;
    EXPECT_EQ(scan.size(), first);
  }
  return out;
}

/// A built-in operator on elements of T as a value, so that what the test does is compiled once for each
/// type.
template <class T>
struct scans_by {
  hd::runtime_op op;
  T (*operand)(std::size_t i, std::size_t n);
  hd::array<T> (*inclusive)(const hd::array<T>& x);
  hd::array<T> (*exclusive)(const hd::array<T>& x, const std::optional<T>& init);
};

template <class T>
std::vector<scans_by<T>> operators_on() {
  std::vector<scans_by<T>> all;
  for_each_operator<T>([&]<class Op>() {
    all.push_back({hd::impl::function_of<Op>, operand<T, Op>,
                   [](const hd::array<T>& x) { return hd::inclusive_scan(hd::target::serial(), x, Op{}); },
                   [](const hd::array<T>& x, const std::optional<T>& init) {
                     return hd::exclusive_scan(hd::target::serial(), x, Op{}, init);
                   }});
  });
  return all;
}

}  // namespace

TEST_P(streamed_scan, has_the_bits_of_a_scan_however_it_is_cut) {
  for_each_dtype([&]<class T>() {
    for (const scans_by<T>& by : operators_on<T>()) {
      const std::size_t unit = hd::streamed_scan(where, by.op, hd::dtype_of<T>, false).unit();
      for (const std::size_t n : {std::size_t{1}, unit - 1, unit, unit + 1, 7 * unit + 5}) {
        hd::array<T> x(n);
        for (std::size_t i = 0; i < n; ++i) x.data()[i] = by.operand(i, n);
        const T init = by.operand(3, 50);
        const T* const none = nullptr;
        for (const std::vector<std::size_t>& cut : {std::vector<std::size_t>{1}, {2, 0, 1, 3}, {1'000'000}}) {
          const std::string what = std::string(hd::impl::type_name<T>()) + ", operator " + hd::name(by.op) +
                                   ", n = " + std::to_string(n) + ", cut by " + std::to_string(cut[0]);
          ASSERT_TRUE(same_elements(streamed(where, by.op, x, false, none, cut), by.inclusive(x))) << what;
          ASSERT_TRUE(
              same_elements(streamed(where, by.op, x, true, none, cut), by.exclusive(x, std::nullopt)))
              << what << ", exclusive";
          ASSERT_TRUE(same_elements(streamed(where, by.op, x, true, &init, cut), by.exclusive(x, init)))
              << what << ", exclusive with init";
        }
      }
    }
  });
}

TEST_P(streamed_scan, takes_pieces_that_several_threads_share) {
  const std::size_t n = std::min<std::size_t>(3'000'017, largest_size());
  const hd::array<float> x = operands<float, hd::plus>(n);
  const float* const none = nullptr;
  const std::size_t unit = hd::streamed_scan(where, hd::runtime_op::plus, hd::dtype::float32, false).unit();
  // The largest are written by non-temporal stores.
  for (const std::size_t units : {std::size_t{100}, std::size_t{257}, std::size_t{1000}, 1'300'000 / unit}) {
    ASSERT_TRUE(same_elements(streamed(where, hd::runtime_op::plus, x, false, none, {units}),
                              hd::inclusive_scan(hd::target::serial(), x)));
    ASSERT_TRUE(same_elements(streamed(where, hd::runtime_op::plus, x, true, none, {units}),
                              hd::exclusive_scan(hd::target::serial(), x)));
  }
}

TEST(streamed_scan_errors, name_what_does_not_fit) {
  const hd::target serial = hd::target::serial();
  hd::streamed_scan scan(serial, hd::runtime_op::plus, hd::dtype::int32, false);
  std::vector<std::int32_t> x(5, 1);
  scan.append(x.data(), 0, x.data());
  scan.append(x.data(), 5, x.data());
  EXPECT_EQ(x, (std::vector<std::int32_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(message_of([&] { scan.append(x.data(), 1, x.data()); }),
            "inclusive_scan: 1 int32 on serial: a piece of 1 elements follows 5, which is no multiple of " +
                std::to_string(scan.unit()));
  EXPECT_EQ(message_of([&] { hd::streamed_scan(serial, hd::runtime_op::bit_and, hd::dtype::float32, true); }),
            "exclusive_scan: 0 float32 on serial: bit_and is not defined on float32");
  EXPECT_EQ(message_of([&] {
              hd::streamed_scan(hd::target::automatic(), hd::runtime_op::plus, hd::dtype::int32, false);
            }),
            "inclusive_scan: 0 int32 on auto: a scan of pieces needs the target serial or parallel");
}

TEST(streamed_scan_errors, takes_views_of_its_type_and_size) {
  hd::streamed_scan scan(hd::target::serial(), hd::runtime_op::plus, hd::dtype::int32, true);
  const hd::array<std::int32_t> x(std::vector<std::int32_t>{3, 1, 4});
  hd::array<std::int32_t> out(3), shorter(2);
  hd::array<float> floats(3);
  scan.append(hd::any_const_view(x), hd::any_view(out));
  EXPECT_EQ(out.to_vector(), (std::vector<std::int32_t>{0, 3, 4}));
  EXPECT_EQ(message_of([&] { scan.append(hd::any_const_view(floats), hd::any_view(out)); }),
            "exclusive_scan: 3 int32 on serial: the elements are float32, not int32");
  EXPECT_EQ(message_of([&] { scan.append(hd::any_const_view(x), hd::any_view(shorter)); }),
            "exclusive_scan: 3 int32 on serial: the output: 2 elements do not fit 3");
}
