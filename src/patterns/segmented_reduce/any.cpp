#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/segmented_reduce.hpp>

#include <cstddef>
#include <utility>

namespace heddle {

any_array segmented_reduce(const target& requested, const any_const_view& x,
                           const array_view<const std::size_t>& offsets, runtime_op op) {
  impl::segmented_call call(impl::untyped(x), impl::input(offsets));
  impl::require_monoid(op, x.dtype());
  call.choose_target(requested, {});
  any_array out(x.dtype(), {call.segments()}, call.where());
  if (out.size() == 0) return out;
  const std::size_t* const bounds = call.offsets();
  out.fill(identity(op, x.dtype()));
  impl::library_segmented_reduce(op, x.dtype(), call.data(), x.size(), bounds, out.size(), out.data(),
                                 call.where());
  return out;
}

std::pair<any_array, any_array> reduce_by_key(const target& requested, const any_const_view& keys,
                                              const any_const_view& values, runtime_op op) {
  impl::call_by_key call(impl::untyped(keys), impl::untyped(values));
  impl::require_monoid(op, values.dtype());
  call.find_runs(requested, keys.dtype(), true);
  const std::size_t runs = call.runs();
  std::pair<any_array, any_array> result{any_array(keys.dtype(), {runs}, call.where()),
                                         any_array(values.dtype(), {runs}, call.where())};
  if (runs == 0) return result;
  call.copy_keys(result.first.data());
  impl::library_segmented_reduce(op, values.dtype(), call.values(), values.size(), call.offsets(), runs,
                                 result.second.data(), call.where());
  return result;
}

}  // namespace heddle
