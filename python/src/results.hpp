#pragma once

#include "axes.hpp"
#include "operand.hpp"
#include <heddle/any_array.hpp>

#include <cstddef>
#include <optional>

/// Code that patterns share between their arguments and their results.
namespace heddle::python {

using optional_value = std::optional<any_value>;

bool is_true(nb::handle x);
void convert(operand& x, dtype type);
/// The arguments of a function of two arrays, in the type that holds both.
void convert_to_common(operand& a, operand& b);
void require_ordered(const char* what, dtype type);

/// The type that elements are combined in: `wanted` unless it is None, or else their own type. Sums and
/// products, which `widens` names, combine integers in 64 bits, and in floating point if `out` has such a
/// type: then in the type that holds both. `out` never narrows the type; output::finish converts once.
dtype combined_in(dtype type, bool widens, nb::handle wanted, nb::handle out);
optional_value initial_value(nb::handle initial, dtype type);

/// The target itself, or what `auto` picks for this call, where results stay.
target place_of_result(const target& where, const operand& x, std::size_t bytes_written);
/// Where a pattern writes its results: for a new heddle.Array, which stays there, what `auto` picks.
target place_of_output(const target& where, const operand& x, std::size_t bytes_written);

/// A result along an axis of elements in Fortran's order, as those of the plan.
nb::object turned(const nb::object& result, const axes_plan& plan);
/// The result of a function of x that makes a new array: the array, or `out` with its elements.
nb::object delivered(any_array&& result, std::optional<dtype> as, nb::handle out, const operand& x);

}  // namespace heddle::python
