#pragma once

#include "interpreter.hpp"

namespace heddle::python {

/// The patterns by the names of their operators: heddle/*.py gives them the forms and the keywords of NumPy's
/// functions.
void bind_patterns(nb::module_& m);

}  // namespace heddle::python
