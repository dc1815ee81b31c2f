#pragma once

#include <heddle/impl/core/memory.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/gpu/block/tile_state.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Copies the chosen elements of an array in one launch that reads each element once.
///
/// Resident blocks take tiles in order. A block loads and counts a tile two tiles before it writes that tile:
/// by then the counts of all earlier tiles have been published, so that the warp which sums them hardly
/// waits. A thread keeps the three tiles in registers.
namespace heddle::gpu {

inline constexpr unsigned select_threads = 992, select_warps = select_threads / warp_size;

/// Barriers of all warps, and of those that have a part of the tile.
inline constexpr unsigned select_round_barrier = 1, select_count_barrier = 2;

/// Elements of a tile that a thread takes: 32 bytes of them, and at most 8.
template <class T>
inline constexpr unsigned select_items = sizeof(T) >= 32 ? 1 : std::min<unsigned>(32 / sizeof(T), 8);

/// Choosers read what they need besides the element by look_at(i), early, and then choose by what they read.
/// Whole warps call both: neighbouring lanes with neighbouring elements, or with the array's last one.

struct chosen_by_flags {
  const bool* flags;
  __device__ bool look_at(std::size_t i) const { return flags[i]; }
  template <class T>
  __device__ bool operator()(bool flag, const T&, std::size_t) const {
    return flag;
  }
};

struct nothing_else {};
template <class F>
struct chosen_by_function {
  F f;
  __device__ nothing_else look_at(std::size_t) const { return {}; }
  template <class T>
  __device__ bool operator()(nothing_else, const T& x, std::size_t) const {
    return static_cast<bool>(f(x));
  }
};

/// The elements of an array.
template <class T>
struct elements_to_select {
  using type = T;
  const T* x;
  __device__ T operator()(std::size_t i) const { return x[i]; }
};
/// The indices of elements.
struct indices_to_select {
  using type = std::size_t;
  __device__ std::size_t operator()(std::size_t i) const { return i; }
};

template <class Source, class Chooser, bool Others>
struct select_work {
  using element = typename Source::type;
  static constexpr bool has_others = Others;
  static constexpr unsigned items = select_items<element>, of_warp = items * warp_size;
  static constexpr std::size_t tile = std::size_t{select_warps} * of_warp;

  Source source;
  Chooser choose;
  std::size_t n;
  element *out, *others;
  tile_state states;
  std::size_t* count;  ///< of chosen ones; the last tile writes it unless this is null
};

struct select_shared {
  std::size_t tile_to_load[2];
  std::uint64_t chosen_before[2];  ///< the tile that is to be written
  unsigned of_warps[2][select_warps];
};

/// A tile in the registers of the warps that load, count and write tiles.
template <class Work>
struct tile_in_registers {
  static constexpr unsigned items = Work::items;
  static_assert(Work::of_warp <= 256, "ranks are bytes");
  std::size_t number;
  unsigned chosen;                  ///< a bit for each item
  unsigned ranks[(items + 3) / 4];  ///< a byte for each item: how many are chosen before it in the warp
  unsigned before, total;           ///< chosen ones of the warps before, and of all warps
  order::uninitialized<typename Work::element, items> element;

  /// Which element of the tile an item is: neighbouring lanes have neighbouring elements.
  __device__ static unsigned offset_of(unsigned item) {
    return threadIdx.x / warp_size * Work::of_warp + item * warp_size + threadIdx.x % warp_size;
  }
  __device__ std::size_t begin() const { return number * Work::tile; }
  __device__ unsigned size(const Work& work) const {
    return static_cast<unsigned>(min(work.n - begin(), Work::tile));
  }
  __device__ bool is_chosen(unsigned item) const { return (chosen >> item & 1) != 0; }
  __device__ unsigned rank_of(unsigned item) const { return ranks[item / 4] >> item % 4 * 8 & 0xff; }
};

/// Starts to load the elements of a tile, and what the chooser looks at.
template <class Work, class Look>
__device__ void load_tile(const Work& work, tile_in_registers<Work>& tile, Look& look) {
  const std::size_t begin = tile.begin();
  const auto load = [&](unsigned k, unsigned offset) {
    tile.element[k] = work.source(begin + offset);
    look[k] = work.choose.look_at(begin + offset);
  };
  const unsigned size = tile.size(work);
  if (size == Work::tile) {
#pragma unroll
    for (unsigned k = 0; k < Work::items; ++k) load(k, tile.offset_of(k));
  } else {
    // Items beyond the array repeat its last element.
#pragma unroll
    for (unsigned k = 0; k < Work::items; ++k) load(k, min(tile.offset_of(k), size - 1));
  }
}

/// Finds the chosen ones of a tile, the numbers of them in earlier warps and in all, and publishes the
/// latter.
template <class Work, class Look>
__device__ void count_tile(const Work& work, tile_in_registers<Work>& tile, const Look& look,
                           unsigned (&of_warps)[select_warps]) {
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const unsigned lanes_before = (1u << lane) - 1, size = tile.size(work);
  const std::size_t begin = tile.begin();
  unsigned in_warp = 0;
  tile.chosen = 0;
  for (unsigned& four : tile.ranks) four = 0;
#pragma unroll
  for (unsigned k = 0; k < Work::items; ++k) {
    const unsigned offset = tile.offset_of(k);
    const bool is_chosen = work.choose(look[k], tile.element[k], begin + offset) && offset < size;
    const unsigned chosen = __ballot_sync(whole_warp, is_chosen);
    tile.chosen |= is_chosen ? 1u << k : 0u;
    tile.ranks[k / 4] |= (in_warp + __popc(chosen & lanes_before)) << k % 4 * 8;
    in_warp += __popc(chosen);
  }
  if (lane == 0) of_warps[warp] = in_warp;
  sync_some_threads<select_count_barrier, select_threads>();
  const unsigned of_lane = lane < select_warps ? of_warps[lane] : 0;
  tile.before = sum_of_warp(lane < warp ? of_lane : 0);
  tile.total = sum_of_warp(of_lane);
  if (threadIdx.x == 0) {
    const std::size_t tiles = (work.n + Work::tile - 1) / Work::tile;
    publish_aggregate(work.states, tiles, tile.number, tile.total);
  }
}

/// Writes the chosen ones of a tile, and the others if they are wanted.
template <class Work>
__device__ void write_tile(const Work& work, const tile_in_registers<Work>& tile,
                           std::uint64_t chosen_before) {
  const std::uint64_t before = chosen_before + tile.before;
  auto* const to = work.out + before;
#pragma unroll
  for (unsigned k = 0; k < Work::items; ++k) {
    if (tile.is_chosen(k)) to[tile.rank_of(k)] = tile.element[k];
  }
  if constexpr (Work::has_others) {
    auto* const others = work.others + (tile.begin() - before);
    const unsigned size = tile.size(work);
#pragma unroll
    for (unsigned k = 0; k < Work::items; ++k) {
      const unsigned offset = tile.offset_of(k);
      if (!tile.is_chosen(k) && offset < size) others[offset - tile.rank_of(k)] = tile.element[k];
    }
  }
  const bool is_last = tile.begin() + Work::tile >= work.n;
  if (is_last && threadIdx.x == 0 && work.count != nullptr) *work.count = chosen_before + tile.total;
}

/// Takes tiles, and finds how many are chosen before each of them.
template <class Work>
__device__ void take_tiles(const Work& work, select_shared& shared) {
  constexpr unsigned rows = 5;  // one look at the counts since the block's last tile
  const unsigned lane = threadIdx.x % warp_size;
  const std::size_t tiles = (work.n + Work::tile - 1) / Work::tile;
  // Tiles in the registers of the other warps; `tiles` stands for none.
  std::size_t loading = 0, counted = tiles, counted_before = tiles, to_write = tiles;
  // A ticket arrives while the round before it runs.
  unsigned long long ticket = 0;
  if (lane == 0) ticket = atomicAdd(work.states.tickets, 1ull);
  std::uint64_t chosen = 0;  // among the tiles before `summed`
  std::size_t summed = 0;
  for (unsigned slot = 0;; slot ^= 1) {
    if (loading < tiles) {
      loading = min(static_cast<std::size_t>(shuffle_from(ticket, 0) - work.states.first_ticket), tiles);
      if (lane == 0 && loading < tiles) ticket = atomicAdd(work.states.tickets, 1ull);
    }
    while (to_write < tiles && summed < to_write) {
      const auto count = static_cast<unsigned>(min(to_write - summed, std::size_t{rows * warp_size}));
      order::uninitialized<unsigned, rows> of_tile;
      wait_aggregates<rows>(work.states, tiles, summed, count, 20, of_tile);
      unsigned sum = 0;
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) sum += r * warp_size + lane < count ? of_tile[r] : 0;
      chosen += sum_of_warp(sum);
      summed += count;
    }
    if (lane == 0) {
      shared.tile_to_load[slot] = loading;
      shared.chosen_before[slot] = chosen;
    }
    sync_some_threads<select_round_barrier, select_threads + warp_size>();
    if (min(min(to_write, counted_before), min(counted, loading)) >= tiles) return;
    to_write = counted_before;
    counted_before = counted;
    counted = loading;
  }
}

/// A round of the warps that load, count and write tiles. Writes the first tile, counts the third, and loads
/// the next one in place of the first. Returns whether there was any.
template <class Work, class Looks>
__device__ bool select_round(const Work& work, select_shared& shared, unsigned slot,
                             tile_in_registers<Work>& written, const tile_in_registers<Work>& counted,
                             tile_in_registers<Work>& loaded, Looks& look) {
  const std::size_t tiles = (work.n + Work::tile - 1) / Work::tile;
  sync_some_threads<select_round_barrier, select_threads + warp_size>();
  const std::size_t to_load = shared.tile_to_load[slot];
  const std::uint64_t chosen_before = shared.chosen_before[slot];
  if (min(min(written.number, counted.number), min(loaded.number, to_load)) >= tiles) return false;
  if (written.number < tiles) write_tile(work, written, chosen_before);
  if (loaded.number < tiles) count_tile(work, loaded, look, shared.of_warps[slot]);
  written.number = to_load;
  if (to_load < tiles) load_tile(work, written, look);
  return true;
}

template <class Work>
__global__ void __launch_bounds__(select_threads + warp_size)
    select_tiles(const __grid_constant__ Work work) {
  __shared__ select_shared shared;
  if (threadIdx.x >= select_threads) return take_tiles(work, shared);
  tile_in_registers<Work> a, b, c;
  a.number = b.number = c.number = (work.n + Work::tile - 1) / Work::tile;
  order::uninitialized<decltype(work.choose.look_at(0)), Work::items> look;
  // The three tiles change their parts from round to round: moves between registers would take longer.
  for (unsigned slot = 0;; slot ^= 1) {
    if (!select_round(work, shared, slot, a, b, c, look)) return;
    if (!select_round(work, shared, slot ^ 1, b, c, a, look)) return;
    if (!select_round(work, shared, slot, c, a, b, look)) return;
  }
}

/// Copies the chosen ones of n elements to `out`, in order, and the others to `others` unless that is null.
/// Writes how many are chosen to *count unless that is null. All on the GPU's stream.
template <class Source, class Chooser, class T = typename Source::type>
void select_in_order(const target& where, const Source& source, const Chooser& choose, std::size_t n, T* out,
                     T* others, std::size_t* count) {
  const current_device on(where);
  const auto launch = [&]<bool Others>(std::bool_constant<Others>) {
    using work = select_work<Source, Chooser, Others>;
    const std::size_t tiles = (n + work::tile - 1) / work::tile;
    const auto grid = static_cast<unsigned>(std::min<std::size_t>(tiles, multiprocessors(where)));
    temp_storage scratch(where, {.words = tiles});
    select_tiles<<<grid, select_threads + warp_size, 0, where.stream()>>>(
        work{source, choose, n, out, others, states_in(scratch), count});
    check(cudaGetLastError(), "launch of select_tiles");
    // Each block takes one ticket too many.
    scratch.launched(tiles + grid);
  };
  if (others == nullptr) return launch(std::false_type{});
  launch(std::true_type{});
}

/// The same, and returns how many are chosen, which it waits for.
template <class Source, class Chooser, class T = typename Source::type>
std::size_t select_in_order(const target& where, const Source& source, const Chooser& choose, std::size_t n,
                            T* out, T* others) {
  if (n == 0) return 0;
  return impl::written_value<std::size_t>(
      where, [&](std::size_t* count) { select_in_order(where, source, choose, n, out, others, count); });
}

}  // namespace heddle::gpu
