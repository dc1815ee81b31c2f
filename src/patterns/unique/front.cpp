#include "core/any_arguments.hpp"
#include "patterns/copy_if/gpu.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/impl/patterns/unique/front.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle::impl {
namespace {

/// The elements of x, on `where`, that differ from the one before.
any_array firsts(dtype type, const void* x, std::size_t n, const target& where) {
  if (where.is_gpu()) {
    if (auto found = made_if_possible([&] { return any_array(type, {n}, where); })) {
      const std::size_t count = n == 0 ? 0 : gpu::copy_first_of_runs(type, x, n, found->data(), where);
      keep_first(*found, count, size_of(type));
      return std::move(*found);
    }
  }
  const memory flags(n, where);
  bool* const changes = static_cast<bool*>(flags.data());
  library_flag_changes(type, x, n, changes, where);
  const selection chosen(changes, n, where);
  any_array found(type, {chosen.count()}, where);
  chosen.copy(x, size_of(type), false, found.data());
  return found;
}

}  // namespace

any_array first_of_runs(const target& requested, const any_const_view& x) {
  call_along_lines call("unique_consecutive", untyped(x), nullptr);
  call.choose_target(requested, {.read = 3, .written = 1});
  return firsts(x.dtype(), call.data(), x.size(), call.where());
}

any_array different_elements(const target& requested, const any_const_view& x) {
  call_along_lines call("unique", untyped(x), nullptr);
  call.choose_target(requested, of_sort(true));
  any_array sorted(x.dtype(), {x.size()}, call.where());
  library_sort(x.dtype(), call.data(), call.lines(), sort_order::ascending, sorted.data(), call.where());
  return firsts(x.dtype(), sorted.data(), x.size(), call.where());
}

}  // namespace heddle::impl

namespace heddle {

any_array unique(const target& where, const any_const_view& x) {
  impl::require_order("unique", x.dtype());
  return impl::different_elements(where, x);
}
any_array unique_consecutive(const target& where, const any_const_view& x) {
  return impl::first_of_runs(where, x);
}

}  // namespace heddle
