#pragma once

#include "interpreter.hpp"
#include <heddle/any_array.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::python {

/// How far apart the elements of an array are along each axis of a result, in elements.
using strides = std::vector<std::int64_t>;

/// Places along an axis of an array, as an index array gives them: from -length to length - 1.
struct index_array {
  any_const_view places;  ///< int64
  std::int64_t length;    ///< of the axis
  std::int64_t stride;    ///< of the axis
  strides along;          ///< of the places, along the axes of the result
};

strides contiguous_strides(const shape& lengths);

/// A new array, where the elements are, of those that lie `apart` from `first` on: one kernel, compiled once
/// for a number of axes, on a GPU asynchronous on the stream of `where`.
any_array gathered(const void* first, dtype type, const target& where, const shape& lengths,
                   const strides& apart, const std::vector<index_array>& indices = {});

/// The elements of x as `type`, where they are; by way of the CPU where nothing compiles for the GPU.
any_array converted_in_place(const any_const_view& x, dtype type);

void bind_strided(nb::module_& m);

}  // namespace heddle::python
