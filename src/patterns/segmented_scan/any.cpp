#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/segmented_scan.hpp>

#include <cstddef>
#include <optional>

namespace heddle {

namespace {

struct segmented_call {
  bool exclusive;
  runtime_op op;
  const std::optional<any_value>& init;
};

template <class Segments>
void scan_segments_to(const segmented_call& call, const target& requested, const any_view& out,
                      const any_const_view& x, const Segments& segments) {
  const dtype type = x.dtype();
  const target where = resolve(requested, {x.bytes() + impl::bytes_of(segments), x.bytes(), x.where(), true});
  operation running(Segments::names[call.exclusive], x.size(), name(type));
  running.runs_on(where);
  impl::require_monoid(call.op, type);
  impl::require_type("the output", out.dtype(), type);
  if (out.size() != x.size()) impl::fail_sizes("the output", out.size(), x.size());
  segments.check(x.size());
  std::optional<any_value> first = impl::initial(call.init, call.op, type);
  if (x.size() == 0) return;
  if (!first && call.exclusive) first = identity(call.op, type);
  impl::check_in_place(impl::bytes_of(x), impl::output_bytes(out));
  impl::check_apart(segments.by.data, impl::bytes_of(segments), segments.by.where, out.data(), out.bytes(),
                    out.where());
  const impl::staged_input<std::byte> staged(impl::bytes_of(x), where);
  const typename Segments::staged staged_segments(segments.by, x.size(), where);
  impl::staged_output<std::byte> staged_out(impl::output_bytes(out), where);
  impl::library_segmented_scan(call.op, type, call.exclusive, staged.data(), x.size(),
                               staged_segments.starts(), first ? first->data() : nullptr, staged_out.data(),
                               where);
  staged_out.deliver();
}

template <class Segments>
any_array scanned_segments(const segmented_call& call, const target& requested, const any_const_view& x,
                           const Segments& segments) {
  const target where = resolve(requested, {x.bytes() + impl::bytes_of(segments), x.bytes(), x.where(), true});
  operation running(Segments::names[call.exclusive], x.size(), name(x.dtype()));
  running.runs_on(where);
  any_array out(x.dtype(), x.shape(), where);
  scan_segments_to(call, where, out, x, segments);
  return out;
}

/// Calls f with the segments of keys by their static type.
template <class F>
auto with_segments_of(const any_const_view& keys, const F& f) {
  return with_type(keys.dtype(), [&]<class K>(K) { return f(impl::segments_of(keys.as<K>())); });
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
  return with_segments_of(keys, [&](const auto& segments) {
    return scanned_segments({false, op, init}, where, values, segments);
  });
}
any_array exclusive_scan_by_key(const target& where, const any_const_view& keys, const any_const_view& values,
                                runtime_op op, const std::optional<any_value>& init) {
  return with_segments_of(keys, [&](const auto& segments) {
    return scanned_segments({true, op, init}, where, values, segments);
  });
}
void inclusive_scan_by_key_into(const target& where, const any_view& out, const any_const_view& keys,
                                const any_const_view& values, runtime_op op,
                                const std::optional<any_value>& init) {
  with_segments_of(
      keys, [&](const auto& segments) { scan_segments_to({false, op, init}, where, out, values, segments); });
}
void exclusive_scan_by_key_into(const target& where, const any_view& out, const any_const_view& keys,
                                const any_const_view& values, runtime_op op,
                                const std::optional<any_value>& init) {
  with_segments_of(
      keys, [&](const auto& segments) { scan_segments_to({true, op, init}, where, out, values, segments); });
}

}  // namespace heddle
