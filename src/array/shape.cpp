#include <heddle/error.hpp>
#include <heddle/shape.hpp>

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace heddle {

std::size_t shape::elements() const {
  // A length of 0 makes the product 0, however large the others are.
  if (std::find(begin(), end(), std::size_t{0}) != end()) return 0;
  std::size_t product = 1;
  for (const std::size_t length : *this) {
    if (__builtin_mul_overflow(product, length, &product)) {
      fail(fmt::format("the number of elements of shape {} does not fit 64 bits", text()));
    }
  }
  return product;
}

std::size_t shape::resolve_axis(std::ptrdiff_t axis) const {
  const auto count = static_cast<std::ptrdiff_t>(axes());
  if (count == 0) fail(fmt::format("axis {}: shape () has no axes", axis));
  if (axis < -count || axis >= count) {
    fail(fmt::format("axis {} does not exist in shape {} (axes are {} to {})", axis, text(), -count,
                     count - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

shape shape::without_axis(std::size_t axis) const {
  std::vector<std::size_t> lengths(begin(), end());
  lengths.erase(lengths.begin() +
                static_cast<std::ptrdiff_t>(resolve_axis(static_cast<std::ptrdiff_t>(axis))));
  return shape(lengths);
}

std::string shape::text() const {
  std::string result = "(";
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    if (axis > 0) result += ", ";
    result += std::to_string((*this)[axis]);
  }
  return result + (axes() == 1 ? ",)" : ")");
}

axis_lines along(const shape& whole, std::size_t axis) {
  const std::span<const std::size_t> lengths(whole.begin(), whole.end());
  const shape before(lengths.first(whole.resolve_axis(static_cast<std::ptrdiff_t>(axis))));
  const shape after(lengths.subspan(axis + 1));
  return {before.elements(), whole[axis], after.elements()};
}

}  // namespace heddle
