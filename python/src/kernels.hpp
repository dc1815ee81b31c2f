#pragma once

#include "interpreter.hpp"

namespace heddle::python {

/// Kernels from source.
void bind_kernels(nb::module_& m);

}  // namespace heddle::python
