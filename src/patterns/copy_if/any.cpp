#include "core/any_arguments.hpp"
#include "patterns/copy_if/gpu.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/copy_if.hpp>

#include <cstddef>
#include <utility>

namespace heddle::impl {

flagged_call::flagged_call(const char* pattern, const untyped_elements& x, const elements<const bool>& flags,
                           const target& requested)
    : call_(pattern, x, nullptr), element_bytes_(x.element_bytes) {
  call_.choose_target(requested, {.read = 2, .written = 1});
  if (flags.size != x.size) fail_sizes("the flags", flags.size, x.size);
  flags_.emplace(flags, where());
}

std::size_t flagged_call::count() {
  if (!chosen_) chosen_.emplace(flags_->data(), call_.lines().length, where());
  return chosen_->count();
}

std::size_t flagged_call::copy_to_room(void* out) {
  const std::size_t n = call_.lines().length;
  if (n == 0) return 0;
  return gpu::copy_chosen(flags_->data(), n, call_.data(), element_bytes_, out, where());
}

void flagged_call::copy(bool all, void* out) {
  count();
  chosen_->copy(call_.data(), element_bytes_, all, out);
}

}  // namespace heddle::impl

namespace heddle {
namespace {

any_partitioned flagged(const char* pattern, const target& requested, const any_const_view& x,
                        const array_view<const bool>& flags, bool all) {
  impl::flagged_call call(pattern, impl::untyped(x), impl::input(flags), requested);
  if (call.where().is_gpu() && !all) {
    auto found = impl::made_if_possible([&] { return any_array(x.dtype(), {x.size()}, call.where()); });
    if (found) {
      const std::size_t count = call.copy_to_room(found->data());
      impl::keep_first(*found, count, size_of(x.dtype()));
      return {std::move(*found), count};
    }
  }
  any_partitioned result{any_array(x.dtype(), {all ? x.size() : call.count()}, call.where()), call.count()};
  call.copy(all, result.elements.data());
  return result;
}

}  // namespace

any_array copy_if(const target& where, const any_const_view& x, const array_view<const bool>& flags) {
  return flagged("copy_if", where, x, flags, false).elements;
}
any_partitioned partition(const target& where, const any_const_view& x, const array_view<const bool>& flags) {
  return flagged("partition", where, x, flags, true);
}

}  // namespace heddle
