#pragma once

#include <heddle/any_array.hpp>
#include <heddle/impl/core/any_view_of.hpp>

namespace heddle::impl {

/// The first element of each run of equal ones, and the different elements in ascending order.
any_array first_of_runs(const target& requested, const any_const_view& x);
any_array different_elements(const target& requested, const any_const_view& x);

}  // namespace heddle::impl
