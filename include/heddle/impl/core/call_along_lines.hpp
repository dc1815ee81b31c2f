#pragma once

#include <heddle/error.hpp>
#include <heddle/impl/core/dtype.hpp>
#include <heddle/impl/core/elements.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <optional>

namespace heddle::impl {

/// Elements of any type, by what checks, copies and messages need to know of them.
struct untyped_elements {
  const void* data;
  std::size_t size, element_bytes;
  const char* type;  ///< as messages name it
  target where;
  heddle::shape lengths;

  std::size_t bytes() const noexcept { return size * element_bytes; }
  elements<const std::byte> as_bytes() const { return {static_cast<const std::byte*>(data), bytes(), where}; }
};

template <array_like X>
untyped_elements untyped(const X& x) {
  const auto in = input(x);
  return {in.data, in.size, sizeof(*in.data), type_name<element_of<X>>(), in.where, shape_of(x)};
}

/// How often a pattern reads and writes all elements, and what it writes for each line.
struct passes {
  std::size_t read = 1, written = 0, bytes_a_line = 0;
  bool gpu_possible = true;
};

/// A call of a pattern that works along lines, up to the computation: errors name it, its lines are known,
/// its target is chosen and its elements are there. Calls with element types known at compile time and at run
/// time share it.
class call_along_lines {
 public:
  /// `along_axis` is null where all elements are one line.
  call_along_lines(const char* pattern, untyped_elements x, const axis* along_axis);

  const untyped_elements& x() const noexcept { return x_; }
  const axis_lines& lines() const noexcept { return lines_; }
  /// The shape of a result with one element for each line, and of one with `length` elements for each.
  heddle::shape without_lines() const;
  heddle::shape with_lines_of(std::size_t length) const;

  void choose_target(const target& requested, const passes& work);
  const target& where() const noexcept { return where_; }

  /// Throws where `out` has another size, or shares memory with the elements other than in place.
  void check_output(const untyped_elements& out) const;

  /// The elements, which are on the target from the first call on.
  const void* data();
  template <class T>
  const T* data_as() {
    return static_cast<const T*>(data());
  }

 private:
  untyped_elements x_;
  operation running_;
  std::optional<std::size_t> axis_;
  axis_lines lines_;
  target where_;
  std::optional<staged_input<std::byte>> staged_;
};

}  // namespace heddle::impl
