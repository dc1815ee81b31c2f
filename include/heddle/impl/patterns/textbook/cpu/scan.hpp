#pragma once

#include <heddle/impl/patterns/textbook/cpu/scan_blelloch.hpp>
#include <heddle/impl/patterns/textbook/cpu/scan_hillis_steele.hpp>

namespace heddle::cpu::textbook {

/// Scans n ≥ 1 elements into `out`, which may be x, by the method that `algorithm` names. An exclusive scan
/// has *init first.
template <class T, class Op>
void scan(int threads, scan_algorithm algorithm, const T* x, const Op& op, bool exclusive, const T* init,
          std::size_t n, T* out) {
  switch (algorithm) {
    case scan_algorithm::blelloch:
      if constexpr (impl::has_identity<Op, T>) {
        return scan_blelloch(threads, impl::element_at<T, Op>{x}, op, exclusive, init, n, out);
      }
      impl::fail_no_padding(algorithm);
    case scan_algorithm::single_pass:  // the default, which is elsewhere
    case scan_algorithm::hillis_steele:
      break;
  }
  scan_hillis_steele(threads, heddle::textbook::scanned_elements<T, Op>(x, op, exclusive, init), n, out);
}

}  // namespace heddle::cpu::textbook
