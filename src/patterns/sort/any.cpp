#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle {
namespace {

any_array sorted(const target& requested, const any_const_view& x, const axis* along_axis, sort_order order) {
  impl::require_order("sort", x.dtype());
  impl::call_along_lines call("sort", impl::untyped(x), along_axis);
  call.choose_target(requested, impl::of_sort(true));
  any_array out(x.dtype(), call.with_lines_of(call.lines().length), call.where());
  impl::library_sort(x.dtype(), call.data(), call.lines(), order, out.data(), call.where());
  return out;
}

void sort_to(const target& requested, const any_view& out, const any_const_view& x, const axis* along_axis,
             sort_order order) {
  impl::require_type("the output", out.dtype(), x.dtype());
  impl::require_order("sort", x.dtype());
  impl::call_along_lines call("sort", impl::untyped(x), along_axis);
  call.choose_target(requested, impl::of_sort(true));
  call.check_output(impl::untyped(out));
  impl::staged_output<std::byte> staged_out(impl::output_bytes(out), call.where());
  impl::library_sort(x.dtype(), call.data(), call.lines(), order, staged_out.data(), call.where());
  staged_out.deliver();
}

array<std::size_t> indices_in_order(const target& requested, const any_const_view& x, const axis* along_axis,
                                    sort_order order) {
  impl::require_order("argsort", x.dtype());
  impl::call_along_lines call("argsort", impl::untyped(x), along_axis);
  call.choose_target(requested, impl::of_sort(true));
  array<std::size_t> indices(call.with_lines_of(call.lines().length), call.where());
  impl::library_argsort(x.dtype(), call.data(), call.lines(), order, indices.data(), call.where());
  return indices;
}

}  // namespace

any_array sort(const target& where, const any_const_view& x, sort_order order) {
  return sorted(where, x, nullptr, order);
}
any_array sort(const target& where, const any_const_view& x, axis along_axis, sort_order order) {
  return sorted(where, x, &along_axis, order);
}
void sort_into(const target& where, const any_view& out, const any_const_view& x, sort_order order) {
  sort_to(where, out, x, nullptr, order);
}
void sort_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
               sort_order order) {
  sort_to(where, out, x, &along_axis, order);
}

array<std::size_t> argsort(const target& where, const any_const_view& x, sort_order order) {
  return indices_in_order(where, x, nullptr, order);
}
array<std::size_t> argsort(const target& where, const any_const_view& x, axis along_axis, sort_order order) {
  return indices_in_order(where, x, &along_axis, order);
}

}  // namespace heddle
