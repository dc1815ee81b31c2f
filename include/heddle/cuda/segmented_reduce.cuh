#pragma once

#include <heddle/cuda/reduce.cuh>
#include <heddle/cuda/transform.cuh>
#include <heddle/scan.hpp>

#include <algorithm>
#include <cstddef>

namespace heddle::cuda {

/// Segments cut into tiles: where each begins among the elements, and where its tiles begin among all tiles.
/// Both are on the GPU.
struct tiles_of_segments {
  const std::size_t* offsets;
  const std::size_t* first_tiles;  ///< one more than there are segments
  std::size_t count;
  std::size_t tile;
  bool last_level;  ///< every segment has one tile at most, whose result is the segment's

  __device__ std::size_t pieces() const { return first_tiles[count]; }
  __device__ grouping::piece operator[](std::size_t index) const {
    // The last segment that begins at this tile or before it, and is not empty.
    std::size_t low = 0, high = count;
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      if (first_tiles[middle] <= index) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const std::size_t part = index - first_tiles[low], first = offsets[low] + part * tile,
                      left = offsets[low + 1] - first;
    return {first, left < tile ? left : tile, 1, 1, last_level ? low : index, part};
  }
};

/// How many tiles a segment is cut into; none after the last, where the sum of all stands after a scan.
struct count_of_tiles {
  const std::size_t* offsets;
  std::size_t count, tile;
  __device__ std::size_t operator()(std::size_t s) const {
    return s < count ? (offsets[s + 1] - offsets[s] + tile - 1) / tile : 0;
  }
};

/// Reduces elements offsets[s] … offsets[s + 1] − 1 of x to out[s] on the GPU's stream, a launch and the scan
/// of the segments' tiles for each factor of `tile` in `longest`, which is no less than what all segments
/// hold together: there is room for the tiles of so many. A warp folds a tile.
template <class T, class Op>
void segmented_reduce(const target& where, const T* x, const Op& op, const std::size_t* offsets,
                      std::size_t count, std::size_t longest, T* out) {
  const current_device on(where);
  constexpr std::size_t tile = grouping::tile<T, Op>;
  constexpr unsigned warps = fold_rows_threads / warp_size;
  detail::memory first_tiles((count + 1) * sizeof(std::size_t), where), held_tiles, partials, held;
  for (std::size_t elements = longest;; longest = (longest + tile - 1) / tile) {
    const bool last_level = longest <= tile;
    auto* const tiles = static_cast<std::size_t*>(first_tiles.data());
    transform(where, count_of_tiles{offsets, count, tile}, count + 1, tiles);
    const std::size_t none = 0;
    detail::library_scan(detail::function::plus, dtype::uint64, true, tiles, {1, count + 1, 1}, &none, tiles,
                         where);
    // As many as there can be: their number is known to the GPU alone.
    const std::size_t most = std::min(elements, elements / tile + count);
    if (!last_level) partials = detail::memory(most * sizeof(T), where);
    T* const to = last_level ? out : static_cast<T*>(partials.data());
    fold_rows<T><<<grid_for(most, warps), fold_rows_threads, 0, where.stream()>>>(
        detail::element_at<T, Op>{x}, op, tiles_of_segments{offsets, tiles, count, tile, last_level}, to);
    check(cudaGetLastError(), "launch of fold_rows");
    if (last_level) return;
    held = std::move(partials);
    held_tiles = std::move(first_tiles);
    first_tiles = detail::memory(held_tiles.bytes(), where);
    x = static_cast<const T*>(held.data());
    offsets = tiles;
    elements = most;
  }
}

}  // namespace heddle::cuda
