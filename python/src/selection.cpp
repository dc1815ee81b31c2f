#include "operand.hpp"
#include "patterns.hpp"
#include "results.hpp"
#include "target.hpp"
#include <heddle/any_patterns.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nanobind/stl/string_view.h>

namespace heddle::python {
namespace {

/// An array of bool, or of offsets, as the pattern takes it.
template <class T>
array_view<const T> elements_of(operand& x, const char* what) {
  if constexpr (std::is_same_v<T, bool>) {
    if (x.type() != dtype::boolean)
      raise(PyExc_TypeError, std::string(what) + " are bool, not " + name(x.type()));
    return x.view().template as<bool>();
  } else {
    if (x.type() > dtype::uint64)
      raise(PyExc_TypeError, std::string(what) + " are integers, not " + name(x.type()));
    convert(x, dtype::uint64);
    // std::size_t may be a type of another name.
    return {static_cast<const T*>(x.view().data()), x.lengths(), x.where()};
  }
}

nb::object copy_if(nb::handle a, nb::handle mask, nb::handle target_wanted) {
  const target where = target_from(target_wanted);
  operand x(a), flags(mask);
  const array_view<const bool> chosen = elements_of<bool>(flags, "copy_if: the flags");
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(heddle::copy_if(where, x.view(), chosen));
  }
  return result_of(std::move(*result), x.gives_array());
}

nb::tuple partition(nb::handle a, nb::handle mask, nb::handle target_wanted) {
  const target where = target_from(target_wanted);
  operand x(a), flags(mask);
  const array_view<const bool> chosen = elements_of<bool>(flags, "partition: the flags");
  std::optional<any_partitioned> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(heddle::partition(where, x.view(), chosen));
  }
  return nb::make_tuple(result_of(std::move(result->elements), x.gives_array()), result->chosen);
}

nb::object segmented_reduce(nb::handle a, nb::handle offsets, std::string_view op_name,
                            nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  const target where = target_from(target_wanted);
  operand x(a), places(offsets);
  const array_view<const std::size_t> bounds =
      elements_of<std::size_t>(places, "segmented_reduce: the offsets");
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(heddle::segmented_reduce(where, x.view(), bounds, op));
  }
  return result_of(std::move(*result), x.gives_array());
}

nb::tuple reduce_by_key(nb::handle keys, nb::handle values, std::string_view op_name,
                        nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  const target where = target_from(target_wanted);
  operand k(keys), v(values);
  const bool as_array = k.gives_array() || v.gives_array();
  std::optional<std::pair<any_array, any_array>> result;
  {
    const without_gil released(k.bytes() + v.bytes(), where);
    result.emplace(heddle::reduce_by_key(where, k.view(), v.view(), op));
  }
  return nb::make_tuple(result_of(std::move(result->first), as_array),
                        result_of(std::move(result->second), as_array));
}

/// Puts elements into `out`, converted to its type.
nb::object store(nb::handle a, nb::handle out) {
  const operand x(a);
  output to(out, true, x.type(), x.lengths(), target(), x);
  to.view(x.lengths()).copy_from(x.view());
  return to.finish();
}

}  // namespace

void bind_selection(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("copy_if", &copy_if, none, none, none);
  m.def("partition", &partition, none, none, none);
  m.def("segmented_reduce", &segmented_reduce, none, none, nb::arg(), none);
  m.def("reduce_by_key", &reduce_by_key, none, none, nb::arg(), none);
  m.def("store", &store);
}

}  // namespace heddle::python
