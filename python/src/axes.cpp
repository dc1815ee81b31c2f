#include "axes.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace heddle::python {
namespace {

std::size_t resolved(nb::handle axis, std::size_t axes) {
  if (PyBool_Check(axis.ptr())) raise(PyExc_TypeError, "an axis is an integer, not a bool");
  const Py_ssize_t index = PyNumber_AsSsize_t(axis.ptr(), PyExc_IndexError);
  if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  const auto count = static_cast<Py_ssize_t>(axes);
  if (index < -count || index >= count) {
    raise(python().axis_error, "axis " + std::to_string(index) + " is out of bounds for array of dimension " +
                                   std::to_string(axes));
  }
  return static_cast<std::size_t>(index < 0 ? index + count : index);
}

std::vector<std::size_t> axes_of(nb::handle axis, std::size_t axes, number_has numbers) {
  std::vector<std::size_t> all;
  if (PyTuple_Check(axis.ptr()) || PyList_Check(axis.ptr())) {
    for (const nb::handle each : nb::borrow(axis)) all.push_back(resolved(each, axes));
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end())
      raise(PyExc_ValueError, "duplicate value in 'axis'");
    return all;
  }
  if (axes == 0 && numbers == number_has::an_axis) {
    resolved(axis, 1);
    return all;
  }
  all.push_back(resolved(axis, axes));
  return all;
}

shape reversed(const shape& lengths) {
  std::vector<std::size_t> all(lengths.begin(), lengths.end());
  std::reverse(all.begin(), all.end());
  return shape(all);
}

}  // namespace

axes_plan plan_axes(operand& x, nb::handle axis, bool keep, bool is_new, number_has numbers) {
  axes_plan plan;
  if (x.is_reversed()) {
    const bool is_one = !axis.is_none() && !PyTuple_Check(axis.ptr()) && !PyList_Check(axis.ptr());
    if (is_one && is_new) {
      const shape in_memory = reversed(x.lengths());
      const std::size_t along_axis = in_memory.axes() - 1 - resolved(axis, in_memory.axes());
      plan.all = along(in_memory, along_axis);
      plan.result = keep ? in_memory.with_length(along_axis, 1) : in_memory.without_axis(along_axis);
      plan.is_reversed = true;
      return plan;
    }
    x.put_in_c_order();
  }
  const shape lengths = x.lengths();
  const std::size_t count = lengths.axes();
  if (axis.is_none()) {
    plan.all = {1, x.size(), 1};
    plan.is_whole = true;
    if (keep) plan.result = shape(std::vector<std::size_t>(count, 1));
    return plan;
  }
  const std::vector<std::size_t> axes = axes_of(axis, count, numbers);
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < count; ++k) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), k);
    if (!reduced || keep) result.push_back(reduced ? 1 : lengths[k]);
  }
  plan.result = shape(result);
  if (axes.empty()) {
    plan.all = {x.size(), 1, 1};
    plan.is_whole = count == 0;
    return plan;
  }
  const std::size_t first = axes.front(), last = axes.back();
  bool together = true;
  for (std::size_t k = first; k <= last; ++k)
    together = together && (lengths[k] == 1 || std::binary_search(axes.begin(), axes.end(), k));
  plan.all.length = 1;
  if (together) {
    for (std::size_t k = 0; k < first; ++k) plan.all.outer *= lengths[k];
    for (std::size_t k = first; k <= last; ++k) plan.all.length *= lengths[k];
    for (std::size_t k = last + 1; k < count; ++k) plan.all.inner *= lengths[k];
  } else {
    for (const std::size_t k : axes) plan.all.length *= lengths[k];
    for (std::size_t k = 0; k < count; ++k)
      if (!std::binary_search(axes.begin(), axes.end(), k)) plan.all.outer *= lengths[k];
    x.move_to_end(axes.data(), axes.size());
  }
  plan.is_whole = axes.size() == count;
  return plan;
}

axes_plan plan_one_axis(const operand& x, nb::handle axis, number_has numbers) {
  axes_plan plan;
  if (axis.is_none()) {
    plan.all = {1, x.size(), 1};
    plan.result = {x.size()};
    plan.is_whole = true;
    return plan;
  }
  const bool is_number = x.lengths().axes() == 0 && numbers == number_has::an_axis;
  plan.result = is_number ? shape{1} : x.lengths();
  plan.axis = resolved(axis, plan.result.axes());
  plan.all = along(plan.result, plan.axis);
  plan.is_whole = plan.result.axes() == 1;
  return plan;
}

}  // namespace heddle::python
