#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/core/elements.hpp>
#include <heddle/impl/patterns/copy_if/front.hpp>
#include <heddle/impl/patterns/segmented_reduce/cpu.hpp>
#include <heddle/operators.hpp>

#include <cstddef>
#include <optional>
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

/// A call of segmented_reduce on elements of any type, up to the computation.
class segmented_call : public call_along_lines {
 public:
  segmented_call(const untyped_elements& x, const elements<const std::size_t>& offsets);

  std::size_t segments() const noexcept { return offsets_.size == 0 ? 0 : offsets_.size - 1; }
  /// Throws unless `out` has an element for each segment and overlaps neither the elements nor the offsets.
  void check_results(const untyped_elements& out) const;
  /// The offsets of at least one segment on the target. Throws if they decrease or go beyond the elements.
  const std::size_t* offsets();

 private:
  elements<const std::size_t> offsets_;
  std::optional<staged_input<std::size_t>> staged_offsets_;
};

/// A call of reduce_by_key on keys and values of any type, up to the computation.
class call_by_key {
 public:
  call_by_key(const untyped_elements& keys, const untyped_elements& values);

  /// Chooses the target and finds the runs of equal keys there.
  void find_runs(const target& requested, dtype of_keys, bool gpu_possible);
  const target& where() const noexcept { return where_; }
  std::size_t runs() const noexcept { return firsts_ ? firsts_->count() : 0; }
  /// The key of each run.
  void copy_keys(void* out) const;
  const void* values() const { return values_there_->data(); }
  /// The offset at which each run begins, and the number of values.
  const std::size_t* offsets();

 private:
  untyped_elements keys_, values_;
  operation running_;
  target where_;
  std::optional<staged_input<std::byte>> keys_there_, values_there_;
  memory flags_;
  std::optional<selection> firsts_;
  array<std::size_t> offsets_;
};

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

/// Fills `out`, on the target, with the result of each segment.
template <class T, class Op>
void reduce_segments_of(segmented_call& call, const Op& op, T* out) {
  const std::size_t count = call.segments();
  if (count == 0) return;
  const std::size_t* const offsets = call.offsets();
  const T identity = identity_of<Op, T>(op);
  fill(out, call.where(), count, &identity, sizeof(T));
  segmented_reduce_array(call.where(), call.data_as<T>(), call.lines().length, op, offsets, count, out);
}

template <class X, class Offsets, class Op, class T = element_of<X>>
array<T> segmented_reduce_new(const target& requested, const X& x, const Offsets& offsets, const Op& op) {
  segmented_call call(untyped(x), input(offsets));
  call.choose_target(requested, {.gpu_possible = compiled_for_gpu || library_has<T, Op>()});
  array<T> out(call.segments(), call.where());
  reduce_segments_of(call, op, out.data());
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
  segmented_call call(untyped(x), input(offsets));
  call.choose_target(requested, {.gpu_possible = compiled_for_gpu || library_has<T, Op>()});
  call.check_results(untyped(out));
  staged_output<T> staged_out(output(out), call.where());
  reduce_segments_of(call, op, staged_out.data());
  staged_out.deliver();
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
