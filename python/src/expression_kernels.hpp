#pragma once

#include "interpreter.hpp"

namespace heddle::python {

/// Kernels of expressions.
void bind_expression_kernels(nb::module_& m);

}  // namespace heddle::python
