#include "array.hpp"
#include "expression_kernels.hpp"
#include "interpreter.hpp"
#include "kernels.hpp"
#include "patterns.hpp"
#include "target.hpp"
#include "transform.hpp"

namespace heddle::python {

NB_MODULE(_core, m) {
  m.def("use", &use, nb::arg("numpy"), nb::arg("error"), nb::arg("target_variable"));
  m.attr("version") = HEDDLE_VERSION;
  translate_errors();
  bind_target(m);
  bind_array(m);
  bind_patterns(m);
  bind_transform(m);
  bind_kernels(m);
  bind_expression_kernels(m);
}

}  // namespace heddle::python
