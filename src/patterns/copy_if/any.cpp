#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/copy_if.hpp>

#include <cstddef>

namespace heddle::impl {

flagged_call::flagged_call(const char* pattern, const untyped_elements& x, const elements<const bool>& flags,
                           const target& requested)
    : call_(pattern, x, nullptr), element_bytes_(x.element_bytes) {
  call_.choose_target(requested, {.read = 2, .written = 1});
  if (flags.size != x.size) fail_sizes("the flags", flags.size, x.size);
  flags_.emplace(flags, where());
  chosen_.emplace(flags_->data(), x.size, where());
}

void flagged_call::copy(bool all, void* out) {
  chosen_->copy(call_.data(), element_bytes_, all, out);
}

}  // namespace heddle::impl

namespace heddle {
namespace {

any_partitioned flagged(const char* pattern, const target& requested, const any_const_view& x,
                        const array_view<const bool>& flags, bool all) {
  impl::flagged_call call(pattern, impl::untyped(x), impl::input(flags), requested);
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
