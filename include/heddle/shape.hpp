#pragma once

#include <heddle/compiler.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The lengths of an array along each of its axes, slowest first (C order). There may be any number of axes;
/// an array without axes has one element.
class shape {
 public:
  shape() = default;
  shape(std::initializer_list<std::size_t> lengths) : shape(std::span(lengths.begin(), lengths.size())) {}
  explicit shape(std::span<const std::size_t> lengths) : axes_(lengths.size()) {
    if (axes_ > few_.size()) many_.resize(axes_);
    std::copy(lengths.begin(), lengths.end(), data());
  }
  shape(const shape&) = default;
  shape& operator=(const shape&) = default;
  // Moving a shape leaves one without axes.
  shape(shape&& other) noexcept
      : axes_(std::exchange(other.axes_, 0)), few_(other.few_), many_(std::move(other.many_)) {}
  shape& operator=(shape&& other) noexcept {
    many_ = std::move(other.many_);
    few_ = other.few_;
    axes_ = std::exchange(other.axes_, 0);
    return *this;
  }

  std::size_t axes() const noexcept { return axes_; }
  std::size_t operator[](std::size_t axis) const { return begin()[axis]; }
  const std::size_t* begin() const noexcept { return axes_ > few_.size() ? many_.data() : few_.data(); }
  const std::size_t* end() const noexcept { return begin() + axes_; }

  /// The product of the lengths; throws heddle::error when it does not fit 64 bits.
  std::size_t elements() const;

  /// `axis` counted from the front, or from the back when negative as in NumPy; throws when there is no such
  /// axis.
  std::size_t resolve_axis(std::ptrdiff_t axis) const;

  /// This shape less one axis.
  shape without_axis(std::size_t axis) const;

  /// This shape with another length of one axis.
  shape with_length(std::size_t axis, std::size_t length) const {
    shape changed = *this;
    changed.data()[axis] = length;
    return changed;
  }

  /// As NumPy writes it: "(3, 4)", "(5,)", "()".
  std::string text() const;

  friend bool operator==(const shape& a, const shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::size_t* data() noexcept { return axes_ > few_.size() ? many_.data() : few_.data(); }

  std::size_t axes_ = 0;
  std::array<std::size_t, 4> few_{};  // up to so many axes take no allocation
  std::vector<std::size_t> many_;
};

/// The axis that a pattern works along; negative counts from the last, as in NumPy.
struct axis {
  std::ptrdiff_t index;
};

/// An array seen as its lines along one axis: element k of line (i, j) is at (i·length + k)·inner + j. The
/// whole of a flat array is one line. A pattern along an axis works on outer·inner lines of `length` elements
/// each.
struct axis_lines {
  std::size_t outer = 1;
  std::size_t length = 0;
  std::size_t inner = 1;

  HD_INLINE std::size_t count() const noexcept { return outer * inner; }
  HD_INLINE std::size_t elements() const noexcept { return outer * length * inner; }
  /// Where the first element of a line is.
  HD_INLINE std::size_t begin_of(std::size_t line) const noexcept {
    return line / inner * length * inner + line % inner;
  }
};

/// The lines of `whole` along `axis`.
axis_lines along(const shape& whole, std::size_t axis);

}  // namespace heddle
