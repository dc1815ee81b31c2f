#pragma once

#include <heddle/impl/patterns/textbook/gpu/reduce_atomic.cuh>
#include <heddle/impl/patterns/textbook/gpu/reduce_block_serial.cuh>
#include <heddle/impl/patterns/textbook/gpu/reduce_interleaved.cuh>
#include <heddle/impl/patterns/textbook/gpu/reduce_shuffle.cuh>
#include <heddle/impl/patterns/textbook/gpu/reduce_tree.cuh>
#include <heddle/impl/patterns/textbook/gpu/reduce_two_pass.cuh>

namespace heddle::gpu::textbook {

/// Reduces n ≥ 1 elements to *out, on the GPU's stream, by the method that `algorithm` names.
template <class T, class Op>
void reduce(const target& where, reduce_algorithm algorithm, const impl::element_at<T, Op>& x, const Op& op,
            std::size_t n, T* out) {
  static_assert(
      fits_a_kernel<T, Op>,
      "on a GPU a textbook method takes an element of at most 24 KiB, and at most 31 KiB with its operator");
  const current_device on(where);
  switch (algorithm) {
    case reduce_algorithm::atomic:
      if constexpr (is_commutative<Op, T>) return reduce_atomic(where, x, op, n, out);
      impl::fail_not_commutative(algorithm);
    case reduce_algorithm::block_serial:
      return reduce_block_serial(where, x, op, n, out);
    case reduce_algorithm::interleaved:
      return reduce_interleaved(where, x, op, n, out);
    case reduce_algorithm::tree:
      return reduce_tree(where, x, op, n, out);
    case reduce_algorithm::two_pass:
      if constexpr (impl::has_identity<Op, T>) return reduce_two_pass(where, x, op, n, out);
      impl::fail_no_padding(algorithm);
    case reduce_algorithm::single_pass:  // the default, which is elsewhere
    case reduce_algorithm::shuffle:
      break;
  }
  reduce_shuffle(where, x, op, n, out);
}

}  // namespace heddle::gpu::textbook
