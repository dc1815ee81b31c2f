#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/argmin.hpp>

#include <cstddef>

namespace heddle {
namespace {

std::size_t index_of(const char* pattern, runtime_op op, const target& where, const any_const_view& x) {
  impl::require_order(pattern, x.dtype());
  return impl::arg_of_all(pattern, op, x.dtype(), x.data(), x.size(), x.where(), where);
}
array<std::size_t> indices_of(const char* pattern, runtime_op op, const target& where,
                              const any_const_view& x, axis along_axis) {
  impl::require_order(pattern, x.dtype());
  return impl::arg_along(pattern, op, x.dtype(), x.data(), x.shape(), along_axis, x.where(), where);
}

}  // namespace

std::size_t argmin(const target& where, const any_const_view& x) {
  return index_of("argmin", runtime_op::minimum, where, x);
}
std::size_t argmax(const target& where, const any_const_view& x) {
  return index_of("argmax", runtime_op::maximum, where, x);
}
array<std::size_t> argmin(const target& where, const any_const_view& x, axis along_axis) {
  return indices_of("argmin", runtime_op::minimum, where, x, along_axis);
}
array<std::size_t> argmax(const target& where, const any_const_view& x, axis along_axis) {
  return indices_of("argmax", runtime_op::maximum, where, x, along_axis);
}

}  // namespace heddle
