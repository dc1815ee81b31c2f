#include "expression_kernels.hpp"

#include "jit/expression.hpp"
#include "kernel_argument.hpp"
#include "target.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/memory.hpp>
#include <heddle/impl/target.hpp>
#include <heddle/kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

using impl::parameter_description;

/// A pointer to all elements of an array, which a parameter stands for: "const float"; empty for none.
using pointer_types = std::vector<std::string>;

class expression {
 public:
  expression(const std::string& name, const std::string& parameters, const std::string& operation,
             const pointer_types& pointers, const std::string& preamble, const module_options& compile)
      : name_(name), parameters_(impl::parse_parameters(parameters, operation)) {
    state_ = impl::elementwise_expression(parameters, operation, options(preamble, false, compile));
    take_pointers(pointers);
  }
  expression(const std::string& name, bool scans, dtype type, const std::string& parameters,
             const std::string& map, const std::string& combine, const std::string& identity,
             const pointer_types& pointers, bool is_commutative, const std::string& preamble,
             const module_options& compile)
      : name_(name), parameters_(impl::parse_parameters(parameters, "")), type_(type) {
    state_ = impl::combining_expression(scans, type, parameters, map, combine, identity,
                                        options(preamble, is_commutative, compile));
    take_pointers(pointers);
  }

  /// The arguments of one call, and where it runs. `size` counts the elements where all arrays are pointers.
  struct call {
    std::deque<given_argument> given;
    std::vector<impl::expression_argument> all;
    impl::expression_call prepared;
    bool gives_array = false, has_elements = false;
  };

  template <class Run>
  void run(call& c, const nb::tuple& arguments, nb::handle target_wanted, std::size_t size,
           const Run& run) const {
    const target requested = target_from(target_wanted);
    take(c, arguments);
    const nb::gil_scoped_release released;
    prepare(c, requested, size);
    const auto each_pointer = [&](const auto& f) {
      for (std::size_t k = 0; k < c.given.size(); ++k)
        if (pointers_[k].is_pointer && c.given[k].is().where != nullptr) f(k, c.given[k].where());
    };
    each_pointer([&](std::size_t k, const target& where) {
      if (!impl::same_memory(where, c.prepared.where))
        throw error(place(k) + " is on " + where.text() + ", and the kernel runs on " +
                    c.prepared.where.text() + ": bring it there with on()");
      impl::order(where, c.prepared.where);
    });
    run(*state_, c.prepared, c.all.data());
    each_pointer([&](std::size_t, const target& where) { impl::order(c.prepared.where, where); });
    // Arrays on the CPU are copied to a GPU and back.
    const bool is_copied = std::any_of(c.given.begin(), c.given.end(), [](const given_argument& a) {
      return a.is_array() && !a.where().is_gpu();
    });
    if (is_copied && c.prepared.where.is_gpu()) c.prepared.where.wait();
  }

  dtype type() const { return type_; }

 private:
  expression_options options(const std::string& preamble, bool is_commutative,
                             const module_options& compile) const {
    expression_options result;
    result.preamble = preamble;
    result.is_commutative = is_commutative;
    result.name = name_;
    result.compile = compile;
    return result;
  }

  void take_pointers(const pointer_types& types) {
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const bool is_pointer = k < types.size() && !types[k].empty();
      pointers_.push_back(is_pointer ? impl::parameter_in(types[k] + "*") : parameters_[k].known);
      pointers_.back().is_pointer = is_pointer;
    }
  }

  std::string place(std::size_t k) const { return place_of_argument(name_, k, parameters_[k].name); }

  void take(call& c, const nb::tuple& arguments) const {
    const std::size_t count = nb::len(arguments);
    if (count != parameters_.size())
      raise(PyExc_TypeError, name_ + " " + number_of_arguments(parameters_.size(), count));
    for (std::size_t k = 0; k < count; ++k) {
      const parameter_description& p = pointers_[k];
      const bool is_written = parameters_[k].is_written || (p.is_pointer && !p.is_const);
      const given_argument& a = c.given.emplace_back(
          arguments[k], expected_argument{place(k), p, !is_written && !p.is_pointer, true, is_written});
      if (a.is_array() && a.is().where == nullptr && !p.is_pointer)
        raise(PyExc_TypeError,
              place(k) + ": the kernel takes " + parameters_type(k) + ", and None was given");
      const bool are_numbers =
          p.type != impl::number::other && a.is().type != impl::number::other && p.components == 1;
      if (are_numbers ? p.type != a.is().type : p.size != 0 && a.is().size != p.size) {
        const char* const given =
            a.is().type == impl::number::other ? "another type" : impl::name(a.is().type);
        raise(PyExc_TypeError, place(k) + ": the kernel takes " + (a.is_array() ? "an array of " : "") +
                                   parameters_type(k) + ", and " + (a.is_array() ? "an array" : "a value") +
                                   " of " + given + " was given");
      }
      c.gives_array |= a.gives_array();
      c.has_elements |= a.is_array() && !p.is_pointer;
      if (p.is_pointer) {
        c.all.push_back({{&pointer_in(a), impl::number::other, sizeof(void*)}, nullptr, {}, false});
      } else {
        c.all.push_back({a.is(), a.data(), a.lengths(), a.is_array()});
      }
    }
  }

  static const void* const& pointer_in(const given_argument& a) {
    return *static_cast<const void* const*>(a.is().value);
  }

  std::string parameters_type(std::size_t k) const {
    if (!pointers_[k].is_pointer) return parameters_[k].type;
    std::string text = pointers_[k].text();
    text.pop_back();
    return text.starts_with("const ") ? text.substr(6) : text;
  }

  void prepare(call& c, const target& requested, std::size_t size) const {
    target where = requested;
    std::size_t bytes = 0;
    bool has_pointers = false;
    target data_on;
    for (std::size_t k = 0; k < c.given.size(); ++k) {
      if (!c.given[k].is_array()) continue;
      bytes += c.given[k].bytes();
      has_pointers = has_pointers || pointers_[k].is_pointer;
      if (pointers_[k].is_pointer && c.given[k].where().is_gpu()) data_on = c.given[k].where();
    }
    // What pointers point to is not moved.
    if (requested.is_automatic() && has_pointers)
      where = data_on.is_gpu() ? data_on : resolve(requested, {bytes, 0, data_on, false});
    if (c.has_elements || !has_pointers) {
      c.prepared = impl::prepare(*state_, where, c.all.data(), c.all.size());
    } else {
      c.prepared = {where, shape{size}};
    }
  }

  std::string name_;
  std::vector<impl::expression_parameter> parameters_;
  std::vector<parameter_description> pointers_;  ///< of each parameter; pointers to all elements
  std::shared_ptr<impl::expression_state> state_;
  dtype type_ = dtype::boolean;
};

void run_elementwise(const expression& e, const nb::tuple& arguments, nb::handle where, std::size_t size) {
  expression::call c;
  e.run(c, arguments, where, size,
        [](impl::expression_state& state, const impl::expression_call& call,
           const impl::expression_argument* all) { impl::run_elementwise(state, call, all); });
}

nb::object run_reduction(const expression& e, const nb::tuple& arguments, nb::handle where,
                         std::size_t size) {
  expression::call c;
  any_array value(e.type(), shape{1}, target());
  e.run(c, arguments, where, size,
        [&](impl::expression_state& state, const impl::expression_call& call,
            const impl::expression_argument* all) { impl::run_reduction(state, call, all, value.data()); });
  return numpy_scalar(value.front());
}

nb::object run_scan(const expression& e, const nb::tuple& arguments, nb::handle where, std::size_t size,
                    bool is_exclusive) {
  expression::call c;
  std::optional<any_array> result;
  e.run(c, arguments, where, size,
        [&](impl::expression_state& state, const impl::expression_call& call,
            const impl::expression_argument* all) {
          result.emplace(e.type(), call.lengths, call.where);
          impl::run_scan(state, call, all, is_exclusive, result->data());
        });
  return result_of(std::move(*result), c.gives_array);
}

}  // namespace

void bind_expression_kernels(nb::module_& m) {
  const auto none = nb::arg().none();
  nb::class_<expression>(m, "Expression")
      .def(nb::init<const std::string&, const std::string&, const std::string&, const pointer_types&,
                    const std::string&, const module_options&>())
      .def("__init__",
           [](expression* self, const std::string& name, bool scans, nb::handle type,
              const std::string& parameters, const std::string& map, const std::string& combine,
              const std::string& identity, const pointer_types& pointers, bool is_commutative,
              const std::string& preamble, const module_options& compile) {
             new (self) expression(name, scans, dtype_from(type), parameters, map, combine, identity,
                                   pointers, is_commutative, preamble, compile);
           })
      .def("elementwise", &run_elementwise, nb::arg(), none, nb::arg())
      .def("reduce", &run_reduction, nb::arg(), none, nb::arg())
      .def("scan", &run_scan, nb::arg(), none, nb::arg(), nb::arg());
}

}  // namespace heddle::python
