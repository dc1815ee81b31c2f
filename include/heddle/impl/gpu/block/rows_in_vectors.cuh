#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/vec16.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>

#include <algorithm>
#include <cstddef>
#include <numeric>

/// Short contiguous rows: the lanes of a warp take vectors of neighbouring elements, in which rows begin and
/// end anywhere, so that any length is as fast (Blelloch 1990, segmented scans).
namespace heddle::gpu {

inline constexpr unsigned rows_in_vectors_threads = 256;

/// Rows of `length` elements, of which a warp takes `of_warp` at a time.
struct rows_for_warps {
  std::size_t rows;
  unsigned length, of_warp;

  /// The most lanes that a row fills after the one in which it begins.
  template <class T>
  HD_INLINE unsigned lanes_after_first() const {
    return (length - 1) / items_per_vector<T>;
  }
};

/// About 8 KiB for a warp, or less where rows are few; whole vectors where there are enough rows.
template <class T>
rows_for_warps share_rows(std::size_t rows, std::size_t length) {
  constexpr std::size_t wanted_bytes = 8192, wanted_warps = 4096;
  std::size_t of_warp = std::min(wanted_bytes / (length * sizeof(T)), rows / wanted_warps);
  const std::size_t filling = items_per_vector<T> / std::gcd(std::size_t{items_per_vector<T>}, length);
  if (of_warp > filling) of_warp -= of_warp % filling;
  return {rows, static_cast<unsigned>(length), static_cast<unsigned>(std::max<std::size_t>(of_warp, 1))};
}

/// Blocks of so many threads that give each warp its rows.
inline unsigned grid_for_rows(const rows_for_warps& shape, unsigned threads = rows_in_vectors_threads) {
  return grid_for(shape.rows, std::size_t{shape.of_warp} * (threads / warp_size));
}

/// Calls f(number of the first element, number of elements) for the rows of this warp.
template <unsigned Threads = rows_in_vectors_threads, class F>
__device__ void for_rows_of_warp(const rows_for_warps& shape, const F& f) {
  constexpr unsigned warps = Threads / warp_size;
  for (std::size_t row = (std::size_t{blockIdx.x} * warps + threadIdx.x / warp_size) * shape.of_warp;
       row < shape.rows; row += std::size_t{gridDim.x} * warps * shape.of_warp) {
    const auto rows = static_cast<unsigned>(min(shape.rows - row, std::size_t{shape.of_warp}));
    f(row * shape.length, rows * shape.length);
  }
}

/// Where rows begin in a lane's vectors, one vector after another. The first row begins `skipped` elements
/// after the start of lane 0's first vector.
template <unsigned Items>
class row_starts_in_vectors {
 public:
  __device__ row_starts_in_vectors(unsigned length, unsigned skipped)
      : length_(length), step_(warp_size * Items % length) {
    for (unsigned k = 0; k <= Items; k += length) starts_ |= 1u << k;
    const unsigned position = threadIdx.x % warp_size * Items + length - skipped % length;
    distance_ = length - 1 - (position + length - 1) % length;
  }
  /// A bit for each element of the vector, and for the one after it, set where a row begins. Goes on to the
  /// next vector.
  __device__ unsigned next() {
    const unsigned starts = distance_ <= Items ? starts_ << distance_ & ((2u << Items) - 1) : 0;
    distance_ = distance_ >= step_ ? distance_ - step_ : distance_ + length_ - step_;
    return starts;
  }

 private:
  unsigned length_, step_;
  unsigned starts_ = 0;  ///< of a vector that begins with a row
  unsigned distance_;    ///< from the start of the vector to that of the next row
};

/// The inclusive scan of the lanes' values in each row. Rows begin in the lanes whose bits are set in
/// `beginning`, and a lane's row begins at most `max_distance` lanes before it.
template <class T, class Op>
__device__ T scan_rows_of_lanes(T sum, unsigned beginning, unsigned max_distance, const Op& op) {
  const unsigned lane = threadIdx.x % warp_size, up_to_here = beginning & ((2u << lane) - 1);
  const unsigned row_begins = up_to_here == 0 ? 0 : warp_size - 1 - __clz(up_to_here);
#pragma unroll
  for (unsigned distance = 1; distance < warp_size; distance *= 2) {
    if (distance > max_distance) break;
    const T left = shuffle_up(sum, distance);
    if (lane >= row_begins + distance) sum = op(left, sum);
  }
  return sum;
}

}  // namespace heddle::gpu
