#include "expression_kernels.hpp"

#include "kernel_argument.hpp"
#include "target.hpp"
#include <heddle/any_array.hpp>
#include <heddle/any_kernel.hpp>
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

/// A pointer to all elements of an array, which a parameter stands for: "const float"; empty for none.
using pointer_types = std::vector<std::string>;

/// Calls f; its errors name the kernel instead of its class in C++.
template <class F>
auto with_name(const std::string& name, const F& f) {
  try {
    return f();
  } catch (const error& e) {
    const std::string text = e.what();
    for (const std::string_view type : {"elementwise_kernel", "reduction_kernel", "scan_kernel"})
      if (text.starts_with(type)) throw error(name + text.substr(type.size()));
    throw;
  }
}

/// An expression and how it takes arguments.
template <class Kernel>
class expression {
 public:
  expression(const std::string& name, const Kernel& kernel, const pointer_types& pointers)
      : name_(name), kernel_(kernel) {
    const std::vector<expression_parameter>& all = kernel_.parameters();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const bool is_pointer = k < pointers.size() && !pointers[k].empty();
      parameters_.push_back(is_pointer ? kernel_parameter_of(pointers[k] + "*") : all[k].known);
      parameters_.back().is_pointer = is_pointer;
    }
  }

  /// Calls f(kernel, target, arguments) without the GIL. Says whether results are a heddle.Array.
  template <class F>
  bool call(const nb::tuple& arguments, nb::handle target_wanted, const F& f) const {
    const target requested = target_from(target_wanted);
    const std::size_t count = nb::len(arguments);
    if (count != parameters_.size())
      raise(PyExc_TypeError, name_ + " " + number_of_arguments(parameters_.size(), count));
    std::deque<given_argument> given;
    std::deque<const void*> addresses;
    std::vector<untyped_argument> all;
    bool gives_array = false;
    for (std::size_t k = 0; k < count; ++k) {
      const given_argument& a = take(k, arguments[k], given);
      gives_array = gives_array || a.gives_array();
      if (parameters_[k].is_pointer) {
        all.push_back({&addresses.emplace_back(a.is().data), sizeof(void*), false});
      } else {
        all.push_back(a.is());
      }
    }
    const without_gil released;
    bool is_of_another_stream = false;
    const target where = place_of_pointers(requested, given, is_of_another_stream);
    with_name(name_, [&] { f(kernel_, where, all); });
    // An owner may free on its own stream what is still being read.
    if (is_of_another_stream) where.wait();
    return gives_array;
  }

  bool has_pointers() const {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [](const kernel_parameter& p) { return p.is_pointer; });
  }

 private:
  std::string place(std::size_t k) const { return place_of_argument(name_, k, kernel_.parameters()[k].name); }

  const given_argument& take(std::size_t k, nb::handle x, std::deque<given_argument>& given) const {
    const kernel_parameter& p = parameters_[k];
    const bool is_written = p.is_pointer ? !p.is_const : kernel_.parameters()[k].is_written;
    const given_argument& a =
        given.emplace_back(x, expected_argument{place(k), p, !is_written && !p.is_pointer, true, is_written});
    const auto fail = [&](const std::string& what) {
      raise(PyExc_TypeError, place(k) + ": the kernel takes " + (a.is().is_array ? "an array of " : "") +
                                 element_text(k) + ", and " + what + " was given");
    };
    if (a.is_null()) fail("None");
    const bool are_numbers =
        p.type != kernel_number::other && a.is().type != kernel_number::other && p.components == 1;
    if (are_numbers ? p.type != a.is().type : p.size != 0 && a.is().bytes != p.size) {
      kernel_parameter element;
      element.type = a.is().type;
      fail((a.is().is_array ? "an array of " : "a value of ") +
           (element.type == kernel_number::other ? "another type" : element.text()));
    }
    return a;
  }

  /// The type of an element, as the source writes it.
  std::string element_text(std::size_t k) const {
    if (!parameters_[k].is_pointer) return kernel_.parameters()[k].type;
    kernel_parameter element = parameters_[k];
    element.is_pointer = false;
    return element.text();
  }

  /// Where the kernel runs: where arrays on a GPU are, and what pointers point to, which is not moved.
  target place_of_pointers(const target& requested, const std::deque<given_argument>& given,
                           bool& is_of_another_stream) const {
    target where = requested;
    if (requested.is_automatic()) {
      std::size_t bytes = 0;
      for (const given_argument& a : given) {
        bytes += a.size_in_bytes();
        if (a.is().is_array && a.is().where.is_gpu()) where = on_default_stream(a.is().where);
      }
      if (where.is_automatic() && has_pointers()) where = resolve(requested, {bytes, 0, target(), false});
    }
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (!parameters_[k].is_pointer) continue;
      const target& place_of_array = given[k].is().where;
      if (place_of_array.is_gpu() != where.is_gpu() ||
          (where.is_gpu() && place_of_array.device() != where.device()))
        throw error(place(k) + " is on " + place_of_array.text() + ", and the kernel runs on " +
                    where.text() + ": bring it there with on()");
      if (!(place_of_array == where)) {
        place_of_array.wait();
        is_of_another_stream = where.is_gpu();
      }
    }
    return where;
  }

  std::string name_;
  Kernel kernel_;
  std::vector<kernel_parameter> parameters_;  ///< of elements, or of pointers to all of them
};

expression_options options_from(const std::string& name, const std::string& preamble, bool is_commutative,
                                const module_options& compile) {
  expression_options result;
  result.preamble = preamble;
  result.is_commutative = is_commutative;
  result.name = name;
  result.compile = compile;
  return result;
}

using arguments_given = std::span<const untyped_argument>;

using elementwise_expression = expression<elementwise_kernel>;
using reduction_expression = expression<any_reduction_kernel>;
using scan_expression = expression<any_scan_kernel>;

void run_elementwise(const elementwise_expression& e, const nb::tuple& arguments, nb::handle where,
                     std::size_t size) {
  e.call(arguments, where, [&](const elementwise_kernel& kernel, const target& on, arguments_given all) {
    kernel.call(on, all, e.has_pointers() ? std::optional(size) : std::nullopt);
  });
}

nb::object run_reduction(const reduction_expression& e, const nb::tuple& arguments, nb::handle where,
                         std::size_t size) {
  std::optional<any_value> value;
  e.call(arguments, where, [&](const any_reduction_kernel& kernel, const target& on, arguments_given all) {
    value = kernel(on, all, e.has_pointers() ? std::optional(size) : std::nullopt);
  });
  return numpy_scalar(*value);
}

nb::object run_scan(const scan_expression& e, const nb::tuple& arguments, nb::handle where,
                    bool is_exclusive) {
  std::optional<any_array> result;
  const bool gives_array =
      e.call(arguments, where, [&](const any_scan_kernel& kernel, const target& on, arguments_given all) {
        result.emplace(is_exclusive ? kernel.exclusive(on, all) : kernel(on, all));
      });
  return result_of(std::move(*result), gives_array);
}

/// Of an expression that combines.
template <class Kernel>
void bind_combining(nb::class_<expression<Kernel>>& bound) {
  bound.def("__init__", [](expression<Kernel>* self, const std::string& name, nb::handle type,
                           const std::string& parameters, const std::string& map, const std::string& combine,
                           const std::string& identity, const pointer_types& pointers, bool is_commutative,
                           const std::string& preamble, const module_options& compile) {
    const Kernel kernel = with_name(name, [&] {
      return Kernel(dtype_from(type), parameters, map, combine, identity,
                    options_from(name, preamble, is_commutative, compile));
    });
    new (self) expression<Kernel>(name, kernel, pointers);
  });
}

}  // namespace

void bind_expression_kernels(nb::module_& m) {
  const auto none = nb::arg().none();
  nb::class_<elementwise_expression>(m, "ElementwiseExpression")
      .def("__init__",
           [](elementwise_expression* self, const std::string& name, const std::string& parameters,
              const std::string& operation, const pointer_types& pointers, const std::string& preamble,
              const module_options& compile) {
             const elementwise_kernel kernel = with_name(name, [&] {
               return elementwise_kernel(parameters, operation, options_from(name, preamble, false, compile));
             });
             new (self) elementwise_expression(name, kernel, pointers);
           })
      .def("run", &run_elementwise, nb::arg(), none, nb::arg());
  nb::class_<reduction_expression> reduction(m, "ReductionExpression");
  bind_combining(reduction);
  reduction.def("run", &run_reduction, nb::arg(), none, nb::arg());
  nb::class_<scan_expression> scan(m, "ScanExpression");
  bind_combining(scan);
  scan.def("run", &run_scan, nb::arg(), none, nb::arg());
}

}  // namespace heddle::python
