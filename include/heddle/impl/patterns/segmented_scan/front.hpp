#pragma once

#include <heddle/impl/core/call_along_lines.hpp>
#include <heddle/impl/patterns/segmented_scan/cpu.hpp>
#include <heddle/scan.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/segmented_scan/gpu.cuh>
#endif

namespace heddle::impl {

/// Where segments begin, besides element 0: on a CPU their increasing indices; on a GPU a flag for each
/// element.
struct segment_starts {
  const std::size_t* offsets;
  std::size_t count;
  const bool* flags;
};

/// Scans each segment of the n elements of x into `out` by a built-in operator; all are on `where`, and x and
/// `out` may be one array. `init` may be null for an inclusive scan.
void library_segmented_scan(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t n,
                            const segment_starts& starts, const void* init, void* out, const target& where);

/// Segments that begin at offsets, or that are runs of equal keys.
struct segments {
  untyped_elements by;
  std::optional<dtype> keys;  ///< the type of keys; none for offsets
};

/// A call of a segmented scan, or of a scan by key, on elements of any type, up to the computation.
class segmented_scan_call {
 public:
  segmented_scan_call(bool exclusive, const untyped_elements& x, const segments& by);

  /// Throws for offsets that decrease or go beyond the elements, and unless there are as many keys as
  /// elements.
  void choose_target(const target& requested, bool gpu_possible);
  const target& where() const noexcept { return where_; }
  /// Throws if `out` has another size, overlaps the elements other than in place, or overlaps the segments.
  void check_output(const untyped_elements& out) const;

  /// The elements and the segments, of which there are some, on the target.
  const void* data();
  segment_starts starts();

 private:
  untyped_elements x_;
  segments segments_;
  operation running_;
  target where_;
  std::optional<staged_input<std::byte>> x_there_, by_there_;
  memory flags_, offsets_;
};

inline namespace HD_BUILD {

template <scan_kind Kind, class T, class Op>
void segmented_scan_array(const target& where, const T* x, std::size_t n, const Op& op,
                          const segment_starts& starts, const T* init, T* out) {
  constexpr bool exclusive = Kind == scan_kind::exclusive;
  if constexpr (library_combines<T, Op>()) {
    library_segmented_scan(function_of<Op>, dtype_of<T>, exclusive, x, n, starts, init, out, where);
  } else if (!where.is_gpu()) {
    cpu::segmented_scan<exclusive>(where.threads(), x, n, op, starts.offsets, starts.count, init, out);
  } else {
#if defined(__CUDACC__)
    gpu::segmented_scan(where, x, n, op, starts.flags, exclusive, init, out);
#else
    fail_not_compiled_for_gpu();
#endif
  }
}

/// The scan of a call whose target is chosen into `out`, as large as its input.
template <scan_kind Kind, class T, class Op>
void scan_segments(segmented_scan_call& call, elements<T> out, const Op& op, const std::optional<T>& init) {
  if (out.size == 0) return;
  const scan_start<Kind, T, Op> start(op, init);
  const T* const from = static_cast<const T*>(call.data());
  const segment_starts starts = call.starts();
  staged_output<T> staged_out(out, call.where());
  segmented_scan_array<Kind>(call.where(), from, out.size, op, starts, start.get(), staged_out.data());
  staged_out.deliver();
}

template <scan_kind Kind, class X, class Op, class T = element_of<X>>
array<T> segmented_scan_new(const target& requested, const X& x, const segments& by, const Op& op,
                            const std::optional<T>& init) {
  segmented_scan_call call(Kind == scan_kind::exclusive, untyped(x), by);
  call.choose_target(requested, compiled_for_gpu || library_has<T, Op>());
  array<T> result(shape_of(x), call.where());
  scan_segments<Kind>(call, {result.data(), result.size(), call.where()}, op, init);
  return result;
}

template <scan_kind Kind, class X, class Op, class T = element_of<X>>
  requires(!combines<T, Op>)
any_result segmented_scan_new(const target&, const X&, const segments&, const Op&, const std::optional<T>&) {
  check_operator<T, Op>();
  return {};
}

template <scan_kind Kind, class Out, class X, class Op, class T = element_of<X>>
  requires(!std::is_same_v<element_of<Out>, T> || !combines<T, Op>)
void segmented_scan_existing(const target&, Out&, const X&, const segments&, const Op&,
                             const std::optional<T>&) {
  check_scan_into<element_of<Out>, T, Op>();
}

template <scan_kind Kind, class Out, class X, class Op, class T = element_of<X>>
void segmented_scan_existing(const target& requested, Out& out, const X& x, const segments& by, const Op& op,
                             const std::optional<T>& init) {
  segmented_scan_call call(Kind == scan_kind::exclusive, untyped(x), by);
  call.choose_target(requested, compiled_for_gpu || library_has<T, Op>());
  call.check_output(untyped(out));
  scan_segments<Kind>(call, output(out), op, init);
}

template <array_like Offsets>
segments segments_at(const Offsets& offsets) {
  static_assert(std::is_same_v<element_of<Offsets>, std::size_t>, "offsets are an array of std::size_t");
  return {untyped(offsets), std::nullopt};
}

template <array_like Keys>
segments segments_of(const Keys& keys) {
  constexpr bool are_keys = has_dtype<element_of<Keys>>;
  static_assert(are_keys, "keys are of a built-in type");
  if constexpr (are_keys) return {untyped(keys), dtype_of<element_of<Keys>>};
  return {untyped(keys), std::nullopt};
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
