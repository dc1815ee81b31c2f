#pragma once

#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/patterns/scan/cpu.hpp>

#include <cstddef>
#include <type_traits>

namespace heddle::cpu {
inline namespace HEDDLE_ISA {

/// The most elements that `scan_few` takes. Minima and maxima of floating-point numbers, which pass on NaN,
/// cost more an element.
template <class T, class Op>
inline constexpr std::size_t most_for_scan_few =
    !order::any_scan_order<T, Op> && order::scan_vector<T> == 1 ? 3
    : !order::any_scan_order<T, Op>                             ? 4 * order::scan_vector<T>
    : std::is_floating_point_v<T>                               ? 8
                                                                : 24;

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans few elements, for which a call into the library would take longer than the work. At most three
/// vectors come before another, and their tree is a chain.
template <bool Exclusive, class T, class Op>
inline void scan_few(const T* x, std::size_t count, const Op& op, const T* init, T* out) {
  const impl::element_at<T, Op> load{x};
  if (count == 0) return;
  if constexpr (order::any_scan_order<T, Op>) {
    std::size_t i = 0;
    T sum = init != nullptr ? *init : load(0);
    if (!Exclusive && init == nullptr) out[i++] = order::canonical(sum);
    for (; i < count; ++i) {
      const T next = op(sum, load(i));
      out[i] = order::canonical(Exclusive ? sum : next);
      sum = next;
    }
  } else if constexpr (order::scan_vector<T> == 1) {
    scan_vector<Exclusive>(load, 0, count, op, init, out);  // for up to three the same
  } else {
    constexpr std::size_t in_vector = order::scan_vector<T>;
    // The total of the vectors so far, and the prefix of the next.
    T vectors = load(0), before = init != nullptr ? *init : vectors;
    for (std::size_t first = 0;; first += in_vector) {
      const bool exists = init != nullptr || first > 0;
      const std::size_t left = count - first;
      if (left < in_vector) {
        scan_vector<Exclusive>(load, first, count, op, exists ? &before : nullptr, out);
        return;
      }
      // Read as a whole before any of it is written, which is faster.
      order::uninitialized<T, in_vector> own;
      own[0] = load(first);
      HD_UNROLL
      for (std::size_t k = 1; k < in_vector; ++k) own[k] = op(own[k - 1], load(first + k));
      HD_UNROLL
      for (std::size_t k = 0; k < in_vector; ++k) {
        const T in_order = own[k - (Exclusive && k > 0)];
        const T result = Exclusive && k == 0 ? before : exists ? op(before, in_order) : in_order;
        out[first + k] = order::canonical(result);
      }
      if (left == in_vector) return;
      vectors = first == 0 ? own[in_vector - 1] : op(vectors, own[in_vector - 1]);
      before = init != nullptr ? op(*init, vectors) : vectors;
    }
  }
}

}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
