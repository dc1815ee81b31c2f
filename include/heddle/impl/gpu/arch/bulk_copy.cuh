#pragma once

#include <heddle/compiler.hpp>
#include <heddle/impl/gpu/block/vec16.cuh>

#include <cstddef>
#include <cstdint>

/// Barriers in shared memory, and the copies that complete on them. Before compute capability 9.0 there are
/// no such copies, and barriers are counters.
namespace heddle::gpu {

/// Whether this code has bulk copies, and 227 KiB of shared memory a block for their tiles: compute
/// capability 12 has less. pdl_kernel decides the same on the CPU.
inline constexpr bool has_bulk_copies =
#if HD_PTX_ARCH >= 900 && HD_PTX_ARCH < 1200
    true;
#else
    false;
#endif

/// A barrier in shared memory that threads arrive at and copies complete on (PTX mbarrier). The parity of its
/// phases alternates between 0 and 1; a thread waits for the end of the phase with the given parity.
class mbarrier {
 public:
#if HD_PTX_ARCH >= 900
  /// By one thread, before any other touches it.
  __device__ void init(unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
  }
  /// Everything this thread has read or written comes before the end of the phase.
  __device__ void arrive() {
    asm volatile("{\n .reg .b64 state;\n mbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(address())
                 : "memory");
  }
  /// The same, and the phase does not end before so many bytes have been copied.
  __device__ void arrive_and_expect(unsigned bytes) {
    asm volatile("{\n .reg .b64 state;\n mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(
                     address()),
                 "r"(bytes)
                 : "memory");
  }
  __device__ void wait(unsigned parity) {
    asm volatile(
        "{\n .reg .pred done;\n"
        "again:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        " @!done bra again;\n}" ::"r"(address()),
        "r"(parity)
        : "memory");
  }
  __device__ unsigned address() const { return static_cast<unsigned>(__cvta_generic_to_shared(this)); }
#else
  __device__ void init(unsigned arrivals) {
    arrivals_ = pending_ = arrivals;
    phase_ = 0;
  }
  __device__ void arrive() {
    __threadfence_block();
    if (atomicSub(&pending_, 1u) != 1) return;
    pending_ = arrivals_;
    __threadfence_block();
    phase_ = phase_ + 1;
  }
  __device__ void wait(unsigned parity) {
    while ((phase_ & 1) == parity) {
    }
    __threadfence_block();
  }
#endif

 private:
#if HD_PTX_ARCH >= 900
  std::uint64_t bits_;
#else
  unsigned arrivals_, pending_;
  volatile unsigned phase_;
#endif
};

/// Makes barriers that this thread has initialised visible to bulk copies.
__device__ inline void fence_mbarrier_init() {
#if HD_PTX_ARCH >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// The vec16s that lie wholly within an array.
struct whole_vec16 {
  std::uintptr_t first, end;
  __device__ whole_vec16(std::uintptr_t begin_of_array, std::uintptr_t end_of_array)
      : first((begin_of_array + 15) / 16 * 16), end(end_of_array / 16 * 16) {}
};

#if HD_PTX_ARCH >= 900
/// Starts a copy from global to shared memory that completes on `barrier`; addresses and size are multiples
/// of 16.
__device__ inline void start_copy(void* shared, const void* global, unsigned bytes, const mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(global), "r"(bytes), "r"(barrier.address())
      : "memory");
}

/// Orders what this thread has written to shared memory before bulk copies that are started after a barrier.
__device__ inline void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Starts copying bytes `begin` … `end` − 1 of an array to shared memory, where `to` stands for the last
/// multiple of 16 up to `begin`: whole vec16s by a bulk copy that completes on `barrier`, the rest byte by
/// byte. Returns how many bytes the barrier is to expect.
__device__ inline unsigned start_copy_of_vec16(unsigned char* to, std::uintptr_t begin, std::uintptr_t end,
                                               const whole_vec16& whole, const mbarrier& barrier) {
  const std::uintptr_t placed = begin / 16 * 16;
  std::uintptr_t copy_from = placed, copy_to = (end + 15) / 16 * 16;
  for (; copy_from < whole.first && copy_from < copy_to; copy_from += 16)
    copy_part_of_vec16(to + (copy_from - placed), copy_from, begin, end);
  if (copy_to > whole.end && copy_to > copy_from) {
    copy_to -= 16;
    copy_part_of_vec16(to + (copy_to - placed), copy_to, begin, end);
  }
  // The next bulk copy overwrites the bytes that this thread has written.
  if (copy_from > placed || copy_to < end) fence_proxy_async();
  const auto bytes = static_cast<unsigned>(copy_to - copy_from);
  if (bytes > 0)
    start_copy(to + (copy_from - placed), reinterpret_cast<const void*>(copy_from), bytes, barrier);
  return bytes;
}

/// Starts a copy from shared to global memory; addresses and size are multiples of 16. Threads that
/// wrote there have called fence_proxy_async().
__device__ inline void start_store(void* global, const void* shared, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(bytes)
               : "memory");
}
/// Waits until shared memory has been read by all such copies of this thread.
__device__ inline void wait_for_stores() {
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif

}  // namespace heddle::gpu
