#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/argmin.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/error.hpp>
#include <heddle/lower_bound.hpp>
#include <heddle/sort.hpp>
#include <heddle/top_k.hpp>
#include <heddle/unique.hpp>

#include <cstddef>
#include <utility>

#include <fmt/core.h>

namespace heddle {

any_array sort(const target& where, const any_const_view& x, sort_order order) {
  return impl::visit_ordered<any_array>("sort", x, [&](const auto& v) { return sort(where, v, order); });
}
any_array sort(const target& where, const any_const_view& x, axis along_axis, sort_order order) {
  return impl::visit_ordered<any_array>("sort", x,
                                        [&](const auto& v) { return sort(where, v, along_axis, order); });
}
void sort_into(const target& where, const any_view& out, const any_const_view& x, sort_order order) {
  impl::require_type("the output", out.dtype(), x.dtype());
  impl::visit_ordered<void>(
      "sort", x, [&]<class T>(const array_view<const T>& v) { sort_into(where, out.as<T>(), v, order); });
}
void sort_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
               sort_order order) {
  impl::require_type("the output", out.dtype(), x.dtype());
  impl::visit_ordered<void>("sort", x, [&]<class T>(const array_view<const T>& v) {
    sort_into(where, out.as<T>(), v, along_axis, order);
  });
}

array<std::size_t> argsort(const target& where, const any_const_view& x, sort_order order) {
  return impl::visit_ordered<array<std::size_t>>("argsort", x,
                                                 [&](const auto& v) { return argsort(where, v, order); });
}
array<std::size_t> argsort(const target& where, const any_const_view& x, axis along_axis, sort_order order) {
  return impl::visit_ordered<array<std::size_t>>(
      "argsort", x, [&](const auto& v) { return argsort(where, v, along_axis, order); });
}

any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k, sort_order order) {
  return impl::visit_ordered<any_top_elements>("top_k", x, [&](const auto& v) {
    auto top = top_k(where, v, k, order);
    return any_top_elements{std::move(top.values), std::move(top.indices)};
  });
}
any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k, axis along_axis,
                       sort_order order) {
  return impl::visit_ordered<any_top_elements>("top_k", x, [&](const auto& v) {
    auto top = top_k(where, v, k, along_axis, order);
    return any_top_elements{std::move(top.values), std::move(top.indices)};
  });
}

any_array unique(const target& where, const any_const_view& x) {
  return impl::visit_ordered<any_array>("unique", x, [&](const auto& v) { return unique(where, v); });
}
any_array unique_consecutive(const target& where, const any_const_view& x) {
  return visit(x, [&](const auto& v) { return any_array(unique_consecutive(where, v)); });
}

namespace {

array<std::size_t> bounds_of(const char* pattern, impl::bound which, const target& requested,
                             const any_const_view& sorted, const any_const_view& values, sort_order order) {
  operation running(pattern, values.size(), name(values.dtype()));
  if (sorted.dtype() >= dtype::complex64) {
    fail("complex numbers have no order");
  }
  if (values.dtype() != sorted.dtype()) {
    fail(fmt::format("the values are {}, where the sorted elements are {}", name(values.dtype()),
                     name(sorted.dtype())));
  }
  const target where =
      resolve(requested, {sorted.bytes() + values.bytes(), values.size() * sizeof(std::size_t),
                          sorted.bytes() > values.bytes() ? sorted.where() : values.where(), true});
  running.runs_on(where);
  array<std::size_t> bounds(values.shape(), where);
  if (values.size() == 0) return bounds;
  const impl::staged_input<std::byte> staged(impl::bytes_of(sorted), where),
      staged_values(impl::bytes_of(values), where);
  impl::library_bounds(sorted.dtype(), staged.data(), sorted.size(), order, which, staged_values.data(),
                       values.size(), bounds.data(), where);
  return bounds;
}

any_partitioned flagged(const char* pattern, const target& requested, const any_const_view& x,
                        const array_view<const bool>& flags, bool all) {
  operation running(pattern, x.size(), name(x.dtype()));
  const target where = resolve(requested, {2 * x.bytes(), x.bytes(), x.where(), true});
  running.runs_on(where);
  if (flags.size() != x.size()) impl::fail_sizes("the flags", flags.size(), x.size());
  const impl::staged_input<std::byte> staged(impl::bytes_of(x), where);
  const impl::staged_input<bool> staged_flags(impl::input(flags), where);
  const impl::selection chosen(staged_flags.data(), x.size(), where);
  any_partitioned result{any_array(x.dtype(), {all ? x.size() : chosen.count()}, where), chosen.count()};
  chosen.copy(staged.data(), size_of(x.dtype()), all, result.elements.data());
  return result;
}

}  // namespace

array<std::size_t> lower_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order) {
  return bounds_of("lower_bound", impl::bound::lower, where, sorted, values, order);
}
array<std::size_t> upper_bound(const target& where, const any_const_view& sorted,
                               const any_const_view& values, sort_order order) {
  return bounds_of("upper_bound", impl::bound::upper, where, sorted, values, order);
}

any_array copy_if(const target& where, const any_const_view& x, const array_view<const bool>& flags) {
  return flagged("copy_if", where, x, flags, false).elements;
}
any_partitioned partition(const target& where, const any_const_view& x, const array_view<const bool>& flags) {
  return flagged("partition", where, x, flags, true);
}

std::size_t argmin(const target& where, const any_const_view& x) {
  return impl::visit_ordered<std::size_t>("argmin", x, [&](const auto& v) { return argmin(where, v); });
}
std::size_t argmax(const target& where, const any_const_view& x) {
  return impl::visit_ordered<std::size_t>("argmax", x, [&](const auto& v) { return argmax(where, v); });
}
array<std::size_t> argmin(const target& where, const any_const_view& x, axis along_axis) {
  return impl::visit_ordered<array<std::size_t>>("argmin", x,
                                                 [&](const auto& v) { return argmin(where, v, along_axis); });
}
array<std::size_t> argmax(const target& where, const any_const_view& x, axis along_axis) {
  return impl::visit_ordered<array<std::size_t>>("argmax", x,
                                                 [&](const auto& v) { return argmax(where, v, along_axis); });
}

}  // namespace heddle
