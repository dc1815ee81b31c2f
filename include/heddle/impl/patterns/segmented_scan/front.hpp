#pragma once

#include <heddle/copy_if.hpp>
#include <heddle/impl/core/overlap.hpp>
#include <heddle/impl/patterns/segmented_scan/cpu.hpp>
#include <heddle/scan.hpp>
#include <heddle/segmented_reduce.hpp>

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

/// Flags those of n elements, on a GPU, that are the first or at one of `count` offsets.
void library_flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                          const target& where);

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

/// Segments that begin at offsets.
struct segments_at_offsets {
  static constexpr const char* names[] = {"segmented_inclusive_scan", "segmented_exclusive_scan"};
  elements<const std::size_t> by;

  static void check_on_cpu(const std::size_t* offsets, std::size_t count, std::size_t n) {
    if (count == 0) return;
    if (offsets[0] > n) fail_sizes("the first offset", offsets[0], n);
    check_offsets(offsets, count - 1, n);
  }
  void check(std::size_t n) const {
    if (!by.where.is_gpu()) check_on_cpu(by.data, by.size, n);
  }

  class staged {
   public:
    staged(const elements<const std::size_t>& offsets, std::size_t n, const target& where)
        : offsets_(offsets, where), starts_{offsets_.data(), offsets.size, nullptr} {
      if (!where.is_gpu()) {
        if (offsets.where.is_gpu()) check_on_cpu(offsets_.data(), offsets.size, n);
        return;
      }
      flags_ = memory(n, where);
      library_flag_offsets(offsets_.data(), offsets.size, n, static_cast<bool*>(flags_.data()), where);
      starts_.flags = static_cast<const bool*>(flags_.data());
    }
    const segment_starts& starts() const { return starts_; }

   private:
    staged_input<std::size_t> offsets_;
    memory flags_;
    segment_starts starts_;
  };
};

/// Segments of consecutive equal keys.
template <class K>
struct segments_of_keys {
  static constexpr const char* names[] = {"inclusive_scan_by_key", "exclusive_scan_by_key"};
  elements<const K> by;

  void check(std::size_t n) const {
    if (by.size != n) fail_sizes("the keys", by.size, n);
  }

  class staged {
   public:
    staged(const elements<const K>& keys, std::size_t n, const target& where) : flags_(n, where) {
      const staged_input<K> staged_keys(keys, where);
      auto* const flags = static_cast<bool*>(flags_.data());
      library_flag_changes(dtype_of<K>, staged_keys.data(), n, flags, where);
      starts_ = {nullptr, 0, flags};
      if (where.is_gpu()) return;
      const selection firsts(flags, n, where);
      offsets_ = array<std::size_t>(firsts.count(), where);
      firsts.indices(offsets_.data());
      starts_ = {offsets_.data(), offsets_.size(), nullptr};
    }
    const segment_starts& starts() const { return starts_; }

   private:
    memory flags_;
    array<std::size_t> offsets_;
    segment_starts starts_;
  };
};

/// Bytes of the offsets or keys that say what the segments are.
template <class Segments>
std::size_t bytes_of(const Segments& segments) {
  return segments.by.size * sizeof(*segments.by.data);
}

template <class X, class Segments, class Op, class T = element_of<X>>
target segmented_scan_target(const target& requested, const X& x, const Segments& segments, const Op&) {
  const auto in = input(x);
  return resolve(requested, {in.size * sizeof(T) + bytes_of(segments), in.size * sizeof(T), in.where,
                             compiled_for_gpu || library_has<T, Op>()});
}

template <scan_kind Kind, class Segments, class X, class Op, class T = element_of<X>>
void segmented_scan_into(const target& where, elements<T> out, const X& x, const Segments& segments,
                         const Op& op, const std::optional<T>& init) {
  constexpr bool exclusive = Kind == scan_kind::exclusive;
  const elements<const T> in = input(x);
  operation running(Segments::names[exclusive], in.size, type_name<T>());
  running.runs_on(where);
  if (out.size != in.size) fail_sizes("the output", out.size, in.size);
  segments.check(in.size);
  if (in.size == 0) return;
  check_in_place(in, out);
  check_apart(segments.by.data, bytes_of(segments), segments.by.where, out.data, out.size * sizeof(T),
              out.where);
  const scan_start<Kind, T, Op> start(op, init);
  const staged_input<T> staged(in, where);
  const typename Segments::staged staged_segments(segments.by, in.size, where);
  staged_output<T> staged_out(out, where);
  segmented_scan_array<Kind>(where, staged.data(), in.size, op, staged_segments.starts(), start.get(),
                             staged_out.data());
  staged_out.deliver();
}

template <scan_kind Kind, class Segments, class X, class Op, class T = element_of<X>>
array<T> segmented_scan_new(const target& requested, const X& x, const Segments& segments, const Op& op,
                            const std::optional<T>& init) {
  const target where = segmented_scan_target(requested, x, segments, op);
  operation running(Segments::names[Kind == scan_kind::exclusive], input(x).size, type_name<T>());
  running.runs_on(where);
  array<T> result(shape_of(x), where);
  segmented_scan_into<Kind>(where, {result.data(), result.size(), where}, x, segments, op, init);
  return result;
}

template <scan_kind Kind, class Segments, class X, class Op, class T = element_of<X>>
  requires(!combines<T, Op>)
any_result segmented_scan_new(const target&, const X&, const Segments&, const Op&, const std::optional<T>&) {
  check_operator<T, Op>();
  return {};
}

template <scan_kind Kind, class Segments, class Out, class X, class Op, class T = element_of<X>>
  requires(!std::is_same_v<element_of<Out>, T> || !combines<T, Op>)
void segmented_scan_existing(const target&, Out&, const X&, const Segments&, const Op&,
                             const std::optional<T>&) {
  check_scan_into<element_of<Out>, T, Op>();
}

template <scan_kind Kind, class Segments, class Out, class X, class Op, class T = element_of<X>>
void segmented_scan_existing(const target& requested, Out& out, const X& x, const Segments& segments,
                             const Op& op, const std::optional<T>& init) {
  segmented_scan_into<Kind>(segmented_scan_target(requested, x, segments, op), output(out), x, segments, op,
                            init);
}

template <array_like Offsets>
segments_at_offsets segments_at(const Offsets& offsets) {
  constexpr bool are_offsets = std::is_same_v<element_of<Offsets>, std::size_t>;
  static_assert(are_offsets, "offsets are an array of std::size_t");
  if constexpr (are_offsets) return {input(offsets)};
  return {{}};
}

template <array_like Keys>
  requires has_dtype<element_of<Keys>>
segments_of_keys<element_of<Keys>> segments_of(const Keys& keys) {
  return {input(keys)};
}
template <array_like Keys>
  requires(!has_dtype<element_of<Keys>>)
segments_of_keys<bool> segments_of(const Keys&) {
  static_assert(has_dtype<element_of<Keys>>, "keys are of a built-in type");
  return {{}};
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
