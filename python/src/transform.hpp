#pragma once

#include "interpreter.hpp"
#include <heddle/any_array.hpp>

namespace heddle::python {

/// The elements of x as `type`, as NumPy's astype makes them, by a kernel where they are.
any_array converted_by_kernel(const any_const_view& x, dtype type);

void bind_transform(nb::module_& m);

}  // namespace heddle::python
