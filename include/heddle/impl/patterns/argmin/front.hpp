#pragma once

#include <heddle/array.hpp>
#include <heddle/operators.hpp>

#include <cstddef>

namespace heddle::impl {

/// Writes the index of the extremum by `op` of each segment to `index`, on `where`.
void library_arg(runtime_op op, dtype type, const void* x, axis_lines all, std::size_t* index,
                 const target& where);

std::size_t arg_of_all(const char* pattern, runtime_op op, dtype type, const void* x, std::size_t size,
                       const target& data_on, const target& requested);
array<std::size_t> arg_along(const char* pattern, runtime_op op, dtype type, const void* x,
                             const shape& whole, axis along_axis, const target& data_on,
                             const target& requested);

template <class X>
concept ordered_elements = array_like<X> && library_has<element_of<X>, minimum>();

}  // namespace heddle::impl
