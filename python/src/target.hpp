#pragma once

#include "interpreter.hpp"
#include <heddle/target.hpp>

namespace heddle::python {

/// The target that an argument names: a Target, its text, or for None that of `with heddle.target(…)`, of
/// HEDDLE_TARGET, or auto.
target target_from(nb::handle named);

void bind_target(nb::module_& m);

}  // namespace heddle::python
