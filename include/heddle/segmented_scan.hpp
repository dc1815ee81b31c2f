#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/segmented_scan/front.hpp>
#include <heddle/scan.hpp>

#include <cstddef>

namespace heddle {

inline namespace HD_BUILD {

/// inclusive_scan of each segment of x: element i of segment s combines init, where one is given, and
/// x[offsets[s]] … x[i]. `offsets` are those of segmented_reduce: std::size_t, one more than segments, and
/// they never decrease. Elements before the first offset, and from the last one on, are segments too.
/// Segments may be empty and have any length: the cost depends on the numbers of elements and of offsets
/// alone. The operator need not commute, and needs no identity. The result has the shape of x and lives on
/// the target.
///
/// On a CPU each segment has the bits that inclusive_scan of it alone gives. On a GPU they also depend on its
/// position in x, and are the same run after run on one kind of GPU. Integers have the same bits everywhere.
///
/// Throws heddle::error for offsets that decrease or go beyond x; only offsets on a GPU, of a scan on a GPU,
/// are not checked. Asynchronous on a GPU. About 2.5n combinations on a CPU, and 3.5n to 8n on a GPU for
/// elements of 4 to 16 bytes. Reads and writes each element once; on a GPU with a byte of scratch memory an
/// element.
///
/// The method scans pairs of a flag and a value: Blelloch, "Prefix sums and their applications" (1990).
///
///     const std::vector<std::size_t> offsets{0, 3, 3, 10};
///     hd::array<float> running_totals = hd::segmented_inclusive_scan(where, x, offsets);
template <array_like X, array_like Offsets, class Op = plus>
array<element_of<X>> segmented_inclusive_scan(const target& where, const X& x, const Offsets& offsets,
                                              const Op& op = {}, initial_value<X> init = {}) {
  return impl::segmented_scan_new<impl::scan_kind::inclusive>(where, x, impl::segments_at(offsets), op, init);
}

/// segmented_inclusive_scan into `out`, which has as many elements, may be x itself and does not overlap the
/// offsets.
template <array_like Out, array_like X, array_like Offsets, class Op = plus>
void segmented_inclusive_scan_into(const target& where, Out&& out, const X& x, const Offsets& offsets,
                                   const Op& op = {}, initial_value<X> init = {}) {
  impl::segmented_scan_existing<impl::scan_kind::inclusive>(where, out, x, impl::segments_at(offsets), op,
                                                            init);
}

/// exclusive_scan of each segment of x: element i combines init and the elements before x[i] in its segment,
/// so the first of each segment is init. init defaults to the operator's identity; without either it throws
/// heddle::error. Otherwise as segmented_inclusive_scan.
///
///     hd::array<int> positions = hd::segmented_exclusive_scan(where, counts, offsets);
template <array_like X, array_like Offsets, class Op = plus>
array<element_of<X>> segmented_exclusive_scan(const target& where, const X& x, const Offsets& offsets,
                                              const Op& op = {}, initial_value<X> init = {}) {
  return impl::segmented_scan_new<impl::scan_kind::exclusive>(where, x, impl::segments_at(offsets), op, init);
}

/// segmented_exclusive_scan into `out`, which has as many elements, may be x itself and does not overlap the
/// offsets.
template <array_like Out, array_like X, array_like Offsets, class Op = plus>
void segmented_exclusive_scan_into(const target& where, Out&& out, const X& x, const Offsets& offsets,
                                   const Op& op = {}, initial_value<X> init = {}) {
  impl::segmented_scan_existing<impl::scan_kind::exclusive>(where, out, x, impl::segments_at(offsets), op,
                                                            init);
}

/// segmented_inclusive_scan of values, where a segment is a run of consecutive equal keys. Keys are of a
/// built-in type; NaNs equal one another, and −0 equals +0. Throws heddle::error unless there are as many
/// keys as values. Asynchronous on a GPU, which reads the keys once.
///
///     hd::array<float> running_totals = hd::inclusive_scan_by_key(where, keys, values);
template <array_like Keys, array_like Values, class Op = plus>
array<element_of<Values>> inclusive_scan_by_key(const target& where, const Keys& keys, const Values& values,
                                                const Op& op = {}, initial_value<Values> init = {}) {
  return impl::segmented_scan_new<impl::scan_kind::inclusive>(where, values, impl::segments_of(keys), op,
                                                              init);
}

/// inclusive_scan_by_key into `out`, which has as many elements, may be `values` itself and does not overlap
/// the keys.
template <array_like Out, array_like Keys, array_like Values, class Op = plus>
void inclusive_scan_by_key_into(const target& where, Out&& out, const Keys& keys, const Values& values,
                                const Op& op = {}, initial_value<Values> init = {}) {
  impl::segmented_scan_existing<impl::scan_kind::inclusive>(where, out, values, impl::segments_of(keys), op,
                                                            init);
}

/// segmented_exclusive_scan of values, where a segment is a run of consecutive equal keys.
///
///     hd::array<std::size_t> position_in_run = hd::exclusive_scan_by_key(where, keys, ones);
template <array_like Keys, array_like Values, class Op = plus>
array<element_of<Values>> exclusive_scan_by_key(const target& where, const Keys& keys, const Values& values,
                                                const Op& op = {}, initial_value<Values> init = {}) {
  return impl::segmented_scan_new<impl::scan_kind::exclusive>(where, values, impl::segments_of(keys), op,
                                                              init);
}

/// exclusive_scan_by_key into `out`, which has as many elements, may be `values` itself and does not overlap
/// the keys.
template <array_like Out, array_like Keys, array_like Values, class Op = plus>
void exclusive_scan_by_key_into(const target& where, Out&& out, const Keys& keys, const Values& values,
                                const Op& op = {}, initial_value<Values> init = {}) {
  impl::segmented_scan_existing<impl::scan_kind::exclusive>(where, out, values, impl::segments_of(keys), op,
                                                            init);
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(segmented_inclusive_scan)
HD_EXPLAIN_MISUSE(segmented_inclusive_scan_into)
HD_EXPLAIN_MISUSE(segmented_exclusive_scan)
HD_EXPLAIN_MISUSE(segmented_exclusive_scan_into)
HD_EXPLAIN_MISUSE(inclusive_scan_by_key)
HD_EXPLAIN_MISUSE(inclusive_scan_by_key_into)
HD_EXPLAIN_MISUSE(exclusive_scan_by_key)
HD_EXPLAIN_MISUSE(exclusive_scan_by_key_into)

}  // namespace heddle
