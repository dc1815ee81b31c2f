#include "patterns/argmin/cpu.hpp"

#include "core/type_op_dispatch.hpp"
#include "core/unequal.hpp"
#include "cpu/instruction_set.hpp"
#include "patterns/argmin/cpu_kernels.hpp"
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>

namespace heddle::cpu {
namespace {

/// Lowers index[c] to the index of the first row, which the piece's rows count from `first_row`, whose
/// element in column c equals wanted[c].
template <class T>
void find_in_piece(find_kernel find, dtype type, const T* x, const order::piece& piece, std::size_t first_row,
                   const T* wanted, std::size_t* index) {
  const auto is_behind = [&](std::size_t column, std::size_t row) {
    return std::atomic_ref(index[column]).load(std::memory_order_relaxed) <= row;
  };
  const auto lower = [&](std::size_t column, std::size_t row) {
    const std::atomic_ref least(index[column]);
    std::size_t present = least.load(std::memory_order_relaxed);
    while (row < present && !least.compare_exchange_weak(present, row, std::memory_order_relaxed)) {
    }
  };
  if (piece.stride == 1) {
    // Another thread may find an earlier one meanwhile.
    constexpr std::size_t run = 8 * impl::threshold.arg_run;
    for (std::size_t begin = 0; begin < piece.count && !is_behind(0, first_row + begin); begin += run) {
      const std::size_t count = std::min(run, piece.count - begin);
      const std::size_t at = find(type, x + piece.first + begin, count, wanted);
      if (at < count) return lower(0, first_row + begin + at);
    }
    return;
  }
  for (std::size_t row = 0; row < piece.count; ++row) {
    const T* const from = x + piece.first + row * piece.stride;
    bool any = false;
    for (std::size_t c = 0; c < piece.width; ++c) any |= !impl::is_unequal(from[c], wanted[c]);
    if (!any) continue;
    for (std::size_t c = 0; c < piece.width; ++c) {
      if (!impl::is_unequal(from[c], wanted[c])) lower(c, first_row + row);
    }
  }
}

}  // namespace

void find_first(dtype type, const void* x, axis_lines all, const void* extremum, const void* of_pieces,
                std::size_t piece_elements, std::size_t* index, int threads) {
  // Panels of columns are searched row by row; a contiguous piece that begins after an index already found is
  // skipped.
  constexpr std::size_t panel = impl::threshold.arg_panel;
  const order::tiling tiles{all, piece_elements, panel};
  const std::size_t parts = tiles.parts();
  std::fill_n(index, all.count(), all.length);
  const find_kernel find = HEDDLE_FASTEST(find);
  impl::dispatch_type_op<impl::family::order>(
      type, runtime_op::minimum, [&]<class T, class Op>(impl::type_tag<T>, Op) {
        const T* const elements = static_cast<const T*>(x);
        const std::size_t grain =
            piece_elements / std::min(piece_elements, all.length) / std::min(panel, all.inner) + 1;
        for_slices(threads, tiles.pieces(), grain, [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            const order::piece piece = tiles[i];
            const std::size_t segment =
                piece.result / all.inner / parts * all.inner + piece.result % all.inner;
            const T* const wanted = static_cast<const T*>(extremum) + segment;
            if (of_pieces != nullptr && impl::is_unequal(static_cast<const T*>(of_pieces)[i], *wanted))
              continue;
            find_in_piece(find, type, elements, piece, piece.segment_part * piece_elements, wanted,
                          index + segment);
          }
        });
      });
}

}  // namespace heddle::cpu
