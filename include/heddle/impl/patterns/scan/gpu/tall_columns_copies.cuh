#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/gpu/arch/bulk_copy.cuh>
#include <heddle/impl/gpu/block/pipeline_stage.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/tall_columns_work.cuh>

#include <cstddef>
#include <cstdint>

/// The warps of tall_columns_scan() that copy tiles to shared memory and back.
namespace heddle::gpu {

/// Copies tiles to shared memory.
template <class T, bool Panels>
__device__ void load_columns_warp(const columns_work<T, Panels>& work, columns_shared<T, Panels>& shared,
                                  unsigned char* stages) {
  using tuning = tall_columns_tuning<T, Panels>;
  const unsigned lane = threadIdx.x % warp_size;
  tall_columns_tiles<T, Panels> tiles(work);
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    if (lane == 0) {
      const column_tile_in_flight next = tiles.next();
      shared.taken[at.stage].wait(at.parity ^ 1);
      shared.tiles[at.stage] = next;
    }
    __syncwarp();
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (has_bulk_copies && tile.panel != column_tile_in_flight::none) {
#if HD_PTX_ARCH >= 900
      const auto begin = reinterpret_cast<std::uintptr_t>(work.x);
      const whole_vec16 whole(begin, begin + work.shape.all.elements() * sizeof(T));
      unsigned expected = 0;
      work.for_copies(tile, [&](unsigned to, std::size_t from, unsigned bytes) {
        expected += start_copy_of_vec16(stages + at.stage * tuning::stage_bytes + to, begin + from,
                                        begin + from + bytes, whole, shared.arrived[at.stage]);
      });
      expected = __reduce_add_sync(whole_warp, expected);
      if (lane == 0) shared.arrived[at.stage].arrive_and_expect(expected);
#endif
    } else if (lane == 0) {
      shared.arrived[at.stage].arrive();
    }
    if (tile.panel == column_tile_in_flight::none) return;
  }
}

/// Copies scanned tiles from shared memory to where results go.
template <class T, bool Panels>
__device__ void store_columns_warp(const columns_work<T, Panels>& work, columns_shared<T, Panels>& shared,
                                   unsigned char* stages) {
  using tuning = tall_columns_tuning<T, Panels>;
  for (pipeline_stage<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const column_tile_in_flight tile = shared.tiles[at.stage];
    if (tile.panel == column_tile_in_flight::none) return;
    shared.scanned[at.stage].wait(at.parity);
#if HD_PTX_ARCH >= 900
    if (work.copies_back()) {
      const unsigned char* const stage =
          stages + at.stage * tuning::stage_bytes + misalignment16(work.x + tile.first);
      work.for_copies(tile, [&](unsigned from, std::size_t to, unsigned bytes) {
        const auto begin = reinterpret_cast<std::uintptr_t>(work.out) + to, end = begin + bytes;
        const whole_vec16 whole(begin, end);
        const std::uintptr_t whole_begin = min(whole.first, end), whole_end = max(whole.end, whole_begin);
        const unsigned char* const source = stage + from;
        if (whole_begin < whole_end) {
          start_store(reinterpret_cast<void*>(whole_begin), source + (whole_begin - begin),
                      static_cast<unsigned>(whole_end - whole_begin));
        }
        // Bytes at both ends that do not fill 16.
        const auto store_bytes = [&](std::uintptr_t from_byte, std::uintptr_t to_byte) {
          for (; from_byte < to_byte; ++from_byte)
            *reinterpret_cast<unsigned char*>(from_byte) = source[from_byte - begin];
        };
        store_bytes(begin, whole_begin);
        store_bytes(whole_end, end);
      });
      if (work.copies(tile)) wait_for_stores();
    }
#endif
    __syncwarp();
    if (threadIdx.x % warp_size == 0) shared.taken[at.stage].arrive();
  }
}

}  // namespace heddle::gpu
