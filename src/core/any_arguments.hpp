#pragma once

#include "core/type_op_dispatch.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/core/elements.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <optional>

#include <fmt/core.h>

/// Checks of arguments whose type is known at run time, and access to their elements.
namespace heddle::impl {

inline void require_op(runtime_op op, dtype type) {
  if (!is_defined(op, type)) fail(fmt::format("{} is not defined on {}", name(op), name(type)));
}

/// Throws where `op` does not combine elements of that type.
inline void require_monoid(runtime_op op, dtype type) {
  require_op(op, type);
  if (op == runtime_op::minus) fail("minus is not associative: it can neither reduce nor scan");
}

inline void require_type(const char* what, dtype have, dtype wanted) {
  if (have != wanted) fail(fmt::format("{} is {}, where the input is {}", what, name(have), name(wanted)));
}

inline void require_shape(const shape& have, const shape& result) {
  if (!(have == result)) {
    fail(fmt::format("the output has shape {}, where the result has {}", have.text(), result.text()));
  }
}

inline bool is_logical_op(runtime_op op) {
  return op == runtime_op::logical_and || op == runtime_op::logical_or || op == runtime_op::logical_xor;
}

/// An initial value as elements of that type: for logical operators 0 or 1.
inline std::optional<any_value> initial(const std::optional<any_value>& init, runtime_op op, dtype type) {
  if (!init) return {};
  const any_value first = init->converted(type);
  if (!is_logical_op(op)) return first;
  return with_type(type, [&]<class T>(T) { return any_value(T(first.as<T>() != T(0))); });
}

inline elements<const std::byte> bytes_of(const any_const_view& x) {
  return {static_cast<const std::byte*>(x.data()), x.bytes(), x.where()};
}
inline untyped_elements untyped(const any_const_view& x) {
  return {x.data(), x.size(), size_of(x.dtype()), name(x.dtype()), x.where(), x.shape()};
}
inline elements<std::byte> output_bytes(const any_view& out) {
  return {static_cast<std::byte*>(out.data()), out.bytes(), out.where()};
}

/// Throws where elements of that type have no order.
inline void require_order(const char* pattern, dtype type) {
  if (type >= dtype::complex64)
    fail(fmt::format("{} of {}: complex numbers have no order", pattern, name(type)));
}

}  // namespace heddle::impl
