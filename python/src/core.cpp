#include "array.hpp"
#include "expression_kernels.hpp"
#include "interpreter.hpp"
#include "kernels.hpp"
#include "patterns.hpp"
#include "ranks.hpp"
#include "simulations/simulations.hpp"
#include "stencil.hpp"
#include "strided.hpp"
#include "target.hpp"
#include "transform.hpp"
#include "vectorized.hpp"
#include <heddle/support/cuda_folders.hpp>

#include <string>

#include <nanobind/stl/string.h>

namespace heddle::python {

NB_MODULE(_core, m) {
  m.def("use", &use, nb::arg("numpy"), nb::arg("error"), nb::arg("target_variable"));
  m.def("add_cuda_folder", [](const std::string& folder) { add_cuda_folder(folder); });
  m.def("call_at_checks", &call_at_checks, nb::arg("function").none());
  m.attr("version") = HEDDLE_VERSION;
  translate_errors();
  bind_target(m);
  bind_array(m);
  bind_reductions(m);
  bind_scans(m);
  bind_order(m);
  bind_products_and_transforms(m);
  bind_random(m);
  bind_selection(m);
  bind_ranks(m);
  bind_transform(m);
  bind_kernels(m);
  bind_expression_kernels(m);
  bind_vectorized(m);
  bind_simulations(m);
  bind_stencil(m);
  bind_strided(m);
}

}  // namespace heddle::python
