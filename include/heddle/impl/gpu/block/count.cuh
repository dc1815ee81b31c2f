#pragma once

#include <heddle/impl/gpu/warp/warp.cuh>

#include <cstddef>

namespace heddle::gpu {

/// Counters of a block in shared memory, which are added to those of the grid at the end. Each counter has a
/// power of two of copies, up to a warp's lanes, in neighbouring banks: a lane counts in the copy of its
/// number. One more counter takes what is not to be counted, without a branch. All threads of the block,
/// `Threads` of them, call each function.
template <unsigned Threads>
class block_counters {
 public:
  /// `shared` has room for `copies` of counters + 1 counters, `of_grid` for `counters`.
  __device__ block_counters(unsigned* shared, unsigned copies, unsigned counters, unsigned long long* of_grid)
      : shared_(shared),
        mine_(shared + threadIdx.x % copies),
        of_grid_(of_grid),
        counters_(counters),
        copies_(copies) {
    for (unsigned k = threadIdx.x; k < copies * (counters + 1); k += Threads) shared[k] = 0;
    __syncthreads();
  }

  /// Counts one more of `which`, or nothing if that is the number of counters.
  __device__ void add(unsigned which) { atomicAdd(mine_ + which * copies_, 1u); }

  __device__ void add_to_grid() {
    __syncthreads();
    for (unsigned k = threadIdx.x; k < counters_; k += Threads) {
      unsigned long long sum = 0;
      // Neighbouring threads begin with different copies, which are in different banks.
      for (unsigned c = 0; c < copies_; ++c) sum += shared_[k * copies_ + (c + threadIdx.x) % copies_];
      if (sum > 0) atomicAdd(of_grid_ + k, sum);
    }
  }

 private:
  unsigned *shared_, *mine_;
  unsigned long long* of_grid_;
  unsigned counters_, copies_;
};

/// Counts one more of `which` in global memory, or nothing if there is no such counter. Whole warps call it:
/// if the lanes agree, one of them adds for all.
inline __device__ void count_in_grid(unsigned long long* counts, std::size_t counters, std::size_t which) {
  if (__all_sync(whole_warp, which == shuffle_from(which, 0))) {
    if (threadIdx.x % warp_size == 0 && which < counters)
      atomicAdd(counts + which, static_cast<unsigned long long>(warp_size));
  } else if (which < counters) {
    atomicAdd(counts + which, 1ull);
  }
}

}  // namespace heddle::gpu
