#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/impl/patterns/textbook/dispatch.hpp>
#include <heddle/scan.hpp>

#include <cstddef>
#include <optional>

namespace heddle {

namespace {

struct scan_call {
  bool exclusive;
  runtime_op op;
  const std::optional<any_value>& init;
  scan_algorithm algorithm = scan_algorithm::single_pass;
  const axis* along_axis = nullptr;

  const char* pattern() const { return exclusive ? "exclusive_scan" : "inclusive_scan"; }
};

target scan_place(const target& requested, const any_const_view& x) {
  return resolve(requested, {x.bytes(), x.bytes(), x.where(), true});
}

void scan_to(const scan_call& call, const target& where, const any_view& out, const any_const_view& x) {
  const dtype type = x.dtype();
  operation running(call.pattern(), x.size(), name(type));
  running.runs_on(where);
  impl::require_monoid(call.op, type);
  impl::require_type("the output", out.dtype(), type);
  if (out.size() != x.size()) impl::fail_sizes("the output", out.size(), x.size());
  axis_lines all{1, x.size(), 1};
  if (call.along_axis != nullptr) {
    impl::require_shape(out.shape(), x.shape());
    all = along(x.shape(), x.shape().resolve_axis(call.along_axis->index));
  }
  std::optional<any_value> first = impl::initial(call.init, call.op, type);
  if (x.size() == 0) return;
  if (!first && call.exclusive) first = identity(call.op, type);
  const void* const begin = first ? first->data() : nullptr;
  impl::check_in_place(impl::bytes_of(x), impl::output_bytes(out));
  const impl::staged_input<std::byte> staged(impl::bytes_of(x), where);
  impl::staged_output<std::byte> staged_out(impl::output_bytes(out), where);
  if (call.algorithm == scan_algorithm::single_pass) {
    impl::library_scan(call.op, type, call.exclusive, staged.data(), all, begin, staged_out.data(), where);
  } else {
    impl::library_scan_by(call.algorithm, call.op, type, call.exclusive, staged.data(), x.size(), begin,
                          staged_out.data(), where);
  }
  staged_out.deliver();
}

any_array scanned(const scan_call& call, const target& requested, const any_const_view& x) {
  const target where = scan_place(requested, x);
  operation running(call.pattern(), x.size(), name(x.dtype()));
  running.runs_on(where);
  any_array out(x.dtype(), x.shape(), where);
  scan_to(call, where, out, x);
  return out;
}

}  // namespace

any_array inclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  return scanned({false, op, init, algorithm}, where, x);
}
any_array inclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         scan_algorithm algorithm) {
  return scanned({false, op, std::nullopt, algorithm}, where, x);
}
any_array inclusive_scan(const target& where, const any_const_view& x, axis along_axis, runtime_op op,
                         const std::optional<any_value>& init) {
  return scanned({false, op, init, scan_algorithm::single_pass, &along_axis}, where, x);
}
void inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  scan_to({false, op, init, algorithm}, scan_place(where, x), out, x);
}
void inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op, const std::optional<any_value>& init) {
  scan_to({false, op, init, scan_algorithm::single_pass, &along_axis}, scan_place(where, x), out, x);
}

any_array exclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  return scanned({true, op, init, algorithm}, where, x);
}
any_array exclusive_scan(const target& where, const any_const_view& x, runtime_op op,
                         scan_algorithm algorithm) {
  return scanned({true, op, std::nullopt, algorithm}, where, x);
}
any_array exclusive_scan(const target& where, const any_const_view& x, axis along_axis, runtime_op op,
                         const std::optional<any_value>& init) {
  return scanned({true, op, init, scan_algorithm::single_pass, &along_axis}, where, x);
}
void exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, runtime_op op,
                         const std::optional<any_value>& init, scan_algorithm algorithm) {
  scan_to({true, op, init, algorithm}, scan_place(where, x), out, x);
}
void exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op, const std::optional<any_value>& init) {
  scan_to({true, op, init, scan_algorithm::single_pass, &along_axis}, scan_place(where, x), out, x);
}

}  // namespace heddle
