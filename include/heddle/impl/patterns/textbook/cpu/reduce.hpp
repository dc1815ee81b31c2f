#pragma once

#include <heddle/impl/patterns/textbook/cpu/reduce_atomic.hpp>
#include <heddle/impl/patterns/textbook/cpu/reduce_block_serial.hpp>
#include <heddle/impl/patterns/textbook/cpu/reduce_interleaved.hpp>
#include <heddle/impl/patterns/textbook/cpu/reduce_shuffle.hpp>
#include <heddle/impl/patterns/textbook/cpu/reduce_tree.hpp>
#include <heddle/impl/patterns/textbook/cpu/reduce_two_pass.hpp>

namespace heddle::cpu::textbook {

/// Reduces n ≥ 1 elements to *out by the method that `algorithm` names.
template <class T, class Op>
void reduce(int threads, reduce_algorithm algorithm, const impl::element_at<T, Op>& x, const Op& op,
            std::size_t n, T* out) {
  switch (algorithm) {
    case reduce_algorithm::atomic:
      if constexpr (is_commutative<Op, T>) return reduce_atomic(threads, x, op, n, out);
      impl::fail_not_commutative(algorithm);
    case reduce_algorithm::block_serial:
      return reduce_block_serial(threads, x, op, n, out);
    case reduce_algorithm::interleaved:
      return reduce_interleaved(threads, x, op, n, out);
    case reduce_algorithm::tree:
      return reduce_tree(threads, x, op, n, out);
    case reduce_algorithm::two_pass:
      if constexpr (impl::has_identity<Op, T>) return reduce_two_pass(threads, x, op, n, out);
      impl::fail_no_padding(algorithm);
    case reduce_algorithm::single_pass:  // the default, which is elsewhere
    case reduce_algorithm::shuffle:
      break;
  }
  reduce_shuffle(threads, x, op, n, out);
}

}  // namespace heddle::cpu::textbook
