#include "core/any_arguments.hpp"
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
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

/// The scan of a call whose target is chosen into `out`, as large as its input.
void scan_lines(const scan_call& how, impl::call_along_lines& call, const any_view& out) {
  std::optional<any_value> first = impl::initial(how.init, how.op, out.dtype());
  if (out.size() == 0) return;
  if (!first && how.exclusive) first = identity(how.op, out.dtype());
  const void* const begin = first ? first->data() : nullptr;
  const void* const from = call.data();
  impl::staged_output<std::byte> staged_out(impl::output_bytes(out), call.where());
  if (how.algorithm == scan_algorithm::single_pass) {
    impl::library_scan(how.op, out.dtype(), how.exclusive, from, call.lines(), begin, staged_out.data(),
                       call.where());
  } else {
    impl::library_scan_by(how.algorithm, how.op, out.dtype(), how.exclusive, from, out.size(), begin,
                          staged_out.data(), call.where());
  }
  staged_out.deliver();
}

void scan_to(const scan_call& how, const target& requested, const any_view& out, const any_const_view& x) {
  impl::call_along_lines call(how.pattern(), impl::untyped(x), how.along_axis);
  call.choose_target(requested, impl::of_scan(true));
  impl::require_monoid(how.op, x.dtype());
  impl::require_type("the output", out.dtype(), x.dtype());
  call.check_output(impl::untyped(out));
  if (how.along_axis != nullptr) impl::require_shape(out.shape(), x.shape());
  scan_lines(how, call, out);
}

any_array scanned(const scan_call& how, const target& requested, const any_const_view& x) {
  impl::call_along_lines call(how.pattern(), impl::untyped(x), how.along_axis);
  call.choose_target(requested, impl::of_scan(true));
  impl::require_monoid(how.op, x.dtype());
  any_array out(x.dtype(), x.shape(), call.where());
  scan_lines(how, call, out);
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
  scan_to({false, op, init, algorithm}, where, out, x);
}
void inclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op, const std::optional<any_value>& init) {
  scan_to({false, op, init, scan_algorithm::single_pass, &along_axis}, where, out, x);
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
  scan_to({true, op, init, algorithm}, where, out, x);
}
void exclusive_scan_into(const target& where, const any_view& out, const any_const_view& x, axis along_axis,
                         runtime_op op, const std::optional<any_value>& init) {
  scan_to({true, op, init, scan_algorithm::single_pass, &along_axis}, where, out, x);
}

}  // namespace heddle
