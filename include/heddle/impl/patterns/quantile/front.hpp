#pragma once

#include <heddle/any_array.hpp>
#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/core/any_view_of.hpp>
#include <heddle/impl/patterns/statistics/front.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace heddle::impl {

/// The quantiles or the median of lines that are in order: of which elements they are made, and how.
class sorted_line_values {
 public:
  /// Of lines of `length` elements. Throws for a fraction that is not from 0 to 1.
  static sorted_line_values quantiles(std::size_t length, std::span<const double> fractions);
  static sorted_line_values median(std::size_t length);

  /// The indices in a sorted line, ascending. The last one is that of the last element, which is NaN if any
  /// element is.
  const std::vector<std::size_t>& indices() const noexcept { return indices_; }
  /// The number of values of a line.
  std::size_t count() const noexcept { return values_.size(); }

  /// Fills `out` with the values of each line: all lines for the first value, then for the next. `elements`
  /// are those at `indices()`, on the CPU, in lines of that length.
  void compute(dtype type, const void* elements, const axis_lines& lines, int threads, double* out) const;

 private:
  /// Between which of the chosen elements a value lies, and where.
  struct place {
    std::size_t below, above;
    double fraction;
  };
  /// Makes places count chosen elements instead of elements of a line.
  void choose(std::size_t length);
  template <class T>
  void compute_line(const T* line, std::size_t step, double* out, std::size_t step_out) const;

  std::vector<std::size_t> indices_;
  std::vector<place> values_;
  bool is_median_ = false;
};

/// Throws if a line has no elements: where there are lines, each has values.
void require_elements_of_lines(const char* pattern, std::size_t length, std::size_t lines);

/// The values of all elements of x or of each line along an axis, as sorted_line_values::compute orders them:
/// on the CPU. `own` is null, or x itself where its elements may be put in order.
array<double> values_of_lines(const char* pattern, const target& where, const any_const_view& x,
                              const axis* along_axis, const sorted_line_values& of, void* own = nullptr);

/// The quantiles of all elements of x or of each line along an axis, on the target.
array<double> quantiles_of(const target& requested, const any_const_view& x, const axis* along_axis,
                           std::span<const double> fractions, void* own = nullptr);
/// The median in double, or in float of float elements.
any_array median_of(const target& requested, const any_const_view& x, const axis* along_axis,
                    void* own = nullptr);

/// The only one of the quantiles that are along the first axis.
array<double> without_first_axis(array<double> quantiles);

}  // namespace heddle::impl
