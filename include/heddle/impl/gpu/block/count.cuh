#pragma once

#include <heddle/impl/gpu/warp/warp.cuh>

#include <cstddef>

namespace heddle::gpu {

/// Counters of a block in shared memory, which is added to those of the grid at the end: several copies of
/// each, which the warps share out, so that fewer threads wait for one another. With no copies, threads count
/// in global memory. All threads of the block, `Threads` of them, call each function.
template <unsigned Threads, class Index>
class block_counters {
 public:
  /// `shared` has room for `copies` of `counters`, `of_grid` for one of each.
  __device__ block_counters(unsigned* shared, unsigned copies, Index counters, unsigned long long* of_grid)
      : shared_(shared),
        mine_(shared + (copies > 0 ? threadIdx.x / warp_size % copies * counters : 0)),
        of_grid_(of_grid),
        counters_(counters),
        copies_(copies) {
    for (auto k = Index(threadIdx.x); k < copies_ * counters_; k += Threads) shared_[k] = 0;
    __syncthreads();
  }

  /// Counts one more of `which`, or nothing where there is no such counter. Where the threads of a warp
  /// agree, one of them adds for all.
  __device__ void add(Index which) {
    const bool alike = __all_sync(whole_warp, which == shuffle_from(which, 0));
    if (alike) {
      if (threadIdx.x % warp_size == 0 && which < counters_) add(which, warp_size);
    } else if (which < counters_) {
      add(which, 1);
    }
  }

  __device__ void add_to_grid() {
    __syncthreads();
    for (auto k = Index(threadIdx.x); k < (copies_ > 0 ? counters_ : 0); k += Threads) {
      unsigned long long sum = 0;
      for (unsigned c = 0; c < copies_; ++c) sum += shared_[c * counters_ + k];
      if (sum > 0) atomicAdd(of_grid_ + k, sum);
    }
  }

 private:
  __device__ void add(Index which, unsigned count) {
    if (copies_ > 0) {
      atomicAdd(mine_ + which, count);
    } else {
      atomicAdd(of_grid_ + which, static_cast<unsigned long long>(count));
    }
  }

  unsigned *shared_, *mine_;
  unsigned long long* of_grid_;
  Index counters_;
  unsigned copies_;
};

}  // namespace heddle::gpu
