#pragma once

#include <heddle/array.hpp>
#include <heddle/extent.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/misuse.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <cstddef>
#if defined(__CUDACC__)
#include <heddle/impl/patterns/for_each_index/gpu.cuh>
#endif

namespace heddle {

inline namespace HD_BUILD {

/// Calls f(i), f(row, column) or f(plane, row, column), with std::size_t indices, once for every index, in no
/// particular order; on a GPU it returns when the work is on the stream. What f writes must be on the target.
///
///     hd::for_each_index(where, hd::extent{rows, columns},
///                        [=] HD_FN(std::size_t r, std::size_t c) { at(r, c) = 0; });
///
/// On a GPU `f` must be marked HD_FN in a file that nvcc compiles, and the launch shape may be given.
/// `automatic` is a CPU target here: only the caller knows where the data is.
template <int Axes, class F>
void for_each_index(const target& requested, const extent<Axes>& over, const F& f,
                    const launch_shape& launch = {}) {
  using namespace impl;
  const std::size_t count = over.count();
  operation running("for_each_index", count, "indices");
  const target where = resolve(requested, {0, count, target(), false});
  running.runs_on(where);
  if (count == 0) return;
  if (where.is_gpu()) {
#if defined(__CUDACC__)
    return gpu::for_each_index<Axes>(where, over.lengths, f, launch);
#else
    fail_not_compiled_for_gpu();
#endif
  }
  static_cast<void>(launch);
  constexpr std::size_t grain = impl::threshold.for_each_index_grain;
  if constexpr (Axes == 1) {
    cpu::for_slices(where.threads(), count, grain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) f(i);
    });
  } else {
    const std::size_t columns = over.lengths[Axes - 1];
    const std::size_t rows = over.lengths[Axes - 2];
    cpu::for_slices(where.threads(), count / columns, grain / columns + 1,
                    [&](std::size_t first, std::size_t last) {
                      for (std::size_t line = first; line < last; ++line) {
                        for (std::size_t c = 0; c < columns; ++c) {
                          if constexpr (Axes == 2) {
                            f(line, c);
                          } else {
                            f(line / rows, line % rows, c);
                          }
                        }
                      }
                    });
  }
}

}  // namespace HD_BUILD

HD_EXPLAIN_MISUSE(for_each_index)

}  // namespace heddle
