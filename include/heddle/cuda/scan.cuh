#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/bulk_copy.cuh>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/scratch.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/elementwise.hpp>
#include <heddle/grouping.hpp>
#include <heddle/operators.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Scan on a GPU. Flat arrays and long rows take one launch that reads once and writes once:
///
/// The elements are cut into tiles that blocks take in turn, so that a block waits for none but tiles that
/// others have taken before it. In a block warps have roles. One brings tiles into shared memory, up to three
/// at a time. Two combine a tile as soon as it is there, well before it is scanned, and publish the total.
/// One looks ahead: it combines what the tiles before have published, 128 at a time, each block for itself,
/// so that no tile waits for a chain of others. Sixteen scan tiles in registers and write them.
///
/// The bits depend on the number of elements, their type and nothing that happens at run time: rows of 32
/// lanes are combined by shuffles (Kogge and Stone 1973), rows and warps of a tile and 128 tiles likewise,
/// and totals of 128 tiles in groups of 32. The look-ahead replaces the look-back of Merrill and Garland,
/// "Single-pass parallel prefix scan with decoupled look-back" (2016).
///
/// Short rows are scanned a warp to a row; columns in three steps, a thread to a strip of a column.
namespace heddle::cuda {

/// The shape of a tile for elements of so many bytes.
template <std::size_t Bytes>
struct scan_tuning {
  /// Elements side by side in a lane: 16 bytes of them, where that is a number of elements.
  static constexpr unsigned pack = Bytes <= 16 && 16 % Bytes == 0 ? 16 / Bytes : 1;
  static constexpr unsigned warps = Bytes <= 16 ? 16 : Bytes <= 128 ? 8 : Bytes <= 512 ? 4 : 1;
  static constexpr unsigned rows = Bytes <= 16 ? 8 : Bytes <= 32 ? 2 : 1;
  static constexpr unsigned reducers = warps > 1 ? 2 : 1;
  /// Elements of a tile of which each warp scans one row; a tile has up to `rows` times as many.
  static constexpr unsigned row_of_warps = warps * warp_size * pack;
  static constexpr unsigned tile = row_of_warps * rows;
  static constexpr unsigned stages = 3;
  /// A tile begins up to 16 bytes after the first byte that is copied, and ends as much before the last.
  static constexpr unsigned stage_bytes = (tile * Bytes + 32 + 127) / 128 * 128;
  static constexpr bool staged = stages * stage_bytes <= 200 * 1024;
  static constexpr unsigned threads = (warps + reducers + 2) * warp_size;
};

/// Element i of `row` combined with all before it in the warp, or in its first `Lanes` lanes.
template <unsigned Lanes = warp_size, class T, class Op>
__device__ T scan_warp(T value, const Op& op) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned distance = 1; distance < Lanes; distance *= 2) {
    const T before = shuffle_up(value, distance);
    if (lane >= distance) value = op(before, value);
  }
  return value;
}

/// Words of a tag and 32 bits of a value each, in which tiles publish what they combine to.
struct tile_states {
  launch_header* header;
  std::uint64_t* words;
  std::size_t capacity;  ///< of words
};

/// The first `active` lanes combined, in lane 0.
template <class T, class Op>
__device__ T fold_warp(T value, unsigned active, const Op& op) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned distance = 1; distance < warp_size; distance *= 2) {
    const T after = shuffle_down(value, distance);
    if (lane % (2 * distance) == 0 && lane + distance < active) value = op(value, after);
  }
  return value;
}

/// What is scanned: rows of `length` elements, each cut into `parts` tiles.
template <class T, class Op>
struct scan_work {
  const T* x;
  T* out;
  Op op;
  std::size_t rows, length, parts;
  unsigned rows_of_warp;  ///< that make a tile
  bool has_init;
  grouping::uninitialized<T, 1> init;
  tile_states states;

  HD_INLINE std::size_t tiles() const { return rows * parts; }
  HD_INLINE unsigned tile() const { return rows_of_warp * scan_tuning<sizeof(T)>::row_of_warps; }
};

/// A tile that is on its way.
struct tile_in_flight {
  std::size_t tile;   ///< its number; none when there are no more
  std::size_t part;   ///< its number in its row
  std::size_t first;  ///< its first element
  unsigned count;     ///< of its elements
  unsigned shift;     ///< bytes in shared memory before its first element
  static constexpr std::size_t none = ~std::size_t{0};
};

/// Words that hold an element, each published with the number of the launch beside it.
template <class T>
inline constexpr unsigned words_of = (sizeof(T) + 3) / 4;

template <class T>
__device__ void publish_state(const tile_states& states, std::size_t tiles, std::size_t tile,
                              std::uint32_t launch, const T& value) {
  std::uint32_t bits[words_of<T>] = {};
  memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (unsigned w = 0; w < words_of<T>; ++w) {
    const std::uint64_t word = std::uint64_t{launch} << 32 | bits[w];
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(states.words + w * tiles + tile), "l"(word)
                 : "memory");
  }
}

/// Waits until the tile has published what it combines to.
template <class T>
__device__ T state_of(const tile_states& states, std::size_t tiles, std::size_t tile, std::uint32_t launch) {
  std::uint32_t bits[words_of<T>];
  bool all_there;
  while (true) {
    all_there = true;
#pragma unroll
    for (unsigned w = 0; w < words_of<T>; ++w) {
      std::uint64_t word;
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                   : "=l"(word)
                   : "l"(states.words + w * tiles + tile)
                   : "memory");
      all_there = all_there && static_cast<std::uint32_t>(word >> 32) == launch;
      bits[w] = static_cast<std::uint32_t>(word);
    }
    if (all_there) break;
    __nanosleep(100);  // polling is traffic, in the way of what is waited for
  }
  grouping::uninitialized<T, 1> value;
  memcpy(&value, bits, sizeof(T));
  return value[0];
}

/// What stands before a tile of a row, from the totals of 32 tiles at a time: these are combined in groups of
/// 32 again, so that rounding errors grow with the logarithm of their number.
template <class T, class Op>
class prefix_of_tiles {
 public:
  __device__ explicit prefix_of_tiles(const Op& op) : op_(op) {}

  __device__ void clear() {
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) filled_[level] = 0;
  }

  __device__ void append(T total) {
    bool carried = true;
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) {
      if (!carried) continue;
      sum_[level] = filled_[level] == 0 ? total : op_(sum_[level], total);
      carried = ++filled_[level] == group && level + 1 < levels;
      if (carried) {
        total = sum_[level];
        filled_[level] = 0;
      }
    }
  }

  /// `first` combined with all so far; `first` need not exist when something does.
  __device__ bool prepend_to(bool has_last, T& last) const {
    bool exists = has_last;
#pragma unroll
    for (unsigned level = 0; level < levels; ++level) {
      if (filled_[level] == 0) continue;
      last = exists ? op_(sum_[level], last) : sum_[level];
      exists = true;
    }
    return exists;
  }

 private:
  static constexpr unsigned levels = 4, group = 32;
  const Op& op_;
  unsigned filled_[levels] = {};
  grouping::uninitialized<T, levels> sum_;
};

template <class T>
struct scan_shared {
  using tuning = scan_tuning<sizeof(T)>;
  phase_barrier arrived[tuning::stages];   ///< the tile is in shared memory
  phase_barrier taken[tuning::stages];     ///< it is in registers
  phase_barrier prefixed[tuning::stages];  ///< what stands before it is known
  phase_barrier read[tuning::stages];      ///< and has been read
  tile_in_flight tiles[tuning::stages];
  bool has_prefix[tuning::stages];
  std::uint32_t launch;  ///< its number
  grouping::uninitialized<T, tuning::stages> prefix;
  // Of one tile and of the next in turns.
  grouping::uninitialized<T, 2 * tuning::warps> warp_total;
  grouping::uninitialized<T, 2 * tuning::reducers> reducer_total;
};

/// Goes from stage to stage, and knows the parity of the phase that is waited for.
template <unsigned Stages>
struct ring_position {
  unsigned stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Whether tiles are copied to shared memory, or read where they stand.
template <class T>
inline constexpr bool in_shared_memory =
#if __CUDA_ARCH__ >= 900
    scan_tuning<sizeof(T)>::staged;
#else
    false;
#endif

/// Takes tiles in turn and starts copying them.
template <class T, class Op>
__device__ void bring_tiles(const scan_work<T, Op>& work, scan_shared<T>& shared, unsigned char* stages) {
  using tuning = scan_tuning<sizeof(T)>;
  if (threadIdx.x % warp_size != 0) return;
  const std::size_t tiles = work.tiles();
  // Whole granules of 16 bytes that hold no byte but of the input.
  const auto begin = reinterpret_cast<std::uintptr_t>(work.x);
  const std::uintptr_t first_granule = (begin + 15) / 16 * 16;
  const std::uintptr_t end_granule = (begin + work.rows * work.length * sizeof(T)) / 16 * 16;
  ring_position<tuning::stages> at;
  bool first = true;
  for (bool more = true; more; at.advance()) {
    shared.taken[at.stage].wait(at.parity ^ 1);
    tile_in_flight& next = shared.tiles[at.stage];
    if (tiles == 1) {
      next.tile = first ? 0 : tile_in_flight::none;
      first = false;
    } else {
      // Not by the number of the block: blocks may start in any order.
      next.tile = atomicAdd(&work.states.header->next_tile, 1ull);
      // Every block asks once in vain; the last of them leaves the counter as it was.
      if (next.tile == tiles + gridDim.x - 1) work.states.header->next_tile = 0;
    }
    if (next.tile >= tiles) {
      next.tile = tile_in_flight::none;
      shared.arrived[at.stage].arrive();
      more = false;
      continue;
    }
    const std::size_t row = work.rows == 1 ? 0 : next.tile / work.parts;
    next.part = next.tile - row * work.parts;
    const std::size_t begins = next.part * work.tile();
    next.first = row * work.length + begins;
    next.count = static_cast<unsigned>(min(work.length - begins, std::size_t{work.tile()}));
    if constexpr (in_shared_memory<T>) {
      const std::uintptr_t from = begin + next.first * sizeof(T);
      std::uintptr_t copy_from = from / 16 * 16, copy_to = (from + next.count * sizeof(T) + 15) / 16 * 16;
      next.shift = static_cast<unsigned>(from - copy_from);
      unsigned char* const stage = stages + at.stage * tuning::stage_bytes;
      unsigned char* destination = stage;
      // What shares its granule with foreign bytes is copied by hand.
      for (; copy_from < first_granule && copy_from < copy_to; copy_from += 16, destination += 16) {
        for (unsigned b = 0; b < 16; ++b) {
          if (copy_from + b >= from && copy_from + b < from + next.count * sizeof(T))
            destination[b] = *reinterpret_cast<const unsigned char*>(copy_from + b);
        }
      }
      if (copy_to > end_granule && copy_to > copy_from) {
        copy_to -= 16;
        for (unsigned b = 0; b < 16; ++b) {
          if (copy_to + b >= from && copy_to + b < from + next.count * sizeof(T))
            destination[copy_to - copy_from + b] = *reinterpret_cast<const unsigned char*>(copy_to + b);
        }
      }
      const auto bytes = static_cast<unsigned>(copy_to - copy_from);
      if (bytes > 0) {
#if __CUDA_ARCH__ >= 900
        shared.arrived[at.stage].arrive_and_expect(bytes);
        start_copy(destination, reinterpret_cast<const void*>(copy_from), bytes, shared.arrived[at.stage]);
#endif
        continue;
      }
    }
    shared.arrived[at.stage].arrive();
  }
}

/// Tiles whose totals a warp combines at once: 32 side by side, a few times.
template <class T>
inline constexpr unsigned tiles_at_once = warp_size*(words_of<T> <= 4 ? 4 : 1);

/// What `count` tiles from `first` on combine to, once they have published it.
template <class T, class Op>
__device__ T total_of_tiles(const scan_work<T, Op>& work, std::size_t first, unsigned count,
                            std::uint32_t launch) {
  constexpr unsigned at_once = tiles_at_once<T> / warp_size;
  const unsigned lane = threadIdx.x % warp_size;
  const std::size_t tiles = work.tiles();
  grouping::uninitialized<T, at_once> total;
#pragma unroll
  for (unsigned k = 0; k < at_once; ++k) {
    if (k * warp_size + lane < count)
      total[k] = state_of<T>(work.states, tiles, first + k * warp_size + lane, launch);
  }
  __syncwarp();
#pragma unroll
  for (unsigned k = 0; k < at_once; ++k) {
    if (k * warp_size < count) total[k] = fold_warp(total[k], min(count - k * warp_size, warp_size), work.op);
  }
#pragma unroll
  for (unsigned k = 1; k < at_once; ++k) {
    if (k * warp_size < count) total[0] = work.op(total[0], total[k]);
  }
  return shuffle_from(total[0], 0);
}

/// Finds what stands before each tile of this block, from what all tiles before it have published.
template <class T, class Op>
__device__ void look_ahead(const scan_work<T, Op>& work, scan_shared<T>& shared, std::uint32_t launch) {
  using tuning = scan_tuning<sizeof(T)>;
  const unsigned lane = threadIdx.x % warp_size;
  const std::size_t tiles = work.tiles();
  prefix_of_tiles<T, Op> before(work.op);
  std::size_t row_begin = 0, folded = 0;  // tiles of this row that are in `before`
  for (ring_position<tuning::stages> at;; at.advance()) {
    shared.arrived[at.stage].wait(at.parity);
    const std::size_t tile = shared.tiles[at.stage].tile, part = shared.tiles[at.stage].part;
    if (tile == tile_in_flight::none) return;
    if (tile - part != row_begin) {
      row_begin = tile - part;
      folded = 0;
      before.clear();
    }
    for (; folded + tiles_at_once<T> <= part; folded += tiles_at_once<T>) {
      before.append(total_of_tiles<T>(work, row_begin + folded, tiles_at_once<T>, launch));
    }
    grouping::uninitialized<T, 1> prefix;
    const auto rest = static_cast<unsigned>(part - folded);
    if (rest > 0) prefix[0] = total_of_tiles<T>(work, row_begin + folded, rest, launch);
    bool exists = before.prepend_to(rest > 0, prefix[0]);
    if (work.has_init) {
      prefix[0] = exists ? work.op(work.init[0], prefix[0]) : work.init[0];
      exists = true;
    }
    shared.read[at.stage].wait(at.parity ^ 1);
    if (lane == 0) {
      shared.has_prefix[at.stage] = exists;
      if (exists) shared.prefix[at.stage] = prefix[0];
      shared.prefixed[at.stage].arrive();
    }
    __syncwarp();
  }
}

template <class T>
__device__ void copy_pack(void* to, const void* from) {
  if constexpr (scan_tuning<sizeof(T)>::pack * sizeof(T) == 16) {
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
  } else {
    memcpy(to, from, sizeof(T));
  }
}

/// The elements of the tile in a stage.
template <class T, class Op>
__device__ const T* elements_of(const scan_work<T, Op>& work, const tile_in_flight& tile,
                                const unsigned char* stages, unsigned stage) {
  using tuning = scan_tuning<sizeof(T)>;
  if constexpr (in_shared_memory<T>) {
    return reinterpret_cast<const T*>(stages + stage * tuning::stage_bytes + tile.shift);
  }
  return work.x + tile.first;
}

template <class T>
__device__ bool is_aligned_to_16(const T* x) {
  return (reinterpret_cast<std::uintptr_t>(x) & 15) == 0;
}

/// Combines tiles, well before they are scanned, and publishes the totals.
template <class T, class Op>
__device__ void reduce_tiles(const scan_work<T, Op>& work, scan_shared<T>& shared,
                             const unsigned char* stages, std::uint32_t launch, unsigned warp) {
  using tuning = scan_tuning<sizeof(T)>;
  constexpr unsigned pack = tuning::pack, reducers = tuning::reducers;
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned rows = work.rows_of_warp * (tuning::warps / reducers);
  const Op op = work.op;
  unsigned turn = 0;
  for (ring_position<tuning::stages> at;; at.advance(), turn ^= 1) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.tile == tile_in_flight::none) return;
    // Nobody asks for the total of the last tile of a row.
    const bool wanted = tile.part + 1 < work.parts;
    grouping::uninitialized<T, 1> total;
    if (wanted) {
      // Where order matters a lane takes neighbouring packs, so that fewer steps between lanes are needed.
      constexpr unsigned side_by_side = !is_commutative<Op, T> && tuning::warps / reducers % 4 == 0 ? 4 : 1;
      const T* const from =
          elements_of(work, tile, stages, at.stage) + (warp * rows * warp_size + lane * side_by_side) * pack;
      const bool aligned = is_aligned_to_16(from);
#pragma unroll 4
      for (unsigned r = 0; r < rows; r += side_by_side) {
        grouping::uninitialized<T, 1> sum;
#pragma unroll
        for (unsigned n = 0; n < side_by_side; ++n) {
          const T* const at_pack = from + (r * warp_size + n) * pack;
          grouping::uninitialized<T, pack> x;
          if (aligned && pack * sizeof(T) == 16) {
            copy_pack<T>(&x, at_pack);
          } else {
#pragma unroll
            for (unsigned k = 0; k < pack; ++k) x[k] = at_pack[k];
          }
          if constexpr (adds_small_integers<T, Op>) {
            sum[0] = static_cast<T>(add_small_integers<T>(&x, 0));
          } else {
            sum[0] = n > 0 ? op(sum[0], detail::lift<Op>(x[0])) : detail::lift<Op>(x[0]);
#pragma unroll
            for (unsigned k = 1; k < pack; ++k) sum[0] = op(sum[0], detail::lift<Op>(x[k]));
          }
        }
        if constexpr (!is_commutative<Op, T>) sum[0] = fold_warp(sum[0], warp_size, op);
        total[0] = r > 0 ? op(total[0], sum[0]) : sum[0];
      }
    }
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();
    if (!wanted) continue;
    if constexpr (is_commutative<Op, T>) total[0] = fold_warp(total[0], warp_size, op);
    if constexpr (reducers > 1) {
      T* const totals = &shared.reducer_total[turn * reducers];
      if (lane == 0) totals[warp] = total[0];
      asm volatile("bar.sync 2, %0;" ::"n"(reducers * warp_size) : "memory");
      if (warp == 0) {
#pragma unroll
        for (unsigned w = 1; w < reducers; ++w) total[0] = op(total[0], totals[w]);
      }
    }
    if (warp == 0 && lane == 0) publish_state(work.states, work.tiles(), tile.tile, launch, total[0]);
  }
}

/// A tile in the registers of the scanning warps: row r of a warp is 32 packs side by side.
template <class T>
struct tile_in_registers {
  using tuning = scan_tuning<sizeof(T)>;
  grouping::uninitialized<T, tuning::pack> row[tuning::rows];
};

/// Scans tiles and writes them.
template <bool Exclusive, class T, class Op>
__device__ void scan_tiles_taken(const scan_work<T, Op>& work, scan_shared<T>& shared,
                                 const unsigned char* stages) {
  using tuning = scan_tuning<sizeof(T)>;
  constexpr unsigned pack = tuning::pack, rows = tuning::rows;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const unsigned used = work.rows_of_warp, first_place = (warp * used * warp_size + lane) * pack;
  constexpr unsigned row_places = warp_size * pack;
  const Op op = work.op;
  unsigned turn = 0;
  for (ring_position<tuning::stages> at;; at.advance(), turn ^= 1) {
    shared.arrived[at.stage].wait(at.parity);
    const tile_in_flight tile = shared.tiles[at.stage];
    if (tile.tile == tile_in_flight::none) return;
    const T* const from = elements_of(work, tile, stages, at.stage);
    const bool whole = tile.count == work.tile();

    tile_in_registers<T> v;
    if (whole && (pack == 1 || is_aligned_to_16(from))) {
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        if (r < used) copy_pack<T>(&v.row[r], from + first_place + r * row_places);
      }
    } else {
      // Places beyond the elements repeat the last one: nothing but elements is combined.
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
#pragma unroll
        for (unsigned k = 0; k < pack; ++k) {
          if (r < used) v.row[r][k] = from[min(first_place + r * row_places + k, tile.count - 1)];
        }
      }
    }
    __syncwarp();
    if (lane == 0) shared.taken[at.stage].arrive();

    // What stands before each pack in its row, and before each row in the warp.
    grouping::uninitialized<T, rows> before;
    grouping::uninitialized<T, 1> warp_total;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      if (r >= used) break;
      v.row[r][0] = detail::lift<Op>(v.row[r][0]);
#pragma unroll
      for (unsigned k = 1; k < pack; ++k) v.row[r][k] = op(v.row[r][k - 1], detail::lift<Op>(v.row[r][k]));
      before[r] = scan_warp(v.row[r][pack - 1], op);
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      if (r >= used) break;
      const T row_total = shuffle_from(before[r], warp_size - 1);
      before[r] = shuffle_up(before[r], 1);
      if (r > 0) before[r] = lane > 0 ? op(warp_total[0], before[r]) : warp_total[0];
      warp_total[0] = r > 0 ? op(warp_total[0], row_total) : row_total;
    }
    if constexpr (tuning::warps > 1) {
      T* const totals = &shared.warp_total[turn * tuning::warps];
      if (lane == 0) totals[warp] = warp_total[0];
      asm volatile("bar.sync 1, %0;" ::"n"(tuning::warps * warp_size) : "memory");
      if (warp > 0) {
        const T sum = scan_warp<tuning::warps>(totals[min(lane, tuning::warps - 1)], op);
        const T warps_before = shuffle_from(sum, warp - 1);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) {
          if (r < used) before[r] = r > 0 || lane > 0 ? op(warps_before, before[r]) : warps_before;
        }
      }
    }

    shared.prefixed[at.stage].wait(at.parity);
    const bool has_prefix = shared.has_prefix[at.stage];
    grouping::uninitialized<T, 1> prefix;
    if (has_prefix) prefix[0] = shared.prefix[at.stage];
    __syncwarp();
    if (lane == 0) shared.read[at.stage].arrive();

    // What is read where it stands may be what is written.
    if (!in_shared_memory<T>) shared.taken[at.stage].wait(at.parity);

    T* const to = work.out + tile.first;
    const bool by_packs = pack == 1 || is_aligned_to_16(to);
    auto write = [&]<bool has>(std::bool_constant<has>) {
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        if (r >= used) break;
        const unsigned place = first_place + r * row_places;
        const bool is_first = place == 0;
        grouping::uninitialized<T, 1> carry;
        if constexpr (has) {
          carry[0] = is_first ? prefix[0] : op(prefix[0], before[r]);
        } else {
          carry[0] = before[r];
        }
        const bool carries = has || !is_first;
        grouping::uninitialized<T, pack> result;
        if constexpr (Exclusive) {
          result[0] = carry[0];
#pragma unroll
          for (unsigned k = 1; k < pack; ++k)
            result[k] = carries ? op(carry[0], v.row[r][k - 1]) : v.row[r][k - 1];
        } else {
#pragma unroll
          for (unsigned k = 0; k < pack; ++k) result[k] = carries ? op(carry[0], v.row[r][k]) : v.row[r][k];
        }
        if (by_packs && place + pack <= tile.count) {
          copy_pack<T>(to + place, &result);
        } else {
#pragma unroll
          for (unsigned k = 0; k < pack; ++k) {
            if (place + k < tile.count) to[place + k] = result[k];
          }
        }
      }
    };
    if (has_prefix) {
      write(std::true_type{});
    } else {
      write(std::false_type{});
    }
  }
}

template <bool Exclusive, class T, class Op>
__global__ void __launch_bounds__(scan_tuning<sizeof(T)>::threads, 1)
    scan_tiles(const __grid_constant__ scan_work<T, Op> work) {
  using tuning = scan_tuning<sizeof(T)>;
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ scan_shared<T> shared;
  const unsigned warp = threadIdx.x / warp_size;
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < tuning::stages; ++s) {
      shared.arrived[s].init(1);
      shared.taken[s].init(tuning::warps + tuning::reducers);
      shared.prefixed[s].init(1);
      shared.read[s].init(tuning::warps);
    }
    publish_barriers();
  }
  __syncthreads();
  if (warp < tuning::warps) return scan_tiles_taken<Exclusive>(work, shared, stages);
  if (warp == tuning::warps) return bring_tiles(work, shared, stages);
  const bool ahead = warp == tuning::warps + 1;
  std::uint32_t launch = 0;
  if (work.parts > 1) {
    // One thread of a block reads the number of the launch, and before it says that its block has started.
    const bool reads = ahead && threadIdx.x % warp_size == 0;
    launch_header& header = *work.states.header;
    if (reads) shared.launch = *static_cast<volatile std::uint32_t*>(&header.launch) + 1;
    asm volatile("bar.sync 3, %0;" ::"n"((1 + tuning::reducers) * warp_size) : "memory");
    launch = shared.launch;
    if (reads) {
      __threadfence();
      if (atomicAdd(&header.started_blocks, 1u) == gridDim.x - 1) {
        header.started_blocks = 0;
        header.launch = launch;
      }
    }
    __syncwarp();
  }
  if (ahead) {
    look_ahead(work, shared, launch);
  } else {
    reduce_tiles(work, shared, stages, launch, warp - tuning::warps - 2);
  }
}

inline constexpr std::size_t column_strip = 512;
inline constexpr unsigned scan_threads = 256;

/// What stands before a strip: nothing at the start of a segment without initial value.
template <class T>
struct strip_prefixes {
  const T* prefixes;  ///< one for each strip; null when each segment is one strip
  bool first_has_one;
  bool has_init;
  T init;  ///< used where `prefixes` is null

  __device__ bool exist_for(const grouping::piece& piece) const {
    return prefixes != nullptr ? piece.segment_part > 0 || first_has_one : has_init;
  }
  __device__ T at(std::size_t result) const { return prefixes != nullptr ? prefixes[result] : init; }
};

/// Scans strips of neighbours behind their prefixes, a warp to a strip.
template <bool Exclusive, class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    scan_rows(Load load, Op op, grouping::tiling strips, strip_prefixes<T> before, T* out) {
  constexpr unsigned warps = scan_threads / warp_size;
  const unsigned thread = threadIdx.x % warp_size;
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size; p < pieces;
       p += std::size_t{gridDim.x} * warps) {
    const grouping::piece piece = strips[p];
    const unsigned count = static_cast<unsigned>(piece.count);
    bool has_carry = before.exist_for(piece);
    grouping::uninitialized<T, 1> carry;
    if (has_carry) carry[0] = before.at(piece.result);
    for (unsigned row = 0; row < count; row += warp_size) {
      const unsigned last = min(count - row, warp_size) - 1;
      T value = scan_warp(load(piece.first + row + min(thread, last)), op);
      if (has_carry) value = op(carry[0], value);
      if constexpr (Exclusive) {
        const T left = shuffle_up(value, 1);
        if (thread <= last && (thread > 0 || has_carry)) {
          out[piece.first + row + thread] = thread > 0 ? left : carry[0];
        }
      } else {
        if (thread <= last) out[piece.first + row + thread] = value;
      }
      carry[0] = shuffle_from(value, last);
      has_carry = true;
    }
  }
}

/// Totals of strips of columns side by side, a thread to a strip of a column.
template <class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    total_columns(Load load, Op op, grouping::tiling strips, T* totals) {
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * scan_threads + threadIdx.x; p < pieces;
       p += std::size_t{gridDim.x} * scan_threads) {
    const grouping::piece piece = strips[p];
    T total = load(piece.first);
    for (std::size_t k = 1; k < piece.count; ++k) total = op(total, load(piece.first + k * piece.stride));
    totals[piece.result] = total;
  }
}

/// Scans strips of columns behind their prefixes, a thread to a strip of a column.
template <bool Exclusive, class T, class Load, class Op>
__global__ void __launch_bounds__(scan_threads)
    scan_columns(Load load, Op op, grouping::tiling strips, strip_prefixes<T> before, T* out) {
  const std::size_t pieces = strips.pieces();
  for (std::size_t p = std::size_t{blockIdx.x} * scan_threads + threadIdx.x; p < pieces;
       p += std::size_t{gridDim.x} * scan_threads) {
    const grouping::piece piece = strips[p];
    bool has_carry = before.exist_for(piece);
    grouping::uninitialized<T, 1> carry;
    if (has_carry) carry[0] = before.at(piece.result);
    std::size_t i = piece.first;
    for (std::size_t k = 0; k < piece.count; ++k, i += piece.stride) {
      const T x = load(i);  // before out[i], which may be the same element
      if (Exclusive && has_carry) out[i] = carry[0];
      carry[0] = has_carry ? op(carry[0], x) : x;
      has_carry = true;
      if (!Exclusive) out[i] = carry[0];
    }
  }
}

/// Rows shorter than this are scanned a warp to a row.
inline constexpr std::size_t short_row = 2048;

template <bool Exclusive, class T, class Op>
void scan_long_rows(const target& where, const T* x, const Op& op, segments all, const T* init, T* out) {
  using tuning = scan_tuning<sizeof(T)>;
  // Tiles of all rows of the warps, unless there would be few of them. More than these wait for each other
  // longer than they save.
  constexpr std::size_t spread_tiles = 64;
  const std::size_t resident = multiprocessors(where);
  const std::size_t rows_of_warps = (all.length + tuning::row_of_warps - 1) / tuning::row_of_warps;
  std::size_t parts = (rows_of_warps + tuning::rows - 1) / tuning::rows;
  if (parts > 1 && parts * all.count() < spread_tiles)
    parts = std::min(rows_of_warps, spread_tiles / all.count());
  const auto rows_of_warp = static_cast<unsigned>((rows_of_warps + parts - 1) / parts);
  parts = (rows_of_warps + rows_of_warp - 1) / rows_of_warp;
  const std::size_t tiles = all.count() * parts;
  const lent_scratch scratch(where, {.words = tiles > 1 ? tiles * words_of<T> : 0});
  scan_work<T, Op> work{x, out, op, all.count(), all.length, parts, rows_of_warp, init != nullptr, {}, {}};
  if (tiles > 1) work.states = {scratch.header(), scratch.words(), scratch.word_count()};
  if (init != nullptr) memcpy(static_cast<void*>(&work.init), init, sizeof(T));

  constexpr unsigned shared_bytes = tuning::staged ? tuning::stages * tuning::stage_bytes : 0;
  const auto kernel = scan_tiles<Exclusive, T, Op>;
  static std::atomic<std::uint64_t> prepared_devices{0};
  const std::uint64_t device = std::uint64_t{1} << (where.device() % 64);
  if ((prepared_devices.load(std::memory_order_relaxed) & device) == 0) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "cudaFuncSetAttribute");
    prepared_devices.fetch_or(device, std::memory_order_relaxed);
  }
  const auto grid = static_cast<unsigned>(tiles < resident ? tiles : resident);
  kernel<<<grid, tuning::threads, shared_bytes, where.stream()>>>(work);
  check(cudaGetLastError(), "launch of scan_tiles");
}

/// Scans each of `all` segments of x into `out`, which may be x, on the GPU's stream. `init` is on the CPU;
/// null for none, and then an exclusive scan leaves the first outputs of columns alone.
template <bool Exclusive, class T, class Op>
void scan(const target& where, const T* x, const Op& op, segments all, const T* init, T* out) {
  const current_device on(where);
  if (all.inner == 1 && all.length >= short_row)
    return scan_long_rows<Exclusive>(where, x, op, all, init, out);
  if (all.inner == 1 && all.count() == 1) return scan_long_rows<Exclusive>(where, x, op, all, init, out);

  const detail::element_at<T, Op> load{x};
  const bool rows = all.inner == 1;
  const grouping::tiling strips{all, rows ? short_row : column_strip, 1};
  const std::size_t pieces = strips.pieces();
  const unsigned grid = grid_for(pieces, rows ? scan_threads / warp_size : scan_threads);

  detail::memory held;
  grouping::uninitialized<strip_prefixes<T>, 1> before;
  before[0].prefixes = nullptr;
  before[0].first_has_one = before[0].has_init = init != nullptr;
  if (init != nullptr) memcpy(&before[0].init, init, sizeof(T));
  if (rows) {
    scan_rows<Exclusive, T><<<grid, scan_threads, 0, where.stream()>>>(load, op, strips, before[0], out);
    return check(cudaGetLastError(), "launch of a scan of rows");
  }
  if (strips.parts() > 1) {
    held = detail::memory(pieces * sizeof(T), where);
    T* const totals = static_cast<T*>(held.data());
    total_columns<T><<<grid, scan_threads, 0, where.stream()>>>(load, op, strips, totals);
    check(cudaGetLastError(), "launch of the totals of a scan");
    scan<true, T>(where, totals, op, strips.results(), init, totals);
    before[0].prefixes = totals;
  }
  scan_columns<Exclusive, T><<<grid, scan_threads, 0, where.stream()>>>(load, op, strips, before[0], out);
  check(cudaGetLastError(), "launch of a scan of columns");
}

}  // namespace heddle::cuda
