#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/scan/cpu.hpp>
#include <heddle/impl/patterns/scan/scan_few.hpp>
#include <heddle/initial_value.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/scan/gpu/scan.cuh>
#endif

namespace heddle::impl {

/// Scans each of `all` segments of x into `out` by a built-in operator; both are on `where`, and may be one
/// array.
void library_scan(runtime_op op, dtype type, bool exclusive, const void* x, axis_lines all, const void* init,
                  void* out, const target& where);

/// The same of `count` elements of one segment on this thread, without checks.
void library_scan_few(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t count,
                      const void* init, void* out);

/// Throws: an exclusive scan by an operator without identity, and no initial value.
[[noreturn]] void fail_no_start();

enum class scan_kind { inclusive, exclusive };
template <scan_kind Kind>
inline constexpr const char* name_of = Kind == scan_kind::inclusive ? "inclusive_scan" : "exclusive_scan";

/// How often a scan reads and writes the elements.
constexpr passes of_scan(bool gpu_possible) {
  return {1, 1, 0, gpu_possible};
}

inline namespace HD_BUILD {

/// Scans by the default method: a built-in operator on a built-in type in the library, others by what this
/// compiler made of them. <heddle/textbook.hpp> has other methods.
template <scan_kind Kind>
struct default_scan {
  template <class T, class Op>
  void operator()(const target& where, const T* x, const Op& op, axis_lines all, const T* init,
                  T* out) const {
    constexpr bool exclusive = Kind == scan_kind::exclusive;
    if constexpr (library_combines<T, Op>()) {
      library_scan(function_of<Op>, dtype_of<T>, exclusive, x, all, init, out, where);
    } else if (!where.is_gpu()) {
      cpu::scan<exclusive>(where.threads(), x, op, all, init, out);
    } else {
#if defined(__CUDACC__)
      gpu::scan(where, x, op, all, exclusive, init, out);
#else
      fail_not_compiled_for_gpu();
#endif
    }
  }
};
template <scan_kind Kind>
inline constexpr default_scan<Kind> scan_array{};

/// Does not compile where a scan of elements of type T cannot write those of `out`, and says why.
template <class Out, class T, class Op>
constexpr void check_scan_into() {
  constexpr bool same_type = std::is_same_v<Out, T>;
  static_assert(same_type, "a scan writes elements of the type that it reads");
  if constexpr (same_type) check_operator<T, Op>();
}

/// The first value of a scan: the initial value, or the identity if an exclusive scan has no initial value.
template <scan_kind Kind, class T, class Op>
class scan_start {
 public:
  scan_start(const Op& op, const std::optional<T>& init) : exists_(init || Kind == scan_kind::exclusive) {
    if (init) {
      value_[0] = lift<Op>(*init);
    } else if constexpr (Kind == scan_kind::exclusive) {
      if constexpr (!has_identity<Op, T>) fail_no_start();
      if constexpr (has_identity<Op, T>) value_[0] = identity_of<Op, T>(op);
    }
  }
  /// Null where there is nothing.
  const T* get() const { return exists_ ? &value_[0] : nullptr; }

 private:
  order::uninitialized<T, 1> value_;
  bool exists_;
};

/// The scan of a call whose target is chosen into `out`, as large as its input.
template <scan_kind Kind, class T, class Op, class Method>
void scan_lines(call_along_lines& call, elements<T> out, const Op& op, const std::optional<T>& init,
                const Method& scan_elements) {
  if (out.size == 0) return;
  const scan_start<Kind, T, Op> start(op, init);
  const T* const from = call.data_as<T>();
  staged_output<T> staged_out(out, call.where());
  scan_elements(call.where(), from, op, call.lines(), start.get(), staged_out.data());
  staged_out.deliver();
}

/// `along_axis` is null for a scan of all elements in C order.
template <scan_kind Kind, class X, class Op, class T = element_of<X>, class Method = default_scan<Kind>>
array<T> scan_new(const target& requested, const X& x, const axis* along_axis, const Op& op,
                  const std::optional<T>& init, const Method& method = {}) {
  call_along_lines call(name_of<Kind>, untyped(x), along_axis);
  call.choose_target(requested, of_scan(compiled_for_gpu || library_has<T, Op>()));
  array<T> result(shape_of(x), call.where());
  scan_lines<Kind>(call, {result.data(), result.size(), call.where()}, op, init, method);
  return result;
}

template <scan_kind Kind, class X, class Op, class T = element_of<X>, class Method = default_scan<Kind>>
  requires(!combines<T, Op>)
any_result scan_new(const target&, const X&, const axis*, const Op&, const std::optional<T>&,
                    const Method& = {}) {
  check_operator<T, Op>();
  return {};
}

template <scan_kind Kind, class Out, class X, class Op, class T = element_of<X>,
          class Method = default_scan<Kind>>
  requires(!std::is_same_v<element_of<Out>, T> || !combines<T, Op>)
void scan_existing(const target&, Out&, const X&, const axis*, const Op&, const std::optional<T>&,
                   const Method& = {}) {
  check_scan_into<element_of<Out>, T, Op>();
}

/// A scan that is not of a few elements; a function of its own, so that the registers that it saves cost
/// nothing there: a fifth of the time of 8 doubles.
template <scan_kind Kind, class Out, class X, class Op, class T, class Method>
[[gnu::noinline]] void scan_many(const target& requested, Out& out, const X& x, const axis* along_axis,
                                 const Op& op, const std::optional<T>& init, const Method& method) {
  call_along_lines call(name_of<Kind>, untyped(x), along_axis);
  call.choose_target(requested, of_scan(compiled_for_gpu || library_has<T, Op>()));
  call.check_output(untyped(out));
  scan_lines<Kind>(call, output(out), op, init, method);
}

template <scan_kind Kind, class Out, class X, class Op, class T = element_of<X>,
          class Method = default_scan<Kind>>
void scan_existing(const target& requested, Out& out, const X& x, const axis* along_axis, const Op& op,
                   const std::optional<T>& init, const Method& method = {}) {
  if (along_axis != nullptr && input(out).size == input(x).size && !(shape_of(out) == shape_of(x))) {
    common::fail_shapes(name_of<Kind>, 0, shape_of(out), shape_of(x));
  }
  constexpr bool exclusive = Kind == scan_kind::exclusive;
  if constexpr (std::is_same_v<Method, default_scan<Kind>> && (!exclusive || has_identity<Op, T>)) {
    // A few elements on this thread, without what a call costs otherwise. Whatever is unusual goes the long
    // way.
    const elements<const T> in = input(x);
    const auto to = output(out);
    const bool apart = in.data + in.size <= to.data || to.data + to.size <= in.data;
    if (along_axis == nullptr && in.size <= threshold.scan_here && in.size == to.size &&
        (apart || in.data == to.data) && requested.is_cpu() && in.where.is_cpu() && to.where.is_cpu()) {
      order::uninitialized<T, 1> start;
      if constexpr (exclusive) start[0] = identity_of<Op, T>(op);
      if (init) start[0] = lift<Op>(*init);
      const T* const before = exclusive || init ? &start[0] : nullptr;
      if (in.size <= cpu::most_for_scan_few<T, Op>) {
        cpu::scan_few<exclusive>(in.data, in.size, op, before, to.data);
      } else if constexpr (library_combines<T, Op>()) {
        library_scan_few(function_of<Op>, dtype_of<T>, exclusive, in.data, in.size, before, to.data);
      } else {
        order::row_prefix<T> state;
        state.start(before);
        cpu::scan_elements<exclusive>(in.data, in.size, op, state, to.data);
      }
      return;
    }
  }
  scan_many<Kind>(requested, out, x, along_axis, op, init, method);
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
