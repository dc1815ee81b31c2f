#pragma once

#include "operand.hpp"

#include <cstddef>
#include <string>
#include <utility>

/// The simulations of the command: heddle/_*.py give them the forms that users see.
namespace heddle::python {

void bind_simulations(nb::module_& m);
void bind_laplace(nb::module_& m);
void bind_lattice_boltzmann(nb::module_& m);
void bind_life(nb::module_& m);

/// The argument's elements in C order, of type T, on the CPU, for a function that reads them now.
template <class T>
array<T> elements_on_cpu(nb::handle x) {
  operand given(x);
  const without_gil released(given.bytes(), given.where());
  given.convert(dtype_of<T>);
  return given.view().template as<T>().on(target());
}

/// A field of a simulation, which is on the CPU: NumPy's array, or a heddle.Array on a target that is a GPU.
template <class T>
nb::object field_of(array<T>&& values, const target& where) {
  any_array field(std::move(values));
  if (where.is_gpu()) {
    const nb::gil_scoped_release released;
    field = field.on(where);
  }
  return result_of(std::move(field), where.is_gpu());
}

/// The one of several that has this name; ValueError names all.
template <class E, std::size_t N>
E one_named(const char* what, const E (&all)[N], const std::string& text) {
  std::string names;
  for (const E one : all) {
    if (text == name(one)) return one;
    names += std::string(names.empty() ? "" : ", ") + name(one);
  }
  raise(PyExc_ValueError, std::string(what) + " is one of " + names + ", not \"" + text + "\"");
}

}  // namespace heddle::python
