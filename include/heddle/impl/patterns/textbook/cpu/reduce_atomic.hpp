#pragma once

#include <heddle/impl/patterns/textbook/cpu/blocks.hpp>
#include <heddle/impl/patterns/textbook/cpu/shared_result.hpp>

/// `atomic`: every element is combined into one result that all threads share, one element at a time.
///
///   operations  n − 1
///   steps       n − 1: all of them go through one result
///   launches    2: one puts the first element into the result, one combines the others with it
///   bytes       (3n − 1)·size: each element once, and the result read and written for each but the first
///
/// The threads compete for the result's cache line: several are slower than one. The order of the elements is
/// lost. The next method, block-serial, does most combinations without other threads.
namespace heddle::cpu::textbook {

template <class T, class Op>
void reduce_atomic(int threads, impl::element_at<T, Op> x, const Op& op, std::size_t n, T* out) {
  using heddle::textbook::read;
  shared_result<T> result;
  for_elements(threads, 1, [&](std::size_t) { result.put(read(x, 0)); });
  if (n > 1) for_elements(threads, n - 1, [&](std::size_t i) { result.combine(read(x, i + 1), op); });
  *out = result.get();
}

}  // namespace heddle::cpu::textbook
