#pragma once

/// cooperative_groups::memcpy_async, wait and wait_prior.

#include <cooperative_groups.h>
#include <heddle_device/barrier.hpp>
#include <heddle_device/names_begin.hpp>

namespace cooperative_groups {

/// n bytes, as a group of copies of each of the threads.
template <class Group, class T, class U, class Size>
HEDDLE_DEVICE void memcpy_async(const Group& group, T* to, const U* from, const Size& n) {
  cuda::heddle_detail::copy_in_group(group, to, from, static_cast<size_t>(n));
  heddle_device::commit_copies();
}
/// Elements, as many as there are of the fewer.
template <class Group, class T, class U, class Size, class SizeFrom>
HEDDLE_DEVICE void memcpy_async(const Group& group, T* to, const Size& room, const U* from,
                                const SizeFrom& count) {
  static_assert(sizeof(T) == sizeof(U), "heddle: memcpy_async copies elements of one size");
  const size_t n = static_cast<size_t>(room) < static_cast<size_t>(count) ? room : count;
  memcpy_async(group, to, from, n * sizeof(T));
}
template <class Group>
HEDDLE_DEVICE void wait(const Group& group) {
  heddle_device::wait_for_all_copies();
  group.sync();
}
template <unsigned Groups, class Group>
HEDDLE_DEVICE void wait_prior(const Group& group) {
  heddle_device::wait_for_copies(Groups);
  group.sync();
}

}  // namespace cooperative_groups

#include <heddle_device/names_end.hpp>
