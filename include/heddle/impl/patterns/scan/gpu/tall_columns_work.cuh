#pragma once

#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/arch/bulk_copy.cuh>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/column_tiles.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <cstddef>

/// What the warps of tall_columns_scan() share: the tiles that a block takes, in shared memory, and the
/// arrays.
namespace heddle::gpu {

/// A tile of columns whose copy to shared memory has started.
struct column_tile_in_flight {
  std::size_t panel;  ///< none when there are no more
  std::size_t first;  ///< its first element
  unsigned part;      ///< its number in its panel
  unsigned rows, columns;
  bool is_last;
  static constexpr std::size_t none = ~std::size_t{0};
};

template <class T, bool Panels>
struct columns_shared {
  using tuning = tall_columns_tuning<T, Panels>;
  mbarrier arrived[tuning::stages];   ///< the tile is in shared memory
  mbarrier taken[tuning::stages];     ///< all warps have read it
  mbarrier reduced[tuning::stages];   ///< `total` has the totals of its parts
  mbarrier grouped[tuning::stages];   ///< `of_group` has the blocks of the tiles above in its group
  mbarrier prefixed[tuning::stages];  ///< its exclusive prefix has been written
  mbarrier scanned[tuning::stages];   ///< it is in shared memory, scanned
  column_tile_in_flight tiles[tuning::stages];
  order::uninitialized<T, tuning::stages * tuning::most_width> prefix;
  order::uninitialized<T, tuning::stages * 4 * tuning::most_width> of_group;
  /// Of each group of threads, what the largest block of a power of two of groups that it ends combines to.
  order::uninitialized<T, tuning::stages * tuning::scan_threads> total;

  __device__ const T& total_of_tile(unsigned stage, const column_tiles<T, Panels>& shape,
                                    unsigned column) const {
    return total[stage * tuning::scan_threads + (shape.groups - 1) * shape.columns + column];
  }
};

template <class T, bool Panels>
struct columns_work {
  const T* x;
  T* out;
  column_tiles<T, Panels> shape;
  bool exclusive, has_init;
  order::uninitialized<T, 1> init;
  tile_state states;
  unsigned* requests;  ///< requests for a tile of each panel, zero before and after

  /// Whether tiles are scanned in place in shared memory and copied from there.
  __device__ bool copies_back() const { return has_bulk_copies && misalignment16(x) == misalignment16(out); }
  __device__ unsigned padding_of(const column_tile_in_flight& tile) const {
    return has_bulk_copies && misalignment16(x + tile.first) == 0 ? shape.padding : 0;
  }
  /// Elements from a row to the next, where begin_of() is.
  __device__ std::size_t row_stride() const { return has_bulk_copies ? shape.columns : shape.all.inner; }
  /// The first element of a group of threads: in its stage, aligned as in global memory, or in global memory.
  __device__ T* begin_of(const column_tile_in_flight& tile, unsigned char* stage, unsigned group) const {
    const T* const from = x + tile.first;
    const std::size_t elements = group * shape.rows_of_thread * row_stride();
    if constexpr (has_bulk_copies)
      return reinterpret_cast<T*>(stage + misalignment16(from) + group * padding_of(tile)) + elements;
    return const_cast<T*>(from) + elements;
  }

  /// Rows that are copied at once, which follow one another in global and in shared memory.
  __device__ unsigned rows_of_copy(const column_tile_in_flight& tile) const {
    return Panels ? 1 : padding_of(tile) > 0 ? shape.rows_of_thread : shape.rows();
  }
  /// Whether this lane copies any.
  __device__ bool copies(const column_tile_in_flight& tile) const {
    return threadIdx.x % warp_size * rows_of_copy(tile) < tile.rows;
  }
  /// Calls f(byte of the stage, byte of the array, bytes) with each copy of this lane.
  template <class F>
  __device__ void for_copies(const column_tile_in_flight& tile, const F& f) const {
    const unsigned rows = rows_of_copy(tile), lane = threadIdx.x % warp_size;
    const auto pitch = static_cast<unsigned>(rows * shape.columns * sizeof(T)) + padding_of(tile);
    for (unsigned c = lane; c * rows < tile.rows; c += warp_size) {
      const std::size_t begin = (tile.first + std::size_t{c} * rows * shape.all.inner) * sizeof(T);
      f(c * pitch, begin, static_cast<unsigned>(min(rows, tile.rows - c * rows) * tile.columns * sizeof(T)));
    }
  }
};

/// Takes tiles of panels, in order.
template <class T, bool Panels>
class tall_columns_tiles {
 public:
  __device__ explicit tall_columns_tiles(const columns_work<T, Panels>& work) : work_(work) {}

  __device__ column_tile_in_flight next() {
    const column_tiles<T, Panels>& shape = work_.shape;
    column_tile_in_flight tile;
    while (true) {
      if (panel_ == column_tile_in_flight::none) {
        const std::size_t ticket = work_.states.next_tile();
        if (ticket >= shape.panels() * shape.concurrent_tiles) {
          tile.panel = column_tile_in_flight::none;
          return tile;
        }
        panel_ = ticket % shape.panels();
        part_ = 0;
      }
      if (shape.concurrent_tiles > 1) {
        part_ = atomicAdd(&work_.requests[panel_], 1u);
        // Every ticket asks once past the end.
        if (part_ == shape.parts + shape.concurrent_tiles - 1) work_.requests[panel_] = 0;
      }
      if (part_ < shape.parts) break;
      panel_ = column_tile_in_flight::none;
    }
    const std::size_t top = std::size_t{part_} * shape.rows(), outer = panel_ / shape.row_panels,
                      left = (panel_ - outer * shape.row_panels) * shape.columns;
    tile.panel = panel_;
    tile.part = part_;
    tile.first = (outer * shape.all.length + top) * shape.all.inner + left;
    tile.rows = static_cast<unsigned>(min(shape.all.length - top, std::size_t{shape.rows()}));
    tile.columns = static_cast<unsigned>(min(shape.all.inner - left, std::size_t{shape.columns}));
    tile.is_last = part_ + 1 == shape.parts;
    ++part_;
    return tile;
  }

 private:
  const columns_work<T, Panels>& work_;
  std::size_t panel_ = column_tile_in_flight::none;
  unsigned part_ = 0;
};

}  // namespace heddle::gpu
