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
  operand x(a), flags(mask);
  const target where = x.place_for(target_from(target_wanted));
  const array_view<const bool> chosen = elements_of<bool>(flags, "copy_if: the flags");
  std::optional<any_array> result;
  {
    const without_gil released(x.bytes(), where);
    result.emplace(heddle::copy_if(where, x.view(), chosen));
  }
  return result_of(std::move(*result), x.gives_array());
}

nb::tuple partition(nb::handle a, nb::handle mask, nb::handle target_wanted) {
  operand x(a), flags(mask);
  const target where = x.place_for(target_from(target_wanted));
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
  operand x(a), places(offsets);
  const target where = x.place_for(target_from(target_wanted));
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
  operand k(keys), v(values);
  const target where = k.place_for(target_from(target_wanted));
  const bool as_array = k.gives_array() || v.gives_array();
  std::optional<std::pair<any_array, any_array>> result;
  {
    const without_gil released(k.bytes() + v.bytes(), where);
    result.emplace(heddle::reduce_by_key(where, k.view(), v.view(), op));
  }
  return nb::make_tuple(result_of(std::move(result->first), as_array),
                        result_of(std::move(result->second), as_array));
}

/// Scans the elements of a whose segments begin at offsets, or where a key differs from the one before.
nb::object segmented_scan(bool is_exclusive, bool is_by_key, nb::handle a, nb::handle segments,
                          std::string_view op_name, nb::handle initial, nb::handle out,
                          nb::handle target_wanted) {
  const runtime_op op = parse_runtime_op(op_name);
  operand x(a), by(segments);
  const target where = x.place_for(target_from(target_wanted));
  const dtype type = combined_in(x.type(), false, nb::none(), out);
  const optional_value first = initial_value(initial, type);
  std::optional<array_view<const std::size_t>> offsets;
  if (!is_by_key) offsets.emplace(elements_of<std::size_t>(by, "a segmented scan: the offsets"));
  const bool as_array = x.gives_array() || by.gives_array();
  target there = where;
  if (as_array) {
    const without_gil released(x.bytes(), where);
    there = place_of_result(where, x, x.bytes());
  }
  output to(out, as_array, type, x.lengths(), there, x, true, &by);
  {
    const without_gil released(x.bytes() + by.bytes(), there);
    x.convert(type);
    const any_view result = to.view(x.lengths());
    if (offsets) {
      (is_exclusive ? segmented_exclusive_scan_into : segmented_inclusive_scan_into)(there, result, x.view(),
                                                                                     *offsets, op, first);
    } else {
      (is_exclusive ? exclusive_scan_by_key_into : inclusive_scan_by_key_into)(there, result, by.view(),
                                                                               x.view(), op, first);
    }
  }
  return to.finish();
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
  m.def("segmented_scan", &segmented_scan, nb::arg(), nb::arg(), none, none, nb::arg(), none, none, none);
  m.def("store", &store);
}

}  // namespace heddle::python
