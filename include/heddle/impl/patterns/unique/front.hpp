#pragma once

#include <heddle/array.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/sort.hpp>

#include <cstddef>

namespace heddle::impl {

/// The first of each run of equal elements; x is on `where`.
template <class T>
array<T> first_of_runs(const target& where, const T* x, std::size_t n) {
  const memory flags(n, where);
  bool* const changes = static_cast<bool*>(flags.data());
  library_flag_changes(dtype_of<T>, x, n, changes, where);
  const selection chosen(changes, n, where);
  array<T> firsts(chosen.count(), where);
  chosen.copy(x, sizeof(T), false, firsts.data());
  return firsts;
}

}  // namespace heddle::impl
