#include "core/any_arguments.hpp"
#include "core/compiled_operator.hpp"
#include "core/masked_operators.hpp"
#include "patterns/copy_if/gpu.hpp"
#include "patterns/cpu_kernels.hpp"
#include "patterns/scan/gpu.hpp"
#include "patterns/segmented_scan/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/scan.hpp>
#include <heddle/segmented_scan.hpp>
#include <heddle/streamed_scan.hpp>

#include <type_traits>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

/// The steps that are compiled for several instruction sets.
cpu::scan_steps compiled_steps(const cpu::scan_kernels& by, dtype type) {
  const std::size_t element_bytes = size_of(type);
  const std::size_t row = order::scan_row_vectors * order::scan_vector_of(element_bytes);
  return {element_bytes,      by.state_bytes, row,     true,           by.start,
          by.reduce_serially, by.append,      by.scan, by.scan_columns};
}

/// Calls f(steps, identity, operator) with the steps of a scan on the CPU; `identity` is where an exclusive
/// scan begins, one element.
template <class F>
void with_typed_scan_steps(runtime_op op, dtype type, const F& f) {
  with_runtime_op<family::all>(type, op, [&]<class T, class Op>(type_tag<T>, Op operation) {
    if constexpr (!std::is_same_v<Op, minus>) {
      T identity = identity_of<Op, T>(operation);
      if constexpr (std::is_same_v<T, std::uint8_t>) {
        if (type == dtype::boolean) identity = identity != 0;
      }
      const cpu::scan_kernels& kernels = cpu::scan_kernels_for(type, op);
      if (kernels.scan != nullptr) return f(compiled_steps(kernels, type), &identity, operation);
      if constexpr (is_logical<Op> || is_complex<T>) {
        const auto combine = compiled_operator<T>(operation);
        const cpu::steps_by_operator<T, std::remove_const_t<decltype(combine)>> by(combine);
        f(by.steps(), &identity, combine);
      }
    }
  });
}

/// Calls f(steps, identity), which is compiled once for all types and operators.
template <class F>
void with_scan_steps(runtime_op op, dtype type, const F& f) {
  with_typed_scan_steps(
      op, type, [&](const cpu::scan_steps& steps, const void* identity, const auto&) { f(steps, identity); });
}

void require_defined(runtime_op op, dtype type) {
  if (!is_defined(op, type) || op == runtime_op::minus)
    fail(fmt::format("{} is not defined on {}", name(op), name(type)));
}

}  // namespace

void library_scan(runtime_op op, dtype type, bool exclusive, const void* x, axis_lines all, const void* init,
                  void* out, const target& where) {
  require_defined(op, type);
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

void library_segmented_scan(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t n,
                            const segment_starts& starts, const void* init, void* out, const target& where) {
  require_defined(op, type);
  if (where.is_gpu()) return gpu::segmented_scan(op, type, exclusive, x, n, starts.flags, init, out, where);
  with_typed_scan_steps(
      op, type, [&]<class T>(const cpu::scan_steps& steps, const T*, const auto& operation) {
        const auto scan = exclusive
                              ? cpu::segmented_scan_by<true, T, std::remove_cvref_t<decltype(operation)>>
                              : cpu::segmented_scan_by<false, T, std::remove_cvref_t<decltype(operation)>>;
        scan(where.threads(), steps, static_cast<const T*>(x), n, operation, starts.offsets, starts.count,
             static_cast<const T*>(init), static_cast<T*>(out));
      });
}

void library_flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                          const target& where) {
  gpu::flag_offsets(offsets, count, n, flags, where);
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
  impl::require_defined(op, type);
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
