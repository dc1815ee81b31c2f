#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/segmented_reduce.hpp>

#include <cstddef>
#include <utility>

namespace heddle {

any_array segmented_reduce(const target& requested, const any_const_view& x,
                           const array_view<const std::size_t>& offsets, runtime_op op) {
  const dtype type = x.dtype();
  operation running("segmented_reduce", x.size(), name(type));
  impl::require_monoid(op, type);
  const target where = resolve(requested, {x.bytes(), 0, x.where(), true});
  running.runs_on(where);
  const std::size_t count = offsets.size() == 0 ? 0 : offsets.size() - 1;
  if (!offsets.where().is_gpu()) impl::check_offsets(offsets.data(), count, x.size());
  any_array out(type, {count}, where);
  if (count == 0) return out;
  const impl::staged_input<std::byte> staged(impl::bytes_of(x), where);
  const impl::staged_input<std::size_t> bounds(impl::input(offsets), where);
  if (offsets.where().is_gpu() && !where.is_gpu()) impl::check_offsets(bounds.data(), count, x.size());
  out.fill(identity(op, type));
  impl::library_segmented_reduce(op, type, staged.data(), x.size(), bounds.data(), count, out.data(), where);
  return out;
}

std::pair<any_array, any_array> reduce_by_key(const target& requested, const any_const_view& keys,
                                              const any_const_view& values, runtime_op op) {
  const dtype type = values.dtype();
  operation running("reduce_by_key", keys.size(), name(type));
  impl::require_monoid(op, type);
  const target where = resolve(requested, {3 * keys.bytes() + values.bytes(), 0, values.where(), true});
  running.runs_on(where);
  if (values.size() != keys.size()) impl::fail_sizes("the values", values.size(), keys.size());
  if (keys.size() == 0) return {any_array(keys.dtype(), {0}, where), any_array(type, {0}, where)};
  const impl::staged_input<std::byte> staged_keys(impl::bytes_of(keys), where);
  const impl::staged_input<std::byte> staged_values(impl::bytes_of(values), where);
  array<bool> flags(keys.size(), where);
  impl::library_flag_changes(keys.dtype(), staged_keys.data(), keys.size(), flags.data(), where);
  const impl::selection firsts(flags.data(), keys.size(), where);
  const std::size_t count = firsts.count();
  std::pair<any_array, any_array> result{any_array(keys.dtype(), {count}, where),
                                         any_array(type, {count}, where)};
  firsts.copy(staged_keys.data(), size_of(keys.dtype()), false, result.first.data());
  array<std::size_t> offsets(count + 1, where);
  firsts.indices(offsets.data());
  offsets.set(keys.size(), count);
  impl::library_segmented_reduce(op, type, staged_values.data(), values.size(), offsets.data(), count,
                                 result.second.data(), where);
  return result;
}

}  // namespace heddle
