#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elements.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/impl/patterns/segmented_reduce/cpu.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/segmented_reduce/gpu.cuh>
#endif

namespace heddle::impl {

/// Reduces elements offsets[s] … offsets[s + 1] − 1 of the n elements of x to out[s] for `count` segments by
/// a built-in operator; all are on `where`.
void library_segmented_reduce(runtime_op op, dtype type, const void* x, std::size_t n,
                              const std::size_t* offsets, std::size_t count, void* out, const target& where);

/// Throws where offsets on a CPU decrease, or go beyond n.
void check_offsets(const std::size_t* offsets, std::size_t count, std::size_t n);

inline namespace HD_BUILD {

/// Results of segments without elements stay as they are.
template <class T, class Op>
void segmented_reduce_array(const target& where, const T* x, std::size_t n, const Op& op,
                            const std::size_t* offsets, std::size_t count, T* out) {
  if constexpr (library_combines<T, Op>()) {
    library_segmented_reduce(function_of<Op>, dtype_of<T>, x, n, offsets, count, out, where);
  } else if (!where.is_gpu()) {
    cpu::segmented_reduce(where.threads(), x, op, offsets, count, out);
  } else {
#if defined(__CUDACC__)
    gpu::segmented_reduce(where, x, n, op, offsets, count, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
}

/// Whether Op can reduce segments of T, of which some may be empty, between these offsets.
template <class Offsets, class T, class Op>
concept reduces_segments =
    std::is_same_v<element_of<Offsets>, std::size_t> && combines<T, Op> && has_identity<Op, T>;

/// Does not compile where it cannot, and says why.
template <class Offsets, class T, class Op>
constexpr void check_segments() {
  constexpr bool has_offsets = std::is_same_v<element_of<Offsets>, std::size_t>;
  static_assert(has_offsets, "offsets are an array of std::size_t");
  if constexpr (has_offsets) {
    check_operator<T, Op>();
    static_assert(!combines<T, Op> || has_identity<Op, T>,
                  "segmented_reduce: a segment may be empty, so the operator needs an identity: "
                  "hd::monoid{function, identity}");
  }
}

/// Where a reduction of these segments runs.
template <class X, class Offsets, class Op, class T = element_of<X>>
target segmented_reduce_target(const target& requested, const X& x, const Offsets&, const Op&) {
  const elements<const T> in = input(x);
  return resolve(requested, {in.size * sizeof(T), 0, in.where, compiled_for_gpu || library_has<T, Op>()});
}

inline std::size_t segments_between(std::size_t offsets) {
  return offsets == 0 ? 0 : offsets - 1;
}

/// Fills `out`, on `where`.
template <class X, class Offsets, class Op, class T = element_of<X>>
void segmented_reduce_to(const target& where, const X& x, const Offsets& offsets, const Op& op, T* out) {
  const elements<const T> in = input(x);
  const elements<const std::size_t> bounds = input(offsets);
  const std::size_t count = segments_between(bounds.size);
  if (!bounds.where.is_gpu()) check_offsets(bounds.data, count, in.size);
  if (count == 0) return;
  const staged_input<T> staged(in, where);
  const staged_input<std::size_t> staged_bounds(bounds, where);
  if (bounds.where.is_gpu() && !where.is_gpu()) check_offsets(staged_bounds.data(), count, in.size);
  const T identity = identity_of<Op, T>(op);
  fill(out, where, count, &identity, sizeof(T));
  segmented_reduce_array(where, staged.data(), in.size, op, staged_bounds.data(), count, out);
}

template <class X, class Offsets, class Op, class T = element_of<X>>
array<T> segmented_reduce_new(const target& requested, const X& x, const Offsets& offsets, const Op& op) {
  operation running("segmented_reduce", input(x).size, type_name<T>());
  const target where = segmented_reduce_target(requested, x, offsets, op);
  running.runs_on(where);
  array<T> out(segments_between(input(offsets).size), where);
  segmented_reduce_to(where, x, offsets, op, out.data());
  return out;
}

template <class X, class Offsets, class Op, class T = element_of<X>>
  requires(!reduces_segments<Offsets, T, Op>)
any_result segmented_reduce_new(const target&, const X&, const Offsets&, const Op&) {
  check_segments<Offsets, T, Op>();
  return {};
}

template <class Out, class X, class Offsets, class Op, class T = element_of<X>>
  requires(!std::is_same_v<element_of<Out>, T> || !reduces_segments<Offsets, T, Op>)
void segmented_reduce_existing(const target&, Out&, const X&, const Offsets&, const Op&) {
  constexpr bool same_type = std::is_same_v<element_of<Out>, T>;
  static_assert(same_type, "segmented_reduce_into writes elements of the type that it reads");
  if constexpr (same_type) check_segments<Offsets, T, Op>();
}

template <class Out, class X, class Offsets, class Op, class T = element_of<X>>
void segmented_reduce_existing(const target& requested, Out& out, const X& x, const Offsets& offsets,
                               const Op& op) {
  const elements<const T> in = input(x);
  const elements<T> to = output(out);
  operation running("segmented_reduce", in.size, type_name<T>());
  const target where = segmented_reduce_target(requested, x, offsets, op);
  running.runs_on(where);
  const elements<const std::size_t> bounds = input(offsets);
  const std::size_t count = segments_between(bounds.size), bytes = to.size * sizeof(T);
  if (to.size != count) fail_sizes("the output", to.size, count);
  check_apart(in.data, in.size * sizeof(T), in.where, to.data, bytes, to.where);
  check_apart(bounds.data, bounds.size * sizeof(std::size_t), bounds.where, to.data, bytes, to.where);
  staged_output<T> staged_out(to, where);
  segmented_reduce_to(where, x, offsets, op, staged_out.data());
  staged_out.deliver();
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
