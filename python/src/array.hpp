#pragma once

#include "interpreter.hpp"
#include <heddle/any_array.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace heddle::python {

/// What heddle.Array is: elements of its own, or of an owner that it keeps.
struct device_array {
  explicit device_array(any_array&& elements)
      : owned(std::move(elements)),
        data(owned->data()),
        type(owned->dtype()),
        lengths(owned->shape()),
        where(owned->where()) {}
  device_array(const any_const_view& x, nb::object keeper, bool is_read_only)
      : owner(std::move(keeper)),
        data(const_cast<void*>(x.data())),
        type(x.dtype()),
        lengths(x.shape()),
        where(x.where()),
        read_only(is_read_only) {}

  any_const_view view() const { return {data, type, lengths, where}; }
  any_view writable() const { return {data, type, lengths, where}; }
  std::size_t size() const { return lengths.elements(); }

  nb::object owner;
  std::optional<any_array> owned;
  void* data;
  dtype type;
  shape lengths;
  target where;
  bool read_only = false;
};

/// A heddle.Array.
nb::object new_array(device_array&& x);

/// A NumPy array of the elements, which are on the CPU and are kept by `array`, a heddle.Array.
nb::object numpy_view(nb::handle array);

void bind_array(nb::module_& m);

}  // namespace heddle::python
