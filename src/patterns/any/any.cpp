#include "core/any_arguments.hpp"
#include <heddle/any.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>

#include <cstddef>
#include <vector>

namespace heddle {

namespace {

/// Complex elements as their real and imaginary parts, with one more axis; others as they are.
any_const_view parts_of(const any_const_view& x) {
  if (x.dtype() < dtype::complex64) return x;
  std::vector<std::size_t> lengths(x.shape().begin(), x.shape().end());
  lengths.push_back(2);
  return {x.data(), x.dtype() == dtype::complex64 ? dtype::float32 : dtype::float64, shape(lengths),
          x.where()};
}

bool logical_of_all(const char* pattern, runtime_op op, const target& where, const any_const_view& x) {
  const operation running(pattern, x.size(), name(x.dtype()));
  const any_const_view parts = parts_of(x);
  const bool is_complex = parts.shape().axes() > x.shape().axes();
  const any_value found = is_complex && op == runtime_op::logical_and
                              ? reduce(where, reduce(where, parts, axis{-1}, runtime_op::logical_or), op)
                              : reduce(where, parts, op);
  return found.to<bool>();
}

array<bool> logical_along(const char* pattern, runtime_op op, const target& where, const any_const_view& x,
                          axis along_axis) {
  const operation running(pattern, x.size(), name(x.dtype()));
  const axis from_front{static_cast<std::ptrdiff_t>(x.shape().resolve_axis(along_axis.index))};
  const any_const_view parts = parts_of(x);
  const bool is_complex = parts.shape().axes() > x.shape().axes();
  const any_array found =
      is_complex ? reduce(where, reduce(where, parts, axis{-1}, runtime_op::logical_or), from_front, op)
                 : reduce(where, x, from_front, op);
  array<bool> result(found.shape(), found.where());
  impl::library_to_bool(found.data(), size_of(found.dtype()), found.size(), result.data(), result.where());
  return result;
}

}  // namespace

bool any(const target& where, const any_const_view& x) {
  return logical_of_all("any", runtime_op::logical_or, where, x);
}
bool all(const target& where, const any_const_view& x) {
  return logical_of_all("all", runtime_op::logical_and, where, x);
}
array<bool> any(const target& where, const any_const_view& x, axis along_axis) {
  return logical_along("any", runtime_op::logical_or, where, x, along_axis);
}
array<bool> all(const target& where, const any_const_view& x, axis along_axis) {
  return logical_along("all", runtime_op::logical_and, where, x, along_axis);
}

}  // namespace heddle
