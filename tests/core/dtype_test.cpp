#include <heddle/any_array.hpp>
#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>

#include <string>

#include <gtest/gtest.h>

namespace hd = heddle;

TEST(dtype, names_sizes_and_types_agree) {
  const struct {
    const char* name;
    std::size_t bytes;
  } types[] = {{"bool", 1},    {"int8", 1},      {"int16", 2},      {"int32", 4},  {"int64", 8},
               {"uint8", 1},   {"uint16", 2},    {"uint32", 4},     {"uint64", 8}, {"float32", 4},
               {"float64", 8}, {"complex64", 8}, {"complex128", 16}};
  int next = 0;
  for (const auto& each : types) {
    const auto type = static_cast<hd::dtype>(next++);
    EXPECT_STREQ(hd::name(type), each.name);
    EXPECT_EQ(hd::size_of(type), each.bytes);
    EXPECT_EQ(hd::parse_dtype(each.name), type);
    hd::with_type(type, [&]<class T>(T) { EXPECT_EQ(hd::dtype_of<T>, type); });
  }
}

TEST(dtype, of_a_constant_array_is_known_at_run_time) {
  const hd::any_array six(hd::array<short>(hd::shape{2, 3}));
  hd::any_array changed = six.on(hd::target());
  changed.fill(7);
  const hd::any_array& x = changed;
  x.wait();
  EXPECT_EQ(x.row(1).back().as<short>(), 7);
  EXPECT_EQ(x.reshaped({3, 2}).row(2).shape(), (hd::shape{2}));
  EXPECT_EQ(hd::any_array(x.view()).back().as<short>(), 7);
  EXPECT_EQ(hd::visit(x, [](const auto& elements) { return sizeof(elements.front()); }), 2u);
}

TEST(dtype, integers_are_told_apart_by_size_and_sign) {
  EXPECT_EQ(hd::dtype_of<long>, hd::dtype_of<long long>);
  EXPECT_EQ(hd::dtype_of<unsigned long>, hd::dtype::uint64);
  EXPECT_EQ(hd::dtype_of<const short>, hd::dtype::int16);
  EXPECT_FALSE(hd::has_dtype<long double>);
}

TEST(dtype, an_unknown_name_is_an_error_that_lists_the_names) {
  try {
    hd::parse_dtype("float16");
    FAIL();
  } catch (const hd::error& problem) {
    EXPECT_STREQ(
        problem.what(),
        "there is no element type 'float16' (the types are bool, int8, int16, int32, int64, uint8, uint16, "
        "uint32, uint64, float32, float64, complex64, complex128)");
  }
}
