#pragma once

#include "interpreter.hpp"

/// The patterns by the names of their operators: heddle/*.py gives them the forms and the keywords of NumPy's
/// functions. None is an argument like others.
namespace heddle::python {

void bind_reductions(nb::module_& m);
void bind_scans(nb::module_& m);
void bind_order(nb::module_& m);
void bind_products_and_transforms(nb::module_& m);
void bind_random(nb::module_& m);
void bind_selection(nb::module_& m);

}  // namespace heddle::python
