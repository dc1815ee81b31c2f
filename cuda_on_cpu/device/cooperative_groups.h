#pragma once

#include <heddle_device/host/in_host_source.hpp>
#include <heddle_device/names_begin.hpp>

/// Cooperative groups: the block, the grid, tiles of a warp, and the lanes that are together.

namespace cooperative_groups {

namespace heddle_detail {

HEDDLE_DEVICE unsigned rank_in_block() {
  const uint3 thread = heddle_device::thread_index();
  const dim3 size = heddle_device::block_size();
  return (thread.z * size.y + thread.y) * size.x + thread.x;
}
HEDDLE_DEVICE unsigned threads_of_block() {
  const dim3 size = heddle_device::block_size();
  return size.x * size.y * size.z;
}
/// Of the tile of `size` lanes that the calling thread is in.
HEDDLE_DEVICE unsigned mask_of_tile(unsigned size) {
  return static_cast<unsigned>((1ull << size) - 1) << (rank_in_block() & 31 & ~(size - 1));
}

/// Lets lanes exchange a value of any type, word by word where it is no number.
template <class T, class F>
HEDDLE_DEVICE T exchanged(T value, F each) {
  constexpr auto scalar = heddle_device::scalar_of<T>;
  if constexpr (heddle_device::bytes_of_scalar(scalar) == sizeof(T) || __is_same(T, __half2)) {
    return static_cast<T>(each(value));
  } else {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned& word : words) word = each(word);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }
}

}  // namespace heddle_detail

/// Any group: the block, or lanes of a warp.
class thread_group {
 public:
  static constexpr bool spans_warps = false;
  HEDDLE_DEVICE void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    if (is_block_) {
      ::__syncthreads(file, line);
    } else {
      ::__syncwarp(mask_);
    }
  }
  HEDDLE_DEVICE unsigned size() const {
    return is_block_ ? heddle_detail::threads_of_block() : static_cast<unsigned>(::__popc(mask_));
  }
  HEDDLE_DEVICE unsigned num_threads() const { return size(); }
  HEDDLE_DEVICE unsigned thread_rank() const {
    const unsigned rank = heddle_detail::rank_in_block();
    return is_block_ ? rank : static_cast<unsigned>(::__popc(mask_ & ((1u << (rank & 31)) - 1)));
  }
  static HEDDLE_DEVICE bool is_valid() { return true; }

 protected:
  explicit HEDDLE_DEVICE thread_group(unsigned mask, bool is_block = false)
      : mask_(mask), is_block_(is_block) {}

  unsigned mask_;
  bool is_block_;
};

class thread_block : public thread_group {
 public:
  HEDDLE_DEVICE thread_block() : thread_group(0, true) {}
  static HEDDLE_DEVICE void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    ::__syncthreads(file, line);
  }
  struct arrival_token {};
  HEDDLE_DEVICE arrival_token barrier_arrive(const char* file = __builtin_FILE(),
                                             int line = __builtin_LINE()) const {
    heddle_device::arrive_in_group(heddle_device::group_kind::block, file, line);
    return {};
  }
  HEDDLE_DEVICE void barrier_wait(arrival_token&&, const char* file = __builtin_FILE(),
                                  int line = __builtin_LINE()) const {
    heddle_device::wait_in_group(heddle_device::group_kind::block, file, line);
  }
  static HEDDLE_DEVICE unsigned thread_rank() { return heddle_detail::rank_in_block(); }
  static HEDDLE_DEVICE unsigned num_threads() { return heddle_detail::threads_of_block(); }
  static HEDDLE_DEVICE unsigned size() { return heddle_detail::threads_of_block(); }
  static HEDDLE_DEVICE dim3 dim_threads() { return heddle_device::block_size(); }
  static HEDDLE_DEVICE dim3 group_dim() { return heddle_device::block_size(); }
  static HEDDLE_DEVICE dim3 thread_index() { return heddle_device::thread_index(); }
  static HEDDLE_DEVICE dim3 group_index() { return heddle_device::block_index(); }
};
HEDDLE_DEVICE thread_block this_thread_block() {
  return {};
}
/// What tiles of more than a warp need on a GPU.
template <unsigned Threads = 1024>
struct block_tile_memory {
  unsigned words[Threads / 32 * 2];
};
template <unsigned Threads>
HEDDLE_DEVICE thread_block this_thread_block(block_tile_memory<Threads>&) {
  return {};
}

class grid_group {
 public:
  static HEDDLE_DEVICE bool is_valid() { return true; }
  static HEDDLE_DEVICE void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    heddle_grid_barrier(file, line);
  }
  using arrival_token = unsigned;
  HEDDLE_DEVICE arrival_token barrier_arrive(const char* file = __builtin_FILE(),
                                             int line = __builtin_LINE()) const {
    heddle_device::arrive_in_group(heddle_device::group_kind::grid, file, line);
    return 0;
  }
  HEDDLE_DEVICE void barrier_wait(arrival_token&&, const char* file = __builtin_FILE(),
                                  int line = __builtin_LINE()) const {
    heddle_device::wait_in_group(heddle_device::group_kind::grid, file, line);
  }
  static HEDDLE_DEVICE unsigned long long block_rank() {
    return (static_cast<unsigned long long>(heddle_device::block_index().z) * heddle_device::grid_size().y +
            heddle_device::block_index().y) *
               heddle_device::grid_size().x +
           heddle_device::block_index().x;
  }
  static HEDDLE_DEVICE unsigned long long num_blocks() {
    return static_cast<unsigned long long>(heddle_device::grid_size().x) * heddle_device::grid_size().y *
           heddle_device::grid_size().z;
  }
  static HEDDLE_DEVICE unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static HEDDLE_DEVICE unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  static HEDDLE_DEVICE unsigned long long size() { return num_threads(); }
  static HEDDLE_DEVICE dim3 dim_blocks() { return heddle_device::grid_size(); }
  static HEDDLE_DEVICE dim3 group_dim() { return heddle_device::grid_size(); }
  static HEDDLE_DEVICE dim3 block_index() { return heddle_device::block_index(); }
  static HEDDLE_DEVICE dim3 dim_clusters() { return ::__clusterGridDimInClusters(); }
  static HEDDLE_DEVICE unsigned long long num_clusters() { return num_blocks() / ::__clusterSizeInBlocks(); }
  static HEDDLE_DEVICE dim3 cluster_index() { return ::__clusterIdx(); }
  static HEDDLE_DEVICE unsigned long long cluster_rank() {
    const dim3 all = dim_clusters(), own = cluster_index();
    return (static_cast<unsigned long long>(own.z) * all.y + own.y) * all.x + own.x;
  }
};
HEDDLE_DEVICE grid_group this_grid() {
  return {};
}

/// Blocks that run together and reach one another's shared memory.
class cluster_group {
 public:
  static HEDDLE_DEVICE bool is_valid() { return true; }
  static HEDDLE_DEVICE void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    heddle_device::cluster_barrier(file, line);
  }
  struct arrival_token {};
  static HEDDLE_DEVICE arrival_token barrier_arrive(const char* file = __builtin_FILE(),
                                                    int line = __builtin_LINE()) {
    ::__cluster_barrier_arrive(file, line);
    return {};
  }
  static HEDDLE_DEVICE void barrier_wait(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    ::__cluster_barrier_wait(file, line);
  }
  static HEDDLE_DEVICE void barrier_wait(arrival_token&&, const char* file = __builtin_FILE(),
                                         int line = __builtin_LINE()) {
    ::__cluster_barrier_wait(file, line);
  }
  static HEDDLE_DEVICE unsigned query_shared_rank(const void* address) {
    return ::__cluster_query_shared_rank(address);
  }
  template <class T>
  static HEDDLE_DEVICE T* map_shared_rank(T* address, int rank) {
    return static_cast<T*>(::__cluster_map_shared_rank(address, static_cast<unsigned>(rank)));
  }
  static HEDDLE_DEVICE dim3 block_index() { return ::__clusterRelativeBlockIdx(); }
  static HEDDLE_DEVICE unsigned block_rank() { return ::__clusterRelativeBlockRank(); }
  static HEDDLE_DEVICE dim3 dim_blocks() { return ::__clusterDim(); }
  static HEDDLE_DEVICE unsigned num_blocks() { return ::__clusterSizeInBlocks(); }
  static HEDDLE_DEVICE dim3 thread_index() {
    const dim3 block = block_index(), size = heddle_device::block_size();
    const uint3 thread = heddle_device::thread_index();
    return dim3(block.x * size.x + thread.x, block.y * size.y + thread.y, block.z * size.z + thread.z);
  }
  static HEDDLE_DEVICE dim3 dim_threads() {
    const dim3 blocks = dim_blocks(), size = heddle_device::block_size();
    return dim3(blocks.x * size.x, blocks.y * size.y, blocks.z * size.z);
  }
  static HEDDLE_DEVICE unsigned thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static HEDDLE_DEVICE unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static HEDDLE_DEVICE unsigned size() { return num_threads(); }
};
HEDDLE_DEVICE cluster_group this_cluster() {
  return {};
}

/// Lanes of a warp, and what they tell one another.
class warp_group : public thread_group {
 public:
  HEDDLE_DEVICE int any(int predicate) const { return ::__any_sync(mask_, predicate); }
  HEDDLE_DEVICE int all(int predicate) const { return ::__all_sync(mask_, predicate); }
  /// Bit r is that of the thread of rank r.
  HEDDLE_DEVICE unsigned ballot(int predicate) const { return packed(::__ballot_sync(mask_, predicate)); }
  template <class T>
  HEDDLE_DEVICE unsigned match_any(T value) const {
    return packed(::__match_any_sync(mask_, value));
  }
  template <class T>
  HEDDLE_DEVICE unsigned match_all(T value, int& predicate) const {
    return packed(::__match_all_sync(mask_, value, &predicate));
  }
  template <class T>
  HEDDLE_DEVICE T shfl(T value, unsigned rank) const {
    return heddle_detail::exchanged(
        value, [&](auto v) __attribute__((always_inline)) { return ::__shfl_sync(mask_, v, lane_of(rank)); });
  }
  template <class T>
  HEDDLE_DEVICE T shfl_up(T value, unsigned by) const {
    const unsigned rank = thread_rank();
    return heddle_detail::exchanged(value, [&](auto v) __attribute__((always_inline)) {
      return ::__shfl_sync(mask_, v, lane_of(rank < by ? rank : rank - by));
    });
  }
  template <class T>
  HEDDLE_DEVICE T shfl_down(T value, unsigned by) const {
    const unsigned rank = thread_rank();
    return heddle_detail::exchanged(value, [&](auto v) __attribute__((always_inline)) {
      return ::__shfl_sync(mask_, v, lane_of(rank + by < size() ? rank + by : rank));
    });
  }
  template <class T>
  HEDDLE_DEVICE T shfl_xor(T value, unsigned with) const {
    return heddle_detail::exchanged(value, [&](auto v) __attribute__((always_inline)) {
      return ::__shfl_sync(mask_, v, lane_of(thread_rank() ^ with));
    });
  }
  HEDDLE_DEVICE unsigned mask() const { return mask_; }

 protected:
  explicit HEDDLE_DEVICE warp_group(unsigned mask) : thread_group(mask) {}

  HEDDLE_DEVICE int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (rank %= size(); rank > 0; --rank) rest &= rest - 1;
    return __builtin_ctz(rest);
  }
  HEDDLE_DEVICE unsigned packed(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank) {
      result |= ((lanes >> __builtin_ctz(rest)) & 1) << rank;
    }
    return result;
  }
};

class coalesced_group : public warp_group {
 public:
  explicit HEDDLE_DEVICE coalesced_group(unsigned mask, unsigned rank = 0, unsigned count = 1)
      : warp_group(mask), rank_(rank), count_(count) {}
  HEDDLE_DEVICE unsigned meta_group_rank() const { return rank_; }
  HEDDLE_DEVICE unsigned meta_group_size() const { return count_; }

 private:
  unsigned rank_, count_;
};
HEDDLE_DEVICE coalesced_group coalesced_threads() {
  return coalesced_group(heddle_active_mask(1));
}

template <unsigned Size, class Parent = void>
class thread_block_tile;

/// A tile whose parent does not matter, as functions take it.
template <unsigned Size>
class thread_block_tile<Size, void> : public warp_group {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "heddle: tiles of 1, 2, 4, 8, 16 or 32 threads are supported");

 public:
  HEDDLE_DEVICE thread_block_tile()
      : thread_block_tile(thread_block::thread_rank() / Size, (thread_block::size() + Size - 1) / Size) {}
  static constexpr HEDDLE_DEVICE unsigned size() { return Size; }
  static constexpr HEDDLE_DEVICE unsigned num_threads() { return Size; }
  HEDDLE_DEVICE unsigned thread_rank() const { return thread_block::thread_rank() & (Size - 1); }
  HEDDLE_DEVICE unsigned meta_group_rank() const { return rank_; }
  HEDDLE_DEVICE unsigned meta_group_size() const { return count_; }
  template <class T>
  HEDDLE_DEVICE T shfl(T value, int rank) const {
    return heddle_detail::exchanged(
        value, [&](auto v) __attribute__((always_inline)) { return ::__shfl_sync(mask_, v, rank, Size); });
  }
  template <class T>
  HEDDLE_DEVICE T shfl_up(T value, unsigned by) const {
    return heddle_detail::exchanged(
        value, [&](auto v) __attribute__((always_inline)) { return ::__shfl_up_sync(mask_, v, by, Size); });
  }
  template <class T>
  HEDDLE_DEVICE T shfl_down(T value, unsigned by) const {
    return heddle_detail::exchanged(
        value, [&](auto v) __attribute__((always_inline)) { return ::__shfl_down_sync(mask_, v, by, Size); });
  }
  template <class T>
  HEDDLE_DEVICE T shfl_xor(T value, int with) const {
    return heddle_detail::exchanged(value, [&](auto v) __attribute__((always_inline)) {
      return ::__shfl_xor_sync(mask_, v, with, Size);
    });
  }

 protected:
  /// Of so many tiles of the group that it is a part of.
  HEDDLE_DEVICE thread_block_tile(unsigned rank, unsigned count)
      : warp_group(heddle_detail::mask_of_tile(Size)), rank_(rank), count_(count) {}

 private:
  unsigned rank_, count_;
};
/// A part of the block, or of a larger tile.
template <unsigned Size, class Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
 public:
  HEDDLE_DEVICE thread_block_tile() = default;
  explicit HEDDLE_DEVICE thread_block_tile(const Parent& parent)
      : thread_block_tile<Size, void>(parent.thread_rank() / Size, (parent.size() + Size - 1) / Size) {}
};

/// Of several warps, which meet at a barrier of their own.
template <unsigned Size>
class tile_of_warps : public thread_group {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0,
                "heddle: tiles have a power of two of threads, up to 1024");

 public:
  static constexpr bool spans_warps = true;
  HEDDLE_DEVICE tile_of_warps() : thread_group(0, true) {}
  HEDDLE_DEVICE void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    heddle_barrier_of(meta_group_rank(), Size, file, line);
  }
  static constexpr HEDDLE_DEVICE unsigned size() { return Size; }
  static constexpr HEDDLE_DEVICE unsigned num_threads() { return Size; }
  HEDDLE_DEVICE unsigned thread_rank() const { return heddle_detail::rank_in_block() % Size; }
  HEDDLE_DEVICE unsigned meta_group_rank() const { return heddle_detail::rank_in_block() / Size; }
  HEDDLE_DEVICE unsigned meta_group_size() const { return heddle_detail::threads_of_block() / Size; }

  template <class T>
  HEDDLE_DEVICE T shfl(const T& value, unsigned rank) const {
    return combined(value, rank % Size, rank % Size + 1, [](const T& a, const T&) { return a; });
  }
  HEDDLE_DEVICE int any(int predicate) const {
    return combined(predicate != 0 ? 1 : 0, 0, Size, [](int a, int b) { return a | b; });
  }
  HEDDLE_DEVICE int all(int predicate) const {
    return combined(predicate != 0 ? 1 : 0, 0, Size, [](int a, int b) { return a & b; });
  }
  /// The values of threads of ranks first … end−1, in their order.
  template <class T, class Op>
  HEDDLE_DEVICE T combined(const T& value, unsigned first, unsigned end, Op op) const {
    // Threads show one another where their values are, and meet before and after they look.
    const void** const all = heddle_device::of_threads<const void*>();
    const unsigned own = heddle_detail::rank_in_block(), begin = own / Size * Size;
    const T kept = value;
    show(all + own, &kept);
    sync();
    const T result = fold<T>(all + begin, first, end, op);
    sync();
    return result;
  }

 private:
  // They are on the threads' stacks, which nobody watches.
  __attribute__((noinline, no_sanitize("thread"))) static void show(const void** place, const void* value) {
    *place = value;
  }
  template <class T, class Op>
  __attribute__((noinline, no_sanitize("thread"))) static T fold(const void* const* all, unsigned first,
                                                                 unsigned end, Op op) {
    T result = *static_cast<const T*>(all[first]);
    for (unsigned i = first + 1; i < end; ++i) result = op(result, *static_cast<const T*>(all[i]));
    return result;
  }
};
template <class Parent>
class thread_block_tile<64, Parent> : public tile_of_warps<64> {};
template <class Parent>
class thread_block_tile<128, Parent> : public tile_of_warps<128> {};
template <class Parent>
class thread_block_tile<256, Parent> : public tile_of_warps<256> {};
template <class Parent>
class thread_block_tile<512, Parent> : public tile_of_warps<512> {};

template <unsigned Size, class Parent>
HEDDLE_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  if constexpr (Size > 32) {
    return {};
  } else {
    return thread_block_tile<Size, Parent>(parent);
  }
}
/// Tiles of a group's ranks.
HEDDLE_DEVICE coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned tile = parent.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned rest = parent.mask(); rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == tile) mask |= rest & -rest;
  }
  return coalesced_group(mask, tile, (parent.size() + size - 1) / size);
}
/// Tiles of `size` lanes, which is known when the kernel runs.
HEDDLE_DEVICE thread_group tiled_partition(const thread_group&, unsigned size) {
  return coalesced_group(heddle_detail::mask_of_tile(size));
}
/// A group for each label, in the order of their lowest ranks.
template <class Group, class Label>
HEDDLE_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned mask = ::__match_any_sync(group.mask(), label), lowest = mask & -mask,
                 own = 1u << (heddle_detail::rank_in_block() & 31);
  const unsigned firsts = ::__ballot_sync(group.mask(), own == lowest);
  return coalesced_group(mask, static_cast<unsigned>(::__popc(firsts & (lowest - 1))),
                         static_cast<unsigned>(::__popc(firsts)));
}
/// The group of those for which it is false is the first.
template <class Group>
HEDDLE_DEVICE coalesced_group binary_partition(const Group& group, bool label) {
  return coalesced_group(::__match_any_sync(group.mask(), static_cast<int>(label)), label ? 1 : 0, 2);
}

/// Lets one thread of the group call f.
template <class Group, class F, class... Arguments>
HEDDLE_DEVICE void invoke_one(const Group& group, F f, Arguments... arguments) {
  if (group.thread_rank() == 0) f(arguments...);
}
/// The same, and gives what f gives to every thread.
template <class Group, class F, class... Arguments>
HEDDLE_DEVICE auto invoke_one_broadcast(const Group& group, F f, Arguments... arguments) {
  decltype(f(arguments...)) result{};
  if (group.thread_rank() == 0) result = f(arguments...);
  return group.shfl(result, 0);
}

template <class Group>
HEDDLE_DEVICE void sync(const Group& group) {
  group.sync();
}
HEDDLE_DEVICE void sync(const thread_group& group, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  group.sync(file, line);
}
HEDDLE_DEVICE void sync(const thread_block&, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  ::__syncthreads(file, line);
}
HEDDLE_DEVICE void sync(const cluster_group&, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  heddle_device::cluster_barrier(file, line);
}
HEDDLE_DEVICE void sync(const grid_group&, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  heddle_grid_barrier(file, line);
}
template <class Group>
HEDDLE_DEVICE auto thread_rank(const Group& group) {
  return group.thread_rank();
}

}  // namespace cooperative_groups

#include <heddle_device/names_end.hpp>
