#pragma once

#include "interpreter.hpp"

namespace heddle::python {

void bind_vectorized(nb::module_& m);

}  // namespace heddle::python
