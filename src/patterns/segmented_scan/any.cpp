#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/segmented_scan.hpp>

#include <cstddef>
#include <optional>

namespace heddle {

namespace {

struct segmented_scan {
  bool exclusive;
  runtime_op op;
  const std::optional<any_value>& init;
};

/// The scan of a call whose target is chosen into `out`, as large as its input.
void scan_segments(const segmented_scan& how, impl::segmented_scan_call& call, const any_view& out) {
  std::optional<any_value> first = impl::initial(how.init, how.op, out.dtype());
  if (out.size() == 0) return;
  if (!first && how.exclusive) first = identity(how.op, out.dtype());
  const void* const from = call.data();
  const impl::segment_starts starts = call.starts();
  impl::staged_output<std::byte> staged_out(impl::output_bytes(out), call.where());
  impl::library_segmented_scan(how.op, out.dtype(), how.exclusive, from, out.size(), starts,
                               first ? first->data() : nullptr, staged_out.data(), call.where());
  staged_out.deliver();
}

void scan_segments_to(const segmented_scan& how, const target& requested, const any_view& out,
                      const any_const_view& x, const impl::segments& by) {
  impl::segmented_scan_call call(how.exclusive, impl::untyped(x), by);
  call.choose_target(requested, true);
  impl::require_monoid(how.op, x.dtype());
  impl::require_type("the output", out.dtype(), x.dtype());
  call.check_output(impl::untyped(out));
  scan_segments(how, call, out);
}

any_array scanned_segments(const segmented_scan& how, const target& requested, const any_const_view& x,
                           const impl::segments& by) {
  impl::segmented_scan_call call(how.exclusive, impl::untyped(x), by);
  call.choose_target(requested, true);
  impl::require_monoid(how.op, x.dtype());
  any_array out(x.dtype(), x.shape(), call.where());
  scan_segments(how, call, out);
  return out;
}

impl::segments runs_of(const any_const_view& keys) {
  return {impl::untyped(keys), keys.dtype()};
}

}  // namespace

any_array segmented_inclusive_scan(const target& where, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets, runtime_op op,
                                   const std::optional<any_value>& init) {
  return scanned_segments({false, op, init}, where, x, impl::segments_at(offsets));
}
any_array segmented_exclusive_scan(const target& where, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets, runtime_op op,
                                   const std::optional<any_value>& init) {
  return scanned_segments({true, op, init}, where, x, impl::segments_at(offsets));
}
void segmented_inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets, runtime_op op,
                                   const std::optional<any_value>& init) {
  scan_segments_to({false, op, init}, where, out, x, impl::segments_at(offsets));
}
void segmented_exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x,
                                   const array_view<const std::size_t>& offsets, runtime_op op,
                                   const std::optional<any_value>& init) {
  scan_segments_to({true, op, init}, where, out, x, impl::segments_at(offsets));
}

any_array inclusive_scan_by_key(const target& where, const any_const_view& keys, const any_const_view& values,
                                runtime_op op, const std::optional<any_value>& init) {
  return scanned_segments({false, op, init}, where, values, runs_of(keys));
}
any_array exclusive_scan_by_key(const target& where, const any_const_view& keys, const any_const_view& values,
                                runtime_op op, const std::optional<any_value>& init) {
  return scanned_segments({true, op, init}, where, values, runs_of(keys));
}
void inclusive_scan_by_key_into(const target& where, const any_view& out, const any_const_view& keys,
                                const any_const_view& values, runtime_op op,
                                const std::optional<any_value>& init) {
  scan_segments_to({false, op, init}, where, out, values, runs_of(keys));
}
void exclusive_scan_by_key_into(const target& where, const any_view& out, const any_const_view& keys,
                                const any_const_view& values, runtime_op op,
                                const std::optional<any_value>& init) {
  scan_segments_to({true, op, init}, where, out, values, runs_of(keys));
}

}  // namespace heddle
