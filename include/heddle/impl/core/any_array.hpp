#pragma once

#include <heddle/dtype.hpp>

#include <cstddef>

namespace heddle {

class any_value;
template <class Void>
class basic_any_view;

}  // namespace heddle

namespace heddle::impl {

/// Throws: elements of type `have`, asked for as `wanted`.
[[noreturn]] void fail_dtype(dtype have, dtype wanted);

void set_element(const basic_any_view<void>& x, const any_value& value, std::size_t index);
void fill_elements(const basic_any_view<void>& x, const any_value& value);
void copy_elements(const basic_any_view<void>& x, const basic_any_view<const void>& values);

}  // namespace heddle::impl
