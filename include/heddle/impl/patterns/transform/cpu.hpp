#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/threads.hpp>

#include <cstddef>
#include <type_traits>

#ifndef HEDDLE_ISA
#define HEDDLE_ISA any_processor
#endif

namespace heddle::cpu {

/// Outputs of more bytes than this are larger than a cache: non-temporal stores do not read the lines that
/// they overwrite.
inline constexpr std::size_t stream_from_bytes = impl::threshold.stream_from_bytes;

inline namespace HEDDLE_ISA {

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// out[i] = f(i) for `count` elements; f(i) may read out[i], but no other element of `out`. Non-temporal,
/// where the processor can: computes a piece at a time in the L1 cache and copies it out by whole lines.
/// Pieces come from four pages alternately, because prefetching within one page does not saturate the
/// bandwidth of a core.
template <class T, class F>
inline void write_elements(const F& f, std::size_t count, [[maybe_unused]] bool non_temporal, T* out) {
  std::size_t i = 0;
#if defined(__x86_64__)
  constexpr std::size_t line = 64, pages = 4, piece_bytes = impl::threshold.stream_piece_bytes,
                        page_bytes = impl::threshold.stream_page_bytes;
  static_assert(piece_bytes % line == 0 && page_bytes % piece_bytes == 0);
  if constexpr (line % sizeof(T) == 0) {
    if (non_temporal) {
      constexpr std::size_t in_piece = piece_bytes / sizeof(T), in_page = page_bytes / sizeof(T);
      for (; i < count && reinterpret_cast<std::size_t>(out + i) % line != 0; ++i) out[i] = f(i);
      alignas(line) order::uninitialized<T, in_piece> piece;
      for (; i + pages * in_page <= count; i += pages * in_page) {
        for (std::size_t within = 0; within < in_page; within += in_piece) {
          for (std::size_t page = 0; page < pages; ++page) {
            const std::size_t first = i + page * in_page + within;
            for (std::size_t k = 0; k < in_piece; ++k) piece[k] = f(first + k);
            copy_lines_non_temporal(&piece, out + first, piece_bytes);
          }
        }
      }
      store_fence();
    }
  }
#endif
  for (; i < count; ++i) out[i] = f(i);
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// out[i] = f(i) for `count` elements on up to `threads` threads; f(i) may read out[i], but no other element
/// of `out`.
template <class T, class F>
inline void transform(int threads, const F& f, std::size_t count, T* out) {
  const bool non_temporal = count > stream_from_bytes / sizeof(T);
  for_slices(threads, count, impl::threshold.transform_grain_bytes / sizeof(T) + 1,
             [&](std::size_t first, std::size_t last) {
               write_elements([&](std::size_t i) { return f(first + i); }, last - first, non_temporal,
                              out + first);
             });
}

}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu
