#include <heddle/error.hpp>
#include <heddle/shape.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;

namespace {

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const hd::error& problem) {
    return problem.what();
  }
  return "no error";
}

}  // namespace

TEST(shape, elements_is_the_product_of_the_lengths) {
  EXPECT_EQ(hd::shape().elements(), 1u);
  EXPECT_EQ((hd::shape{7}).elements(), 7u);
  EXPECT_EQ((hd::shape{2, 3, 4}).elements(), 24u);
  EXPECT_EQ((hd::shape{4294967296, 4294967295}).elements(), 18446744069414584320u);
  EXPECT_EQ((hd::shape{SIZE_MAX, SIZE_MAX, 0}).elements(), 0u);
  EXPECT_EQ(message_of([] { (void)hd::shape{4294967296, 4294967296}.elements(); }),
            "the number of elements of shape (4294967296, 4294967296) does not fit 64 bits");
}

TEST(shape, that_was_moved_from_has_no_axes) {
  hd::shape x{1, 2, 3, 4, 5, 6};
  hd::shape y = std::move(x);
  EXPECT_EQ(x, hd::shape());
  EXPECT_EQ(x.elements(), 1u);
  EXPECT_EQ(y, (hd::shape{1, 2, 3, 4, 5, 6}));
  x = std::move(y);
  EXPECT_EQ(x.text(), "(1, 2, 3, 4, 5, 6)");
  EXPECT_EQ(y.text(), "()");
  y = x;
  EXPECT_EQ(y, x);
}

TEST(shape, has_any_number_of_axes) {
  std::vector<std::size_t> lengths;
  for (std::size_t axes = 0; axes < 40; ++axes) {
    const hd::shape whole(lengths);
    EXPECT_EQ(whole.axes(), axes);
    EXPECT_TRUE(std::equal(whole.begin(), whole.end(), lengths.begin(), lengths.end()));
    EXPECT_EQ(hd::shape(whole), whole);
    if (axes > 0) {
      const hd::shape changed = whole.with_length(axes - 1, 7);
      EXPECT_EQ(changed[axes - 1], 7u);
      EXPECT_FALSE(changed == whole);
      EXPECT_EQ(changed.without_axis(axes - 1), whole.without_axis(axes - 1));
    }
    lengths.push_back(axes % 3 + 1);
  }
}

TEST(shape, text_is_as_numpy_writes_it) {
  EXPECT_EQ(hd::shape().text(), "()");
  EXPECT_EQ(hd::shape{5}.text(), "(5,)");
  EXPECT_EQ((hd::shape{3, 0, 4}).text(), "(3, 0, 4)");
}

TEST(shape, an_axis_counts_from_the_front_or_from_the_back) {
  const hd::shape whole{2, 3, 4};
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(whole.resolve_axis(axis), static_cast<std::size_t>(axis));
    EXPECT_EQ(whole.resolve_axis(axis - 3), static_cast<std::size_t>(axis));
  }
  EXPECT_EQ(message_of([&] { (void)whole.resolve_axis(3); }),
            "axis 3 does not exist in shape (2, 3, 4) (axes are -3 to 2)");
  EXPECT_EQ(message_of([&] { (void)whole.resolve_axis(-4); }),
            "axis -4 does not exist in shape (2, 3, 4) (axes are -3 to 2)");
  EXPECT_EQ(message_of([] { (void)hd::shape().resolve_axis(0); }), "axis 0: shape () has no axes");
}

TEST(shape, without_axis_and_along_agree_with_the_places_of_elements) {
  const hd::shape whole{2, 3, 4};
  EXPECT_EQ(whole.without_axis(0), (hd::shape{3, 4}));
  EXPECT_EQ(whole.without_axis(1), (hd::shape{2, 4}));
  EXPECT_EQ(whole.without_axis(2), (hd::shape{2, 3}));
  EXPECT_EQ(hd::shape{5}.without_axis(0), hd::shape());
  EXPECT_EQ(message_of([&] { (void)whole.without_axis(3); }),
            "axis 3 does not exist in shape (2, 3, 4) (axes are -3 to 2)");
  const std::size_t expected[3][3] = {{1, 2, 12}, {2, 3, 4}, {6, 4, 1}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const hd::axis_lines part = hd::along(whole, axis);
    EXPECT_EQ(part.outer, expected[axis][0]);
    EXPECT_EQ(part.length, expected[axis][1]);
    EXPECT_EQ(part.inner, expected[axis][2]);
  }
}
