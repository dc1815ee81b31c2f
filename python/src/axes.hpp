#pragma once

#include "operand.hpp"
#include <heddle/shape.hpp>

namespace heddle::python {

/// How a pattern goes along the axes of an argument: as along the middle one of (outer, length, inner).
struct axes_plan {
  axis_lines all;
  shape result;          ///< without these axes, or with length 1 along them
  std::size_t axis = 0;  ///< of a plan along one
  bool is_whole = false;
  bool is_reversed =
      false;  ///< of elements in Fortran's order: so are the results, and their axes in reverse

  shape whole() const { return {all.outer, all.length, all.inner}; }
  shape without() const { return {all.outer, all.inner}; }
};

/// Along which patterns go in the shapes of a plan.
constexpr axis middle{1};

/// Whether a number counts as an array of one axis: as in NumPy, not for moments and sort.
enum class number_has : bool { no_axis, an_axis };

/// Along all axes for None, along one, or along those of a tuple, which are brought together by a copy where
/// others lie between them.
/// Elements in Fortran's order stay where they are for one axis, where results go to a new array.
axes_plan plan_axes(operand& x, nb::handle axis, bool keep, bool is_new,
                    number_has numbers = number_has::an_axis);

/// Along one axis, or for None along a flat copy of the shape.
axes_plan plan_one_axis(const operand& x, nb::handle axis, number_has numbers = number_has::an_axis);

}  // namespace heddle::python
