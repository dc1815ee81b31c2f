#include "core/any_arguments.hpp"
#include "patterns/scan/gpu.hpp"
#include "patterns/scan/scan_steps.hpp"
#include <heddle/error.hpp>
#include <heddle/scan.hpp>
#include <heddle/streamed_scan.hpp>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

/// Calls f(steps, identity), which is compiled once for all types and operators.
template <class F>
void with_scan_steps(runtime_op op, dtype type, const F& f) {
  with_typed_scan_steps(
      op, type, [&](const cpu::scan_steps& steps, const void* identity, const auto&) { f(steps, identity); });
}

}  // namespace

void require_scan(runtime_op op, dtype type) {
  if (!is_defined(op, type) || op == runtime_op::minus)
    fail(fmt::format("{} is not defined on {}", name(op), name(type)));
}

void library_scan(runtime_op op, dtype type, bool exclusive, const void* x, axis_lines all, const void* init,
                  void* out, const target& where) {
  require_scan(op, type);
  if (all.elements() == 0) return;
  if (where.is_gpu()) return gpu::scan(op, type, exclusive, x, all, init, out, where);
  const cpu::scan_kernels& kernels = cpu::scan_kernels_for(type, op);
  if (kernels.scan != nullptr) {
    return cpu::scan_segments(where.threads(), compiled_steps(kernels, type), all, x, init, exclusive, out);
  }
  with_scan_steps(op, type, [&](const cpu::scan_steps& steps, const void*) {
    cpu::scan_segments(where.threads(), steps, all, x, init, exclusive, out);
  });
}

void library_scan_few(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t count,
                      const void* init, void* out) {
  const cpu::scan_kernels& by = cpu::scan_kernels_for(type, op);
  if (by.scan == nullptr) return library_scan(op, type, exclusive, x, {1, count, 1}, init, out, target());
  constexpr std::size_t most_bytes = 2048;
  alignas(64) std::byte state[most_bytes];
  if (by.state_bytes > most_bytes) fail("a scan's state is larger than its room");
  by.start(init, state);
  by.scan(x, count, exclusive, false, state, out);
}

void fail_no_start() {
  fail(
      "the operator has no identity to begin with: give an initial value, or hd::monoid{function, identity}");
}

}  // namespace heddle::impl

namespace heddle {

streamed_scan::streamed_scan(const target& where, runtime_op op, dtype type, bool exclusive,
                             const std::optional<any_value>& init)
    : where_(where), op_(op), type_(type), exclusive_(exclusive) {
  operation running(exclusive ? "exclusive_scan" : "inclusive_scan", 0, name(type));
  running.runs_on(where_);
  if (where.is_gpu() || where.is_automatic()) fail("a scan of pieces needs the target serial or parallel");
  impl::require_scan(op, type);
  impl::with_scan_steps(op, type, [&](const cpu::scan_steps& steps, const void* identity) {
    unit_ = steps.unit();
    state_ = memory(steps.state_bytes, target());
    if (!init) return steps.start(exclusive ? identity : nullptr, state_.data());
    const any_value first = init->converted(type);
    steps.start(first.data(), state_.data());
  });
}

void streamed_scan::append(const void* elements, std::size_t count, void* out) {
  if (count == 0) return;
  operation running(exclusive_ ? "exclusive_scan" : "inclusive_scan", count, name(type_));
  running.runs_on(where_);
  if (size_ % unit_ != 0) {
    fail(fmt::format("a piece of {} elements follows {}, which is no multiple of {}", count, size_, unit_));
  }
  impl::with_scan_steps(op_, type_, [&](const cpu::scan_steps& steps, const void*) {
    cpu::scan_piece(where_.threads(), steps, elements, count, exclusive_, state_.data(), out);
  });
  size_ += count;
}

void streamed_scan::append(const any_const_view& elements, const any_view& out) {
  operation running(exclusive_ ? "exclusive_scan" : "inclusive_scan", elements.size(), name(type_));
  running.runs_on(where_);
  if (elements.dtype() != type_) impl::fail_dtype(elements.dtype(), type_);
  impl::require_type("the output", out.dtype(), type_);
  if (out.size() != elements.size()) impl::fail_sizes("the output", out.size(), elements.size());
  for (const target& where : {elements.where(), out.where()}) {
    if (where.is_gpu()) impl::fail_not_on_cpu("a scan of pieces", where);
  }
  append(elements.data(), elements.size(), out.data());
}

}  // namespace heddle
