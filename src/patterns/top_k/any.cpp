#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/top_k.hpp>

#include <cstddef>

namespace heddle {
namespace {

any_top_elements top_of(const target& requested, const any_const_view& x, std::size_t k,
                        const axis* along_axis, sort_order order) {
  impl::require_order("top_k", x.dtype());
  impl::call_along_lines call("top_k", impl::untyped(x), along_axis);
  const shape result = impl::start_top(call, k, requested);
  any_top_elements top{any_array(x.dtype(), result, call.where()), array<std::size_t>(result, call.where())};
  impl::library_top_of(call, x.dtype(), k, order, top.indices.data(), top.values.data());
  return top;
}

}  // namespace

any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k, sort_order order) {
  return top_of(where, x, k, nullptr, order);
}
any_top_elements top_k(const target& where, const any_const_view& x, std::size_t k, axis along_axis,
                       sort_order order) {
  return top_of(where, x, k, &along_axis, order);
}

}  // namespace heddle
