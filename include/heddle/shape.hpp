#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace heddle {

/// The lengths of an array along each of its axes, slowest first (C order). Any number of axes; none is one
/// element.
class shape {
 public:
  shape() = default;
  shape(std::initializer_list<std::size_t> lengths) : lengths_(lengths) {}
  explicit shape(std::vector<std::size_t> lengths) : lengths_(std::move(lengths)) {}

  std::size_t axes() const noexcept { return lengths_.size(); }
  std::size_t operator[](std::size_t axis) const { return lengths_[axis]; }
  auto begin() const noexcept { return lengths_.begin(); }
  auto end() const noexcept { return lengths_.end(); }

  /// The product of the lengths; throws heddle::error when it does not fit 64 bits.
  std::size_t elements() const;

  /// `axis` counted from the front, or from the back when negative as in NumPy; throws when there is no such
  /// axis.
  std::size_t resolve_axis(std::ptrdiff_t axis) const;

  /// This shape less one axis.
  shape without_axis(std::size_t axis) const;

  /// As NumPy writes it: "(3, 4)", "(5,)", "()".
  std::string text() const;

  friend bool operator==(const shape&, const shape&) = default;

 private:
  std::vector<std::size_t> lengths_;
};

/// An array seen along one axis: element k of segment (i, j) is at (i·length + k)·inner + j. The whole of a
/// flat array is one segment. A pattern along an axis works on outer·inner segments of `length` elements
/// each.
struct segments {
  std::size_t outer = 1;
  std::size_t length = 0;
  std::size_t inner = 1;

  HD_INLINE std::size_t count() const noexcept { return outer * inner; }
  HD_INLINE std::size_t elements() const noexcept { return outer * length * inner; }
};

/// `whole` as segments along `axis`.
segments along(const shape& whole, std::size_t axis);

}  // namespace heddle
