#include "target.hpp"

#include <heddle/any_patterns.hpp>
#include <heddle/kernel.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/fork.hpp>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

target default_target() {
  constinit static made_once<target> named;
  return named.get([] {
    const char* const text = std::getenv("HEDDLE_TARGET");
    return text == nullptr || *text == 0 ? target::automatic() : target::parse(text);
  });
}

const char* kind_text(const target& where) {
  switch (where.kind()) {
    case target::kind::serial:
      return "serial";
    case target::kind::parallel:
      return "parallel";
    case target::kind::gpu:
      return "gpu";
    case target::kind::automatic:
      break;
  }
  return "auto";
}

}  // namespace

target target_from(nb::handle named) {
  nb::object held;
  if (named.is_none()) {
    held = python().enclosing_target();
    if (!PyTuple_Check(held.ptr())) return default_target();
    named = PyTuple_GetItem(held.ptr(), 0);
  }
  if (PyUnicode_Check(named.ptr())) return target::parse(text_of(named));
  if (nb::isinstance<target>(named)) return *nb::inst_ptr<target>(named);
  raise(PyExc_TypeError,
        "target is a heddle.Target, or \"serial\", \"parallel\", \"parallel:N\", \"gpu\", \"gpu:ID\" "
        "or \"auto\"");
}

target place_of_expression(const target& requested, const target& data_on, std::size_t bytes_read,
                           std::size_t bytes_written) {
  const bool may_be_gpu = requested.is_automatic() && can_compile_for_gpu();
  if (may_be_gpu && data_on.is_gpu()) return on_default_stream(data_on);
  return resolve(requested, {bytes_read, bytes_written, data_on, may_be_gpu});
}

void bind_target(nb::module_& m) {
  m.def("current_target", [] { return target_from(nb::none()); });
  nb::class_<target>(m, "Target",
                     R"(Where a pattern runs: a small value that every function takes as ``target=``.

``Target("serial")`` is the calling thread, ``"parallel"`` every core, ``"parallel:8"`` eight threads, ``"gpu"`` the
first GPU, ``"gpu:1"`` the second one, and ``"auto"`` picks for each call what should finish first. Work on a GPU is
put on `stream`, the address of a CUDA stream, or on the default one. A stream has to outlive the arrays of results on it. ValueError for another text, heddle.Error for
a GPU that this machine does not have.

>>> import heddle
>>> heddle.Target("parallel:2").threads
2
)")
      .def(
          "__init__",
          [](target* self, nb::handle text, nb::handle stream) {
            if (!PyUnicode_Check(text.ptr()))
              raise(PyExc_TypeError,
                    "the text of a Target is as \"gpu:0\", and not " + nb::cast<std::string>(nb::repr(text)));
            target where = target::parse(text_of(text));
            const nb::object number = nb::steal(PyNumber_Index(stream.ptr()));
            const std::size_t address = number.is_valid() ? PyLong_AsSize_t(number.ptr()) : 0;
            if (PyErr_Occurred() != nullptr) throw nb::python_error();
            if (address != 0) {
              if (!where.is_gpu())
                raise(PyExc_ValueError, "only a GPU has streams, not \"" + where.text() + "\"");
              where = target::gpu(where.device(), reinterpret_cast<gpu_stream>(address));
            }
            new (self) target(where);
          },
          nb::arg("text").none() = "auto", nb::arg("stream").none() = 0)
      .def_static("best", &target::best, "The first GPU of this machine, or every core where it has none.")
      .def_static("available", &target::available, "The targets of this machine.")
      .def_prop_ro("kind", &kind_text, "\"serial\", \"parallel\", \"gpu\" or \"auto\".")
      .def_prop_ro("threads", &target::threads, "Threads of a CPU target.")
      .def_prop_ro("device", &target::device, "The number of the GPU.")
      .def_prop_ro(
          "stream", [](const target& where) { return reinterpret_cast<std::uintptr_t>(where.stream()); },
          "The address of the CUDA stream, 0 for the default one.")
      .def("wait", &target::wait, nb::call_guard<without_gil>(),
           "Returns once everything put on a GPU's stream has finished.")
      .def("__str__", &target::text)
      .def("__repr__", [](const target& where) { return "heddle.Target('" + where.text() + "')"; })
      .def(
          "__eq__", [](const target& a, const target& b) { return a == b; }, nb::is_operator())
      .def("__hash__",
           [](const target& where) {
             return nb::hash(nb::make_tuple(where.text(), reinterpret_cast<std::uintptr_t>(where.stream())));
           })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(), nb::make_tuple(nb::cast<const target&>(self).text()));
      });
}

}  // namespace heddle::python
