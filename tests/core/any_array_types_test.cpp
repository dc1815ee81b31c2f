#include "tests/core/small_numbers.hpp"
#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/io/npy.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// The types of arrays and values that are known at run time: conversions, files and errors.

namespace hd = heddle;
using namespace heddle::tests;

TEST(any_array_types, are_told_apart_and_visited) {
  for_each_dtype([&]<class T>() {
    hd::array<T> x = numbers<T>({2, 3});
    const T* const memory = x.data();
    hd::any_array owner(std::move(x));
    EXPECT_EQ(x.size(), 0u);
    EXPECT_EQ(owner.data(), memory);
    EXPECT_EQ(owner.dtype(), hd::dtype_of<T>);
    EXPECT_EQ(owner.shape(), (hd::shape{2, 3}));
    EXPECT_EQ(owner.bytes(), 6 * sizeof(T));
    EXPECT_EQ(owner.as<T>().data(), memory);
    EXPECT_EQ(owner.row(1).as<T>().data(), memory + 3);
    EXPECT_EQ(owner.slice(1, 2).shape(), (hd::shape{1, 3}));
    EXPECT_EQ(owner.reshaped({3, 2}).shape(), (hd::shape{3, 2}));
    EXPECT_EQ(hd::visit(owner, [](const auto& v) { return v.size() * sizeof(v.front()); }), 6 * sizeof(T));
    owner.set(1, 5);
    EXPECT_EQ(owner.back().as<T>(), T(1));
    hd::any_array copy = owner.on(hd::target());
    owner.fill(0);
    EXPECT_EQ(copy.back().as<T>(), T(1));
    EXPECT_EQ(owner[3].as<T>(), T(0));
    owner.copy_from(copy);
    EXPECT_EQ(owner.back().as<T>(), T(1));
    hd::array<T> again = std::move(owner).as<T>();
    EXPECT_EQ(again.data(), memory);
    EXPECT_EQ(owner.size(), 0u);
    const hd::any_array reshaped = std::move(copy).reshaped({6});
    EXPECT_EQ(reshaped.shape(), (hd::shape{6}));
  });
  EXPECT_EQ(hd::any_array().size(), 0u);
}

TEST(any_array_types, convert_as_numpy_does) {
  const hd::array<double> x{1.75, -2.5, 0, 300};
  const hd::any_const_view view(x);
  EXPECT_EQ(view.converted(hd::dtype::int32).as<std::int32_t>().to_vector(),
            (std::vector<std::int32_t>{1, -2, 0, 300}));
  EXPECT_EQ(view.converted(hd::dtype::boolean).as<bool>().to_vector(),
            (std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(view.converted(hd::dtype::complex64).as<std::complex<float>>().front(),
            std::complex<float>(1.75f));
}

TEST(any_value, converts_what_the_type_holds) {
  EXPECT_EQ(hd::any_value(3).to<double>(), 3.0);
  EXPECT_EQ(hd::any_value(3.0).to<std::uint8_t>(), 3);
  EXPECT_EQ(hd::any_value(std::complex<double>(2, 0)).to<float>(), 2.0f);
  EXPECT_EQ(hd::any_value(0.1).to<float>(), 0.1f);
  EXPECT_EQ(hd::any_value(1).to<bool>(), true);
  EXPECT_EQ(hd::any_value(-9223372036854775807 - 1).to<double>(), -0x1p63);
  EXPECT_TRUE(std::isnan(hd::any_value(std::numeric_limits<double>::quiet_NaN()).to<float>()));
  EXPECT_EQ(message_of([] { hd::any_value(256).to<std::uint8_t>(); }),
            "256 is no uint8: give a value that the elements can hold");
  EXPECT_EQ(message_of([] { hd::any_value(-1).to<std::uint64_t>(); }),
            "-1 is no uint64: give a value that the elements can hold");
  EXPECT_EQ(message_of([] { hd::any_value(2.5).to<int>(); }),
            "2.5 is no int32: give a value that the elements can hold");
  EXPECT_EQ(message_of([] { hd::any_value(0x1p63).to<std::int64_t>(); }),
            "9.223372036854776e+18 is no int64: give a value that the elements can hold");
  EXPECT_EQ(message_of([] { hd::any_value(1e300).to<float>(); }),
            "1e+300 is no float32: give a value that the elements can hold");
  EXPECT_EQ(message_of([] { hd::any_value(2).to<bool>(); }),
            "2 is no bool: give a value that the elements can hold");
  EXPECT_EQ(message_of([] { hd::any_value(std::complex<double>(1, 2)).to<double>(); }),
            "1+2i is no float64: give a value that the elements can hold");
  EXPECT_EQ(message_of([] { hd::any_value(1.0f).as<int>(); }), "the elements are float32, not int32");
}

TEST(any_npy, is_written_and_read_with_its_type) {
  const scratch_folder folder;
  const std::string path = folder / "x.npy";
  for_each_dtype([&]<class T>() {
    const hd::any_array x(numbers<T>({3, 4}));
    hd::write_npy(path, x);
    const hd::any_array back = hd::read_npy(path);
    ASSERT_EQ(back.dtype(), hd::dtype_of<T>);
    ASSERT_EQ(back.shape(), x.shape());
    ASSERT_EQ(back.as<T>().to_vector(), x.as<T>().to_vector());
    ASSERT_EQ(hd::read_npy<T>(path).to_vector(), x.as<T>().to_vector());
  });
  hd::write_npy(path, hd::any_array(hd::array<std::int16_t>{1, 2}));
  const hd::any_array wider = hd::npy_file(path).read_as(hd::dtype::float64);
  EXPECT_EQ(wider.as<double>().to_vector(), (std::vector<double>{1, 2}));
}

TEST(any_errors, name_what_does_not_fit) {
  const hd::target where = hd::target::serial();
  hd::any_array x(numbers<float>({4, 5})), i(numbers<std::int32_t>({4, 5})),
      z(numbers<std::complex<float>>({4, 5}));
  using hd::runtime_op;
  EXPECT_EQ(message_of([&] { x.as<double>(); }), "the elements are float32, not float64");
  EXPECT_EQ(message_of([&] { hd::reduce(where, x, runtime_op::bit_and); }),
            "reduce: 20 float32: bit_and is not defined on float32");
  EXPECT_EQ(message_of([&] { hd::reduce(where, x, runtime_op::none); }),
            "reduce: 20 float32: none is not defined on float32");
  EXPECT_EQ(message_of([&] { hd::inclusive_scan(where, x, runtime_op::minus); }),
            "inclusive_scan: 20 float32 on serial: minus is not associative: it can neither reduce nor scan");
  EXPECT_EQ(message_of([&] { hd::reduce(where, hd::any_array(hd::dtype::int8, {0}), runtime_op::minimum); }),
            "reduce: 0 int8: there are no elements, and the operator has no identity to return: give an "
            "initial value");
  EXPECT_EQ(hd::reduce(where, hd::any_array(hd::dtype::int8, {0}), runtime_op::minimum, 7).as<std::int8_t>(),
            7);
  EXPECT_EQ(hd::reduce(where, hd::any_array(hd::dtype::int8, {0}), runtime_op::multiplies).as<std::int8_t>(),
            1);
  EXPECT_EQ(
      hd::reduce(where, hd::any_array(hd::dtype::int8, {0, 3}), hd::axis{0}).as<std::int8_t>().to_vector(),
      (std::vector<std::int8_t>{0, 0, 0}));
  EXPECT_EQ(message_of([&] { hd::transform(where, x, i, runtime_op::plus); }),
            "transform: 20 float32: input 2 is int32, where the input is float32");
  EXPECT_EQ(message_of([&] { hd::transform(where, x, x.reshaped({20}), runtime_op::plus); }),
            "transform: 20 float32: input 2 has shape (20,), where the first input has (4, 5)");
  EXPECT_EQ(message_of([&] { hd::transform(where, i, 0.5, runtime_op::plus); }),
            "transform: 20 int32: 0.5 is no int32: give a value that the elements can hold");
  EXPECT_EQ(message_of([&] { hd::sort(where, z); }), "sort of complex64: complex numbers have no order");
  EXPECT_EQ(message_of([&] { hd::inclusive_scan_into(where, i, x); }),
            "inclusive_scan: 20 float32 on serial: the output is int32, where the input is float32");
  EXPECT_EQ(message_of([&] { hd::reduce_into(where, x, x, hd::axis{0}); }),
            "the output has shape (4, 5), where the result has (5,)");
  EXPECT_EQ(message_of([&] { hd::matmul(where, x, z); }),
            "the second matrix is complex64, where the input is float32");
  EXPECT_EQ(message_of([&] { hd::fft(where, i); }),
            "fft of int32: the type is float32, float64, complex64 or complex128");
  EXPECT_EQ(message_of([&] { x.copy_from(i); }), "the elements are int32, not float32");
  EXPECT_EQ(message_of([&] { hd::lower_bound(where, x, i); }),
            "lower_bound: 20 int32: the values are int32, where the sorted elements are float32");
  EXPECT_EQ(message_of([&] { hd::upper_bound(where, z, z); }),
            "upper_bound: 20 complex64: complex numbers have no order");
  EXPECT_EQ(message_of([&] { hd::copy_if(where, x, hd::array<bool>(3)); }),
            "copy_if: 20 float32 on serial: the flags: 3 elements do not fit 20");
  EXPECT_EQ(message_of([&] { hd::segmented_reduce(where, x, hd::array<std::size_t>{0, 21}); }),
            "segmented_reduce: 20 float32 on serial: segment 0 goes from element 0 to 21 of 20");
  EXPECT_EQ(message_of([&] { hd::segmented_inclusive_scan(where, x, hd::array<std::size_t>{0, 21}); }),
            "segmented_inclusive_scan: 20 float32 on serial: segment 0 goes from element 0 to 21 of 20");
  EXPECT_EQ(message_of([&] { hd::exclusive_scan_by_key(where, i.slice(0, 2), x); }),
            "exclusive_scan_by_key: 20 float32 on serial: the keys: 10 elements do not fit 20");
  EXPECT_EQ(
      message_of([&] { hd::inclusive_scan_by_key_into(where, x, x, x); }),
      "inclusive_scan_by_key: 20 float32 on serial: the output overlaps an input: write into another array");
  EXPECT_EQ(
      message_of([&] { hd::segmented_exclusive_scan_into(where, i, x, hd::array<std::size_t>{0, 20}); }),
      "segmented_exclusive_scan: 20 float32 on serial: the output is int32, where the input is float32");
  EXPECT_EQ(message_of([&] { hd::reduce_by_key(where, x, i.slice(0, 2)); }),
            "reduce_by_key: 20 int32 on serial: the values: 10 elements do not fit 20");
  EXPECT_EQ(message_of([&] { hd::identity(runtime_op::minus, hd::dtype::int8); }),
            "minus is not associative: it can neither reduce nor scan");
}
