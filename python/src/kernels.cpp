#include "kernels.hpp"

#include "kernel_argument.hpp"
#include "target.hpp"
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>

#include <cstddef>
#include <deque>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

dimensions dimensions_from(const std::vector<std::size_t>& lengths) {
  return {lengths.at(0), lengths.at(1), lengths.at(2)};
}

/// The options that a source is compiled with.
module_options options_from(std::vector<std::string> definitions, std::vector<std::string> include_folders,
                            std::string standard, std::vector<std::string> flags, std::string name,
                            std::vector<std::string> name_expressions) {
  module_options options;
  options.definitions = std::move(definitions);
  options.include_folders = std::move(include_folders);
  options.standard = std::move(standard);
  options.flags = std::move(flags);
  options.name = std::move(name);
  options.name_expressions = std::move(name_expressions);
  return options;
}

/// Without the GIL; whatever is wrong with a source is an error of its compilation.
heddle::module compiled(const target& where, const std::string& source, bool is_file,
                        const module_options& options) {
  std::string wrong;
  {
    const nb::gil_scoped_release released;
    try {
      return is_file ? module::from_file(where, source, options) : module(where, source, options);
    } catch (const error& e) {
      wrong = e.what();
    }
  }
  raise(python().error, wrong);
}

void launch(const kernel_function& function, const std::vector<std::size_t>& grid,
            const std::vector<std::size_t>& block, std::size_t shared_bytes, const nb::tuple& given) {
  const std::vector<kernel_parameter>* const parameters = function.parameters();
  const std::size_t count = nb::len(given);
  if (parameters != nullptr && parameters->size() != count)
    raise(PyExc_TypeError, function.name() + " " + number_of_arguments(parameters->size(), count));
  kernel_parameter unknown;
  unknown.is_known = false;
  std::deque<given_argument> arguments;
  std::vector<untyped_argument> all;
  for (std::size_t k = 0; k < count; ++k) {
    const kernel_parameter& p = parameters != nullptr ? (*parameters)[k] : unknown;
    const bool takes_array = p.is_pointer || (!p.is_known && (p.size == 0 || p.size == sizeof(void*)));
    const expected_argument by{place_of_argument(function.name(), k, p.name), p, !p.is_pointer, takes_array,
                               takes_array && !p.is_const};
    all.push_back(arguments.emplace_back(given[k], by).is());
  }
  const nb::gil_scoped_release released;
  function(dimensions_from(grid), dimensions_from(block), shared_bytes).call(all);
}

kernel_function function_of(const module& from, const std::string& name) {
  const nb::gil_scoped_release released;
  return from.function(name);
}

}  // namespace

void bind_kernels(nb::module_& m) {
  const auto none = nb::arg().none();
  nb::class_<module_options>(m, "CompileOptions")
      .def("__init__",
           [](module_options* self, std::vector<std::string> definitions,
              std::vector<std::string> include_folders, std::string standard, std::vector<std::string> flags,
              std::string name, std::vector<std::string> name_expressions) {
             new (self) module_options(options_from(std::move(definitions), std::move(include_folders),
                                                    std::move(standard), std::move(flags), std::move(name),
                                                    std::move(name_expressions)));
           });
  nb::class_<kernel_function>(m, "CompiledFunction")
      .def_prop_ro("signature", &kernel_function::signature)
      .def("launch", &launch);
  nb::class_<module>(m, "CompiledModule")
      .def(
          "__init__",
          [](module* self, nb::handle where, const std::string& source, bool is_file,
             const module_options& options) {
            new (self) module(compiled(target_from(where), source, is_file, options));
          },
          none, nb::arg(), nb::arg(), nb::arg())
      .def("function", &function_of)
      .def_prop_ro("where", &module::where)
      .def_prop_ro("was_cached", &module::was_cached);
}

}  // namespace heddle::python
