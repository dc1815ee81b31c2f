#include <heddle/array.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/reduce/cpu.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>

namespace heddle::cpu {

void reduce_segments(int threads, axis_lines all, std::size_t tile, std::size_t element_bytes, const void* x,
                     void* out, reduce_pieces_function of_inputs, reduce_pieces_function of_partials) {
  // Panels of columns whose accumulators, up to 512 to a column, stay in an L2 cache.
  constexpr std::size_t panel_bytes = impl::threshold.reduce_panel_bytes;
  constexpr std::size_t bytes_worth_a_thread = impl::threshold.reduce_grain_bytes;
  if (all.count() == 0) return;

  memory level;
  for (bool first_level = true;; first_level = false) {
    const order::tiling tiles{all, tile, std::max<std::size_t>(1, panel_bytes / element_bytes)};
    const bool last_level = tiles.parts() == 1;
    memory partials;
    if (!last_level) partials = memory(tiles.results().elements() * element_bytes, target());
    void* const to = last_level ? out : partials.data();

    const std::size_t piece_bytes =
        std::min(tile, all.length) * std::min(tiles.panel, all.inner) * element_bytes;
    const reduce_pieces_function& reduce_serially = first_level ? of_inputs : of_partials;
    for_slices(threads, tiles.pieces(), std::max<std::size_t>(1, bytes_worth_a_thread / piece_bytes),
               [&](std::size_t first, std::size_t last) { reduce_serially(x, tiles, first, last, to); });
    if (last_level) return;
    all = tiles.results();
    level = std::move(partials);
    x = level.data();
  }
}

}  // namespace heddle::cpu
