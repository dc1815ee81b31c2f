#pragma once

#include <heddle/impl/patterns/textbook/gpu/scan_blelloch.cuh>
#include <heddle/impl/patterns/textbook/gpu/scan_hillis_steele.cuh>

namespace heddle::gpu::textbook {

/// Scans n ≥ 1 elements into `out`, which may be x, on the GPU's stream, by the method that `algorithm`
/// names. An exclusive scan has *init first.
template <class T, class Op>
void scan(const target& where, scan_algorithm algorithm, const T* x, const Op& op, bool exclusive,
          const T* init, std::size_t n, T* out) {
  static_assert(
      fits_a_kernel<T, Op>,
      "on a GPU a textbook method takes an element of at most 24 KiB, and at most 31 KiB with its operator");
  const current_device on(where);
  switch (algorithm) {
    case scan_algorithm::blelloch:
      if constexpr (impl::has_identity<Op, T>) {
        return scan_blelloch(where, impl::element_at<T, Op>{x}, op, exclusive, init, n, out);
      }
      impl::fail_no_padding(algorithm);
    case scan_algorithm::single_pass:  // the default, which is elsewhere
    case scan_algorithm::hillis_steele:
      break;
  }
  scan_hillis_steele(where, heddle::textbook::scanned_elements<T, Op>(x, op, exclusive, init), n, out);
}

}  // namespace heddle::gpu::textbook
