#pragma once

#include "interpreter.hpp"

namespace heddle::python {

void bind_transform(nb::module_& m);

}  // namespace heddle::python
