#pragma once

#include <heddle/array.hpp>
#include <heddle/cuda/granules.cuh>
#include <heddle/cuda/lanes.cuh>
#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/prefix_of_tiles.cuh>
#include <heddle/cuda/scan_strips.cuh>
#include <heddle/cuda/warp.cuh>
#include <heddle/elementwise.hpp>
#include <heddle/grouping.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Scans of columns: threads go down columns side by side, several below one another where columns are few,
/// and memory is read and written once. Few long columns are cut into strips, whose totals are found first.
namespace heddle::cuda {

/// Columns that a thread takes: those of a granule, or as many as keep loads in flight.
template <class T, bool Granules>
inline constexpr unsigned columns_of_thread = Granules || scan_pack<T> < 4 ? scan_pack<T> : 4;

/// Elements of neighbouring columns, combined one by one.
template <unsigned Columns, class T, class Op>
struct elements_across {
  using pack = grouping::uninitialized<T, Columns>;
  Op op;
  __device__ pack enter(pack x) const {
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) x[c] = detail::lift<Op>(x[c]);
    return x;
  }
  __device__ pack leave(const pack& x) const {
    return x;
  }
  __device__ pack operator()(const pack& a, const pack& b) const {
    pack both;
#pragma unroll
    for (unsigned c = 0; c < Columns; ++c) both[c] = op(a[c], b[c]);
    return both;
  }
};

/// Elements of one and two bytes, combined a word at a time.
template <class T, class Op>
struct words_across {
  static constexpr bool adds = std::is_same_v<Op, plus> && std::is_integral_v<T> && sizeof(T) <= 2;
  static constexpr bool exist = adds || lanes<T, Op>::exist;
  using by = lanes<T, Op>;
  using pack = pack_words;
  Op op;
  __device__ pack enter(pack x) const {
    if constexpr (!adds) {
#pragma unroll
      for (std::uint32_t& word : x.word) word = by::enter(op, word);
    }
    return x;
  }
  __device__ pack leave(pack x) const {
    if constexpr (!adds) {
#pragma unroll
      for (std::uint32_t& word : x.word) word = by::leave(op, word);
    }
    return x;
  }
  __device__ pack operator()(pack a, const pack& b) const {
#pragma unroll
    for (unsigned w = 0; w < words_of_pack; ++w) a.word[w] = combine(a.word[w], b.word[w]);
    return a;
  }

 private:
  __device__ std::uint32_t combine(std::uint32_t a, std::uint32_t b) const {
    if constexpr (adds) {
      return sizeof(T) == 1 ? __vadd4(a, b) : __vadd2(a, b);
    } else if constexpr (sizeof(T) == 1) {
      return interleaved_bytes(by::combine(op, even_bytes(a), even_bytes(b)),
                               by::combine(op, odd_bytes(a), odd_bytes(b)));
    } else {
      return by::combine(op, a, b);
    }
  }
};

template <bool Granules, class T, class Op>
using combined_across = std::conditional_t<Granules && words_across<T, Op>::exist, words_across<T, Op>,
                                           elements_across<columns_of_thread<T, Granules>, T, Op>>;

/// What stands before the next tile of columns.
template <bool Exact, class Across>
class prefix_of_columns {
 public:
  using pack = typename Across::pack;

  __device__ prefix_of_columns(const Across& across, bool has_first, const pack& first)
      : across_(across), tiles_(across), has_first_(has_first), first_(first) {}

  __device__ void append(const pack& total) {
    if constexpr (Exact) {
      first_ = has_first_ ? across_(first_, total) : total;
      has_first_ = true;
    } else {
      tiles_.append(total);
    }
  }
  __device__ bool get(pack& prefix) const {
    const bool exists = !Exact && tiles_.prepend_to(false, prefix);
    if (has_first_) prefix = exists ? across_(first_, prefix) : first_;
    return exists || has_first_;
  }

 private:
  struct no_tiles {
    __device__ explicit no_tiles(const Across&) {}
    __device__ bool prepend_to(bool, pack&) const { return false; }
  };
  Across across_;
  std::conditional_t<Exact, no_tiles, prefix_of_tiles<pack, Across, 3>> tiles_;
  bool has_first_;
  pack first_;
};

inline constexpr unsigned scan_down_threads = 256, scan_down_blocks = 2;
/// Rows that a thread has in its registers.
template <class T, bool Granules, unsigned Bytes = sizeof(T) * columns_of_thread<T, Granules>>
inline constexpr unsigned scan_down_rows = Bytes > 16                   ? (Bytes < 256 ? 256 / Bytes : 1)
                                           : Granules && sizeof(T) >= 4 ? 16
                                                                        : 8;

/// Columns cut into strips, and how the threads of a block share them: `lanes` stand side by side, the others
/// below them.
template <class T, bool Granules>
struct scan_down_shape {
  static constexpr unsigned columns = columns_of_thread<T, Granules>, rows = scan_down_rows<T, Granules>;
  segments all;
  std::size_t strip;  ///< rows of one
  unsigned lanes;

  HD_INLINE std::size_t parts() const { return (all.length + strip - 1) / strip; }
  /// From one column of a thread to its next: where these are no granules, threads are neighbours if rows are
  /// long.
  HD_INLINE unsigned apart() const {
    if (Granules || all.inner < 32 * warp_size * columns) return 1;
    return lanes < warp_size ? lanes : warp_size;
  }
  HD_INLINE std::size_t threads_across() const {
    const std::size_t together = std::size_t{columns} * apart();
    return (all.inner + together - 1) / together * apart();
  }
  /// Each is a thread's.
  HD_INLINE std::size_t strips() const { return all.outer * parts() * threads_across(); }
};

/// Threads go down strips of columns a tile at a time, each with its rows in registers: it scans them, and
/// puts in front of them what stands before. The totals of threads below one another are combined by shuffles
/// and in shared memory.
template <bool Granules, class T, class Op>
__global__ void __launch_bounds__(scan_down_threads, scan_down_blocks)
    scan_down(const T* x, Op op, scan_down_shape<T, Granules> shape, bool exclusive,
              strip_prefixes<T> before_strips, T* out) {
  using combined = combined_across<Granules, T, Op>;
  using pack = typename combined::pack;
  constexpr unsigned rows = shape.rows, columns = shape.columns;
  using elements = grouping::uninitialized<T, columns>;
  // Bytes that are taken apart need a register each.
  using stored = std::conditional_t<Granules, uint4, elements>;
  constexpr bool shares = sizeof(pack) <= 16;
  __shared__ alignas(16) unsigned char exchange_bytes[shares ? 2 * scan_down_threads * sizeof(pack) : 1];
  const auto exchange = reinterpret_cast<pack(*)[scan_down_threads]>(exchange_bytes);
  const combined combine{op};

  const unsigned lanes = shares ? shape.lanes : scan_down_threads, groups = scan_down_threads / lanes;
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
  const unsigned groups_of_warp = lanes < warp_size ? warp_size / lanes : 1;
  const std::size_t inner = shape.all.inner, across = shape.threads_across(), parts = shape.parts();
  const std::size_t strip = std::size_t{blockIdx.x} * lanes + lane;
  const std::size_t strip_row = strip / across, in_row = strip - strip_row * across;
  const std::size_t outer = strip_row / parts, part = strip_row - outer * parts, top = part * shape.strip;
  const std::size_t length = min(shape.all.length - top, shape.strip);
  const unsigned apart = shape.apart();
  const std::size_t column = in_row / apart * apart * columns + in_row % apart;
  const bool has_strip = strip < shape.strips() && column < inner;
  const std::size_t begin = (outer * shape.all.length + top) * inner + column;
  // What is beyond a row or a strip repeats an element of this thread: nothing but elements is combined, and
  // those of others may be written meanwhile.
  const auto is_mine = [&](unsigned c) { return column + c * apart < inner; };
  const auto place = [&](unsigned c) { return is_mine(c) ? c * apart : 0; };
  const auto load = [&](const T* from) {
    stored bits;
    if constexpr (Granules) {
      bits = *reinterpret_cast<const uint4*>(from);
    } else {
#pragma unroll
      for (unsigned c = 0; c < columns; ++c) bits[c] = from[place(c)];
    }
    return bits;
  };
  const auto store = [&](T* to, const stored& bits) {
    if constexpr (Granules) {
      *reinterpret_cast<uint4*>(to) = bits;
    } else {
#pragma unroll
      for (unsigned c = 0; c < columns; ++c) {
        if (is_mine(c)) to[c * apart] = bits[c];
      }
    }
  };
  const auto enter = [&](const stored& bits) {
    pack x;
    memcpy(static_cast<void*>(&x), &bits, sizeof x);
    return combine.enter(x);
  };
  const auto leave = [&](const pack& x) {
    const pack left = combine.leave(x);
    stored bits;
    memcpy(static_cast<void*>(&bits), &left, sizeof bits);
    return bits;
  };

  const bool has_first = has_strip && before_strips.exist_for(part);
  pack first;
  if (has_first) {
    elements given;
#pragma unroll
    for (unsigned c = 0; c < columns; ++c) given[c] = before_strips.at(strip_row * inner + column + place(c));
    memcpy(static_cast<void*>(&first), &given, sizeof first);
    first = combine.enter(first);
  }
  prefix_of_columns<grouping::order_is_free<T, Op>, combined> before_tile(combine, has_first, first);
  unsigned buffer = 0;
  for (std::size_t tile = 0; tile < shape.strip; tile += groups * rows) {
    const std::size_t row = tile + group * rows;
    const unsigned left =
        has_strip && row < length ? static_cast<unsigned>(min(length - row, std::size_t{rows})) : 0;
    stored here[rows];
    pack total;
    if (left > 0) {
      const T* from = x + begin + row * inner;
#pragma unroll
      for (unsigned k = 0; k < rows; ++k) {
        here[k] = load(from);
        if (k + 1 < left) from += inner;  // a load that were left out would have the next one wait
      }
#pragma unroll
      for (unsigned k = 0; k < rows; ++k) {
        const pack next = enter(here[k]);
        total = k > 0 ? combine(total, next) : next;
        here[k] = leave(total);
      }
    }

    pack before;
    bool has_before = before_tile.get(before);
    if constexpr (shares) {
      if (groups > 1) {
        const unsigned in_warp = threadIdx.x % warp_size;
        for (unsigned distance = lanes; distance < warp_size; distance *= 2) {
          const pack above = shuffle_up(total, distance);
          if (left > 0 && in_warp >= distance) total = combine(above, total);
        }
        const pack above = shuffle_up(total, lanes % warp_size);
        const unsigned level = group / groups_of_warp;
        buffer ^= 1;  // the other may still be read
        if (group % groups_of_warp == groups_of_warp - 1) exchange[buffer][level * lanes + lane] = total;
        __syncthreads();
        // The last tile of a strip may have levels without rows, for which no rows wait.
        const bool goes_on = has_strip && tile + groups * rows < length;
        const unsigned levels = goes_on ? groups / groups_of_warp : left > 0 ? level : 0;
        for (unsigned l = 0; l < levels; ++l) {
          const pack& of_level = exchange[buffer][l * lanes + lane];
          total = l > 0 ? combine(total, of_level) : of_level;
          if (l + 1 == level) {
            before = has_before ? combine(before, total) : total;
            has_before = true;
          }
        }
        if (left > 0 && group % groups_of_warp > 0) {
          before = has_before ? combine(before, above) : above;
          has_before = true;
        }
      }
    }
    if (left == 0) continue;
    before_tile.append(total);
    if (has_before) {
#pragma unroll
      for (unsigned k = 0; k < rows; ++k) here[k] = leave(combine(before, enter(here[k])));
    }
    T* to = out + begin + row * inner;
    unsigned written = left;
    if (exclusive) {
      // Each goes a row down, and the last one is in front of the rows below.
      if (has_before) store(to, leave(before));
      to += inner;
      --written;
    }
#pragma unroll
    for (unsigned k = 0; k < rows; ++k, to += inner) {
      if (k < written) store(to, here[k]);
    }
  }
}

/// Whether the columns of each row are granules, of x and of `out`.
template <class T>
bool are_granules(const T* x, const T* out, const segments& all) {
  return packs_are_granules<T> && all.inner % scan_pack<T> == 0 &&
         (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(out)) % 16 == 0;
}

/// Fewer strips than these leave multiprocessors idle.
inline constexpr std::size_t least_strips = 2048;

/// Lanes side by side: as many as leave enough blocks to fill a GPU, and rows for all threads.
template <class Shape>
unsigned scan_down_lanes(const Shape& shape) {
  constexpr unsigned least_lanes = 8;
  constexpr std::size_t wide = 16384, many_blocks = 256;
  unsigned lanes = scan_down_threads;
  const std::size_t strips = shape.strips();
  if (strips >= wide) return lanes;
  while (lanes > least_lanes && strips < many_blocks * lanes &&
         shape.strip > shape.rows * (scan_down_threads / lanes)) {
    lanes /= 2;
  }
  return lanes;
}

}  // namespace heddle::cuda
