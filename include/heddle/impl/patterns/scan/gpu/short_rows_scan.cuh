#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/arch/bulk_copy.cuh>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/block_totals.cuh>
#include <heddle/impl/gpu/block/rows_in_vectors.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Scans of short rows, several to a warp.
namespace heddle::gpu {

/// The most bytes that a warp copies to shared memory at once.
inline constexpr unsigned most_short_row_bytes = 8192;

/// The exclusive prefixes of parts of segments: none at the start of a segment without initial value.
template <class T>
struct segment_prefixes {
  const T* prefixes;  ///< one for each part; null when each segment is one part
  bool first_has_one;
  bool has_init;
  T init;  ///< used where `prefixes` is null

  __device__ bool exist_for(std::size_t part_of_segment) const {
    return prefixes != nullptr ? part_of_segment > 0 || first_has_one : has_init;
  }
  __device__ T at(std::size_t result) const { return prefixes != nullptr ? prefixes[result] : init; }
};

/// The prefix of whole segments: `init`, which is on the CPU, or none where it is null.
template <class T>
order::uninitialized<segment_prefixes<T>, 1> prefix_of_first(const T* init) {
  order::uninitialized<segment_prefixes<T>, 1> before;
  before[0].prefixes = nullptr;
  before[0].first_has_one = before[0].has_init = init != nullptr;
  if (init != nullptr) memcpy(&before[0].init, init, sizeof(T));
  return before;
}

/// scan_short_rows(): how rows are taken by warps.
template <class T, class Op>
struct short_rows_tuning {
  static constexpr bool in_order = !order::any_scan_order<T, Op>;
  /// Whether rows are in shared memory while they are scanned.
  static constexpr bool staged = in_order && sizeof(T) <= 32;
  static constexpr unsigned threads = staged ? 128 : rows_in_vectors_threads;
  static constexpr unsigned blocks = staged && sizeof(T) <= 16 ? 5 : 1;
  /// Rows of the order in a row are fewer than 2^levels: large elements are in local memory.
  static constexpr unsigned levels = sizeof(T) <= 256 ? 6 : 1;
  /// Rows of as many elements or more are not short.
  static constexpr std::size_t long_row = staged || (!in_order && sizeof(T) <= 16)
                                              ? most_short_row_bytes / sizeof(T)
                                          : sizeof(T) <= 256 ? 2048
                                                             : 64;
  static_assert(!in_order || (long_row - 1) / order::scan_row<T> < 1u << levels);
  /// Rows, and the rest of their first and last vector of 16 bytes.
  static constexpr unsigned stage_bytes = most_short_row_bytes + 32;
};

/// Bytes that a warp copies from global to shared memory and back, at any alignment. `Unit` is an integer of
/// the size of which addresses are multiples.
template <class Unit>
class staged_bytes {
 public:
  /// `stage` is aligned to 16 bytes.
  __device__ staged_bytes(unsigned char* stage, unsigned bytes) : stage_(stage), bytes_(bytes) {}

  /// Returns where the first byte is.
  __device__ unsigned char* load(const void* from) {
    const auto begin = reinterpret_cast<std::uintptr_t>(from);
    unsigned char* const to = stage_ + begin % 16;
    const vec16_between whole(begin, bytes_);
    const auto* const vectors = reinterpret_cast<const uint4*>(begin + whole.first);
    auto* const staged = reinterpret_cast<uint4*>(to + whole.first);
    const unsigned lane = threadIdx.x % warp_size;
    constexpr unsigned ahead = 8;
    for (unsigned base = 0; base < whole.count; base += ahead * warp_size) {
      uint4 loaded[ahead];
      // Repeats the last one where there is none: a load in a branch would delay the next one.
#pragma unroll
      for (unsigned a = 0; a < ahead; ++a)
        loaded[a] = vectors[min(base + a * warp_size + lane, whole.count - 1)];
#pragma unroll
      for (unsigned a = 0; a < ahead; ++a) {
        if (base + a * warp_size + lane < whole.count) staged[base + a * warp_size + lane] = loaded[a];
      }
    }
    copy_ends(whole, static_cast<const unsigned char*>(from), to);
    return to;
  }
  /// `from` is what load() returned.
  __device__ void store(void* to, const unsigned char* from) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(to);
    const vec16_between whole(begin, bytes_);
    auto* const vectors = reinterpret_cast<uint4*>(begin + whole.first);
    const auto* const units = reinterpret_cast<const Unit*>(from + whole.first);
    const unsigned past = misalignment16(units);
#pragma unroll 4
    for (unsigned v = threadIdx.x % warp_size; v < whole.count; v += warp_size) {
      order::uninitialized<Unit, items_per_vector<Unit>> vector;
      load_vector<true>(units + v * items_per_vector<Unit>, past, vector);
      store_vector<Unit>(reinterpret_cast<Unit*>(vectors + v), vector);
    }
    copy_ends(whole, from, static_cast<unsigned char*>(to));
  }

 private:
  /// The whole vectors of 16 bytes among some.
  struct vec16_between {
    unsigned first, count;  ///< bytes before the first, and vectors
    __device__ vec16_between(std::uintptr_t begin, unsigned bytes)
        : first(min(static_cast<unsigned>(-begin % 16), bytes)), count((bytes - first) / 16) {}
  };
  __device__ void copy_ends(const vec16_between& whole, const unsigned char* from, unsigned char* to) const {
    const unsigned lane = threadIdx.x % warp_size, last = whole.first + 16 * whole.count + lane;
    if (lane < whole.first) to[lane] = from[lane];
    if (last < bytes_) to[last] = from[last];
  }

  unsigned char* stage_;
  unsigned bytes_;
};

/// Scans rows from `from` to `to`, which may be the same: each vector of a row is a lane's, and as many whole
/// rows are taken at once as a warp has lanes for.
template <class T, class Op>
__device__ void scan_rows_of_vectors(const T* from, T* to, unsigned rows, unsigned length, const Op& op,
                                     bool exclusive, const segment_prefixes<T>& before_rows) {
  constexpr auto vector = static_cast<unsigned>(order::scan_vector<T>);
  constexpr unsigned bytes = vector * sizeof(T);
  using elements = order::uninitialized<T, vector>;
  const bool are_aligned =
      bytes % 16 == 0 && (misalignment16(from) | misalignment16(to) | length * sizeof(T) % 16) == 0;
  const unsigned lane = threadIdx.x % warp_size, vectors = (length + vector - 1) / vector;
  const unsigned lanes = min(vectors, warp_size), at_once = warp_size / lanes;
  const unsigned row_of_lane = lane / lanes, j = lane - row_of_lane * lanes;
  for (unsigned first_row = 0; first_row < rows; first_row += at_once) {
    const unsigned row = first_row + row_of_lane;
    const bool has_row = row_of_lane < at_once && row < rows;
    block_totals<T, short_rows_tuning<T, Op>::levels> rows_before;
    for (unsigned first = 0; first < length; first += warp_size * vector) {
      const unsigned position = first + j * vector;
      const unsigned count = has_row && position < length ? min(length - position, vector) : 0;
      const unsigned at = row * length + position;
      elements here;
      if (are_aligned && count == vector) {
        here = *reinterpret_cast<const elements*>(from + at);
      } else if (count > 0) {
        // Positions beyond the row repeat an element: nothing but elements is combined.
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) here[k] = from[at + (k < count ? k : 0)];
      }
      if (count > 0) {
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          here[k] = impl::lift<Op>(here[k]);
          if (k > 0) here[k] = op(here[k - 1], here[k]);
        }
      }
      T up_to_here = here[vector - 1];
#pragma unroll
      for (unsigned half = 1; half < warp_size; half *= 2) {
        if (half >= lanes) break;
        const T left = shuffle_from(up_to_here, lane - j + (j & ~(half - 1)) - 1);
        if (count > 0 && (j & half) != 0) up_to_here = op(left, up_to_here);
      }
      order::uninitialized<T, 1> before;
      bool has_before = before_rows.has_init;
      if (has_before) before[0] = before_rows.init;
      rows_before.append_to(op, has_before, before[0]);
      if (first + warp_size * vector < length) {
        T total = shuffle_from(up_to_here, warp_size - 1);
        rows_before.append(op, total);
      }
      const T left = shuffle_up(up_to_here, 1);
      if (count == 0) continue;
      if constexpr (vector == 1) here[0] = has_before ? op(before[0], up_to_here) : up_to_here;
      if (j > 0) {
        before[0] = has_before ? op(before[0], left) : left;
        has_before = true;
      }
      if (vector > 1 && has_before) {
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) here[k] = op(before[0], here[k]);
      }
      if (exclusive) {
        if (!has_before) before[0] = here[0];
#pragma unroll
        for (unsigned k = vector; k-- > 0;) here[k] = k > 0 ? here[k - 1] : before[0];
      }
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) here[k] = order::canonical(here[k]);
      if (are_aligned && count == vector) {
        *reinterpret_cast<elements*>(to + at) = here;
      } else {
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          if (k < count) to[at + k] = here[k];
        }
      }
    }
  }
}

/// Scans several rows by a warp in the order of scan_order.hpp. They pass through shared memory, where
/// they may begin anywhere.
template <class T, class Op>
__device__ void scan_rows_in_order(const T* x, const Op& op, const rows_for_warps& shape, bool exclusive,
                                   const segment_prefixes<T>& before_rows, T* out) {
  using tuning = short_rows_tuning<T, Op>;
  using unit = std::conditional_t<alignof(T) % 4 == 0, std::uint32_t,
                                  std::conditional_t<alignof(T) == 2, std::uint16_t, std::uint8_t>>;
  __shared__ alignas(
      16) unsigned char stages[tuning::staged ? tuning::threads / warp_size * tuning::stage_bytes : 16];
  for_rows_of_warp<tuning::threads>(shape, [&](std::size_t first, unsigned count) {
    const unsigned rows = count / shape.length;
    if constexpr (tuning::staged) {
      staged_bytes<unit> mine(stages + threadIdx.x / warp_size * tuning::stage_bytes,
                              count * static_cast<unsigned>(sizeof(T)));
      unsigned char* const staged = mine.load(x + first);
      T* const elements = reinterpret_cast<T*>(staged);
      __syncwarp();
      scan_rows_of_vectors(elements, elements, rows, shape.length, op, exclusive, before_rows);
      __syncwarp();
      mine.store(out + first, staged);
      __syncwarp();
    } else {
      scan_rows_of_vectors(x + first, out + first, rows, shape.length, op, exclusive, before_rows);
    }
  });
}

/// Elements of any alignment, loaded from one array and stored to another as vectors of 16 bytes where
/// addresses allow it. Positions are counted from the vector in which the first element is stored: the
/// elements are at `skipped` to `end` − 1.
template <class T>
struct elements_in_vectors {
  static constexpr unsigned vector = items_per_vector<T>;
  using elements = order::uninitialized<T, vector>;
  const T* from;
  T* to;
  unsigned count, skipped, end;
  bool stores_vectors, loads_vectors;

  __device__ __forceinline__ elements_in_vectors(const T* x, T* out, unsigned number)
      : from(x), to(out), count(number) {
    const unsigned past = misalignment16(to);
    stores_vectors = vectors_are_16_bytes<T> && past % sizeof(T) == 0;
    loads_vectors = stores_vectors && misalignment16(from) == past;
    skipped = stores_vectors ? past / static_cast<unsigned>(sizeof(T)) : 0;
    end = skipped + count;
  }

  __device__ __forceinline__ elements load(unsigned position) const {
    elements read;
    if (loads_vectors && is_inside(position)) {
      copy_vector<T>(&read, from + (position - skipped));
    } else {
      // Positions beyond the elements repeat one of them: nothing but elements is combined.
#pragma unroll
      for (unsigned k = 0; k < vector; ++k)
        read[k] = from[min(max(position + k, skipped), end - 1) - skipped];
    }
    return read;
  }
  __device__ __forceinline__ void store(unsigned position, const elements& x) const {
    if (stores_vectors && is_inside(position)) {
      copy_vector<T>(to + (position - skipped), &x);
    } else {
#pragma unroll
      for (unsigned k = 0; k < vector; ++k) {
        if (position + k - skipped < count) to[position + k - skipped] = x[k];
      }
    }
  }

 private:
  __device__ __forceinline__ bool is_inside(unsigned position) const {
    return position - skipped < count && position + vector <= end;  // before the first they are large
  }
};

/// Scans several rows by a warp in any order. Its lanes take consecutive vectors, in which rows begin
/// anywhere; an element of more than 16 bytes is a vector by itself.
template <class T, class Op>
__device__ void scan_rows_in_any_order(const T* x, const Op& op, const rows_for_warps& shape, bool exclusive,
                                       const segment_prefixes<T>& before_rows, T* out) {
  constexpr unsigned vector = items_per_vector<T>, across = warp_size * vector;
  constexpr unsigned ahead = sizeof(T) <= 16 ? 4 : 1;
  const unsigned lane = threadIdx.x % warp_size;
  const bool has_init = before_rows.has_init;
  const unsigned max_distance = shape.lanes_after_first<T>();
  for_rows_of_warp(shape, [&](std::size_t first, unsigned count) {
    const elements_in_vectors<T> all(x + first, out + first, count);
    row_starts_in_vectors<vector> starts_of_lane(shape.length, all.skipped);
    order::uninitialized<T, 1> carry;
    for (unsigned begin = 0; begin < all.end; begin += ahead * across) {
      // Several loads are in flight at once.
      order::uninitialized<T, vector> loaded[ahead];
#pragma unroll
      for (unsigned r = 0; r < ahead; ++r) {
        if (begin + r * across < all.end) loaded[r] = all.load(begin + r * across + lane * vector);
      }
      __syncwarp();  // what lanes repeat may be written by its own
#pragma unroll
      for (unsigned r = 0; r < ahead; ++r) {
        if (begin + r * across >= all.end) break;
        auto& here = loaded[r];
        const unsigned starts = starts_of_lane.next();
        const auto is_start = [&](unsigned k) { return (starts >> k & 1) != 0; };
        const bool has_start = (starts & ((1u << vector) - 1)) != 0;
        // Each lane scans its vector, in which rows may begin.
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          here[k] = impl::lift<Op>(here[k]);
          if (has_init && is_start(k)) here[k] = op(before_rows.init, here[k]);
          if (k > 0 && !is_start(k)) here[k] = op(here[k - 1], here[k]);
        }
        // Each lane is combined with those before it, back to the one in which its last row begins.
        T sum = here[vector - 1];
        if (begin + r == 0) carry[0] = sum;  // an element, for positions before the first row
        if (lane == 0 && !has_start) sum = op(carry[0], sum);
        sum = scan_rows_of_lanes(sum, __ballot_sync(whole_warp, has_start), max_distance, op);
        const T left = shuffle_up(sum, 1);
        const T before = lane > 0 ? left : carry[0];
        carry[0] = shuffle_from(sum, warp_size - 1);
        // The elements before the lane's first row continue a row of the lanes before.
        const unsigned continued = __ffs(starts) - 1u;
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) {
          if (k < continued) here[k] = op(before, here[k]);
        }
        if (exclusive) {
#pragma unroll
          for (unsigned k = vector; k-- > 0;) {
            if (!is_start(k)) here[k] = k > 0 ? here[k - 1] : before;
            if (is_start(k) && has_init) here[k] = before_rows.init;
          }
        }
#pragma unroll
        for (unsigned k = 0; k < vector; ++k) here[k] = order::canonical(here[k]);
        all.store(begin + r * across + lane * vector, here);
      }
    }
  });
}

/// Scans rows of which is_short_row().
template <class T, class Op>
__global__ void __launch_bounds__(short_rows_tuning<T, Op>::threads, short_rows_tuning<T, Op>::blocks)
    scan_short_rows(const T* x, Op op, rows_for_warps shape, bool exclusive, segment_prefixes<T> before_rows,
                    T* out) {
  if constexpr (short_rows_tuning<T, Op>::in_order) {
    scan_rows_in_order(x, op, shape, exclusive, before_rows, out);
  } else {
    scan_rows_in_any_order(x, op, shape, exclusive, before_rows, out);
  }
}

}  // namespace heddle::gpu
