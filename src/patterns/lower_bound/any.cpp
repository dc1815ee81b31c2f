#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/lower_bound.hpp>

#include <cstddef>

#include <fmt/core.h>

namespace heddle::impl {

target bounds_target(const target& requested, const untyped_elements& sorted, const untyped_elements& values,
                     bool gpu_possible) {
  return resolve(requested, {sorted.bytes() + values.bytes(), values.size * sizeof(std::size_t),
                             sorted.bytes() > values.bytes() ? sorted.where : values.where, gpu_possible});
}

array<std::size_t> library_bounds_of(const char* pattern, bound which, const target& requested,
                                     const any_const_view& sorted, const any_const_view& values,
                                     sort_order order) {
  operation running(pattern, values.size(), name(values.dtype()));
  if (sorted.dtype() >= dtype::complex64) fail("complex numbers have no order");
  if (values.dtype() != sorted.dtype()) {
    fail(fmt::format("the values are {}, where the sorted elements are {}", name(values.dtype()),
                     name(sorted.dtype())));
  }
  const target where = bounds_target(requested, untyped(sorted), untyped(values), true);
  running.runs_on(where);
  array<std::size_t> bounds(values.shape(), where);
  if (values.size() == 0) return bounds;
  const staged_input<std::byte> staged(bytes_of(sorted), where), staged_values(bytes_of(values), where);
  library_bounds(sorted.dtype(), staged.data(), sorted.size(), order, which, staged_values.data(),
                 values.size(), bounds.data(), where);
  return bounds;
}

}  // namespace heddle::impl

namespace heddle {

array<std::size_t> lower_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order) {
  return impl::library_bounds_of("lower_bound", impl::bound::lower, where, sorted, values, order);
}
array<std::size_t> upper_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order) {
  return impl::library_bounds_of("upper_bound", impl::bound::upper, where, sorted, values, order);
}

}  // namespace heddle
