#pragma once

#include <heddle/array.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/patterns/segmented_reduce/front.hpp>
#include <heddle/reduce.hpp>

#include <cstddef>
#include <utility>

namespace heddle {

inline namespace HD_BUILD {

/// Reduces each segment of x: element s combines x[offsets[s]] … x[offsets[s + 1] − 1], with the bits that
/// `reduce` of that segment alone gives. `offsets` are std::size_t, one more than segments, and never
/// decrease. An empty segment gives the operator's identity, which the operator must have. Segments may have
/// any length: threads share long ones. At most n − 1 combinations. Asynchronous on a GPU. Throws
/// heddle::error for offsets that decrease or go beyond x; only offsets on a GPU, of a reduction on a GPU,
/// are not checked.
///
///     const std::vector<std::size_t> offsets{0, 3, 3, 10};
///     hd::array<float> sums = hd::segmented_reduce(where, x, offsets);
template <array_like X, array_like Offsets, class Op = plus>
array<element_of<X>> segmented_reduce(const target& where, const X& x, const Offsets& offsets,
                                      const Op& op = {}) {
  return impl::segmented_reduce_new(where, x, offsets, op);
}

/// segmented_reduce into `out`, which has an element for each segment and overlaps neither x nor the offsets.
template <array_like Out, array_like X, array_like Offsets, class Op = plus>
void segmented_reduce_into(const target& where, Out&& out, const X& x, const Offsets& offsets,
                           const Op& op = {}) {
  impl::segmented_reduce_existing(where, out, x, offsets, op);
}

/// Reduces the values of each run of consecutive equal keys. Returns the keys of the runs, as
/// unique_consecutive gives them, and for each the bits that `reduce` of its values alone gives. Keys are of
/// a built-in type. Waits for the number of runs. Throws heddle::error unless there are as many values as
/// keys. sort_by_key brings all values of a key together.
///
///     auto [keys, sums] = hd::reduce_by_key(where, k, v);
template <array_like Keys, array_like Values, class Op = plus>
  requires has_dtype<element_of<Keys>>
std::pair<array<element_of<Keys>>, array<element_of<Values>>> reduce_by_key(const target& requested,
                                                                            const Keys& keys,
                                                                            const Values& values,
                                                                            const Op& op = {}) {
  using K = element_of<Keys>;
  using T = element_of<Values>;
  impl::check_operator<T, Op>();
  impl::call_by_key call(impl::untyped(keys), impl::untyped(values));
  call.find_runs(requested, dtype_of<K>, impl::compiled_for_gpu || impl::library_has<T, Op>());
  const std::size_t runs = call.runs();
  std::pair<array<K>, array<T>> result{array<K>(runs, call.where()), array<T>(runs, call.where())};
  if (runs == 0) return result;
  call.copy_keys(result.first.data());
  impl::segmented_reduce_array(call.where(), static_cast<const T*>(call.values()), impl::input(values).size,
                               op, call.offsets(), runs, result.second.data());
  return result;
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(segmented_reduce)
HD_EXPLAIN_MISUSE(segmented_reduce_into)
HD_EXPLAIN_MISUSE(reduce_by_key)

}  // namespace heddle
