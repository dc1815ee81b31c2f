#pragma once

#include "interpreter.hpp"

namespace heddle::python {

void bind_stencil(nb::module_& m);

}  // namespace heddle::python
