#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>

/// Binary searches on any target, for lower_bound, upper_bound and the merging of sorted runs.
namespace heddle::impl {

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// The partition point: the first of first … last − 1 for which `holds` is false, or last. `holds` is true
/// for those before it and false for those after. One call of `holds` a halving.
template <class Predicate>
HD_INLINE std::size_t partition_point(std::size_t first, std::size_t last, const Predicate& holds) {
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (holds(middle)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

/// Two sorted runs.
template <class T>
struct sorted_runs {
  const T* a;
  std::size_t a_size;
  const T* b;
  std::size_t b_size;
};

template <class T, class Compare>
struct is_from_a {
  const sorted_runs<T>& runs;
  std::size_t count;
  const Compare& compare;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  HD_INLINE bool operator()(std::size_t i) const { return !compare(runs.b[count - i - 1], runs.a[i]); }
};

/// How many of the first `count` elements of the stable merger of two runs come from the first run: where the
/// merge path crosses a diagonal (Odeh, Green, Mwassi, Shmueli and Birk 2012).
template <class T, class Compare>
HD_INLINE std::size_t merge_split(const sorted_runs<T>& runs, std::size_t count, const Compare& compare) {
  return partition_point(count > runs.b_size ? count - runs.b_size : 0,
                         count < runs.a_size ? count : runs.a_size,
                         is_from_a<T, Compare>{runs, count, compare});
}

}  // namespace heddle::impl
