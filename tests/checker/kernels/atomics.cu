// Atomic functions: their values, and at what scope they are between whom.

#include <cuda/atomic>
#include <cuda/std/atomic>

// check values_of_atomics --grid 1 --block 1 --arg i32[8]=zeros --arg u32[8]=zeros --arg f32[4]=zeros --arg u64[4]=zeros
// clean
__global__ void values_of_atomics(int* i, unsigned* u, float* f, unsigned long long* l) {
  assert(atomicAdd(&i[0], 5) == 0 && i[0] == 5);
  assert(atomicSub(&i[0], 7) == 5 && i[0] == -2);
  assert(atomicMin(&i[0], 3) == -2 && i[0] == -2);
  assert(atomicMax(&i[0], 3) == -2 && i[0] == 3);
  assert(atomicExch(&i[0], 12) == 3 && i[0] == 12);
  assert(atomicCAS(&i[0], 11, 1) == 12 && i[0] == 12);
  assert(atomicCAS(&i[0], 12, 1) == 12 && i[0] == 1);
  assert(atomicOr(&u[0], 6u) == 0 && u[0] == 6);
  assert(atomicAnd(&u[0], 3u) == 6 && u[0] == 2);
  assert(atomicXor(&u[0], 3u) == 2 && u[0] == 1);
  assert(atomicInc(&u[1], 1u) == 0 && atomicInc(&u[1], 1u) == 1 && u[1] == 0);
  assert(atomicDec(&u[2], 4u) == 0 && u[2] == 4 && atomicDec(&u[2], 4u) == 4 && u[2] == 3);
  u[3] = 9;
  assert(atomicDec(&u[3], 4u) == 9 && u[3] == 4);
  assert(atomicMax(&u[4], 0xffffffffu) == 0 && u[4] == 0xffffffffu);
  assert(atomicAdd(&f[0], 1.5f) == 0.0f && f[0] == 1.5f);
  assert(atomicExch(&f[0], 2.5f) == 1.5f && f[0] == 2.5f);
  assert(atomicAdd(&l[0], 1ull << 40) == 0 && l[0] == 1ull << 40);
  assert(atomicMax(&l[0], 1ull << 41) == 1ull << 40 && l[0] == 1ull << 41);
  assert(atomicMin(reinterpret_cast<long long*>(&l[1]), -5ll) == 0 && static_cast<long long>(l[1]) == -5);
}

// check histogram --grid 8 --block 64 --arg i32[512]=random:3 --arg i32[16]=zeros
// clean
__global__ void histogram(const int* x, int* bins) {
  const unsigned v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&bins[v % 16], 1);
}

// check histogram_without_atomics --grid 8 --block 64 --arg i32[512]=random:3 --arg i32[16]=zeros
// finds data-race @plain_increment
__global__ void histogram_without_atomics(const int* x, int* bins) {
  const unsigned v = x[blockIdx.x * blockDim.x + threadIdx.x];
  bins[v % 16]++;  // @plain_increment
}

// check histogram_in_shared --grid 8 --block 64 --arg i32[512]=random:3 --arg i32[16]=zeros
// clean
__global__ void histogram_in_shared(const int* x, int* bins) {
  __shared__ int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  const unsigned v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd_block(&local[v % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// check histogram_without_first_barrier --grid 8 --block 64 --arg i32[512]=random:3 --arg i32[16]=zeros
// finds data-race @cleared @counted
// finds uninitialised-read @counted
__global__ void histogram_without_first_barrier(const int* x, int* bins) {
  __shared__ int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;  // @cleared
  const unsigned v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&local[v % 16], 1);  // @counted
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// check block_scope_between_blocks --grid 4 --block 32 --arg i32[1]=zeros
// finds data-race @block_scope
__global__ void block_scope_between_blocks(int* sum) {
  atomicAdd_block(sum, 1);  // @block_scope
}

// check block_scope_within_a_block --grid 4 --block 32 --arg i32[4]=zeros
// clean
__global__ void block_scope_within_a_block(int* sum) {
  atomicAdd_block(&sum[blockIdx.x], 1);
}

// check system_scope --grid 4 --block 32 --arg i32[1]=zeros
// clean
__global__ void system_scope(int* sum) {
  atomicAdd_system(sum, 1);
}

// check atomic_and_plain --grid 2 --block 32 --arg i32[3]=zeros
// finds data-race @atomic_part @plain_part
__global__ void atomic_and_plain(int* x) {
  atomicAdd(&x[0], 1);  // @atomic_part
  if (threadIdx.x == 0) x[1 + blockIdx.x] = x[0];  // @plain_part
}

// check atomic_then_barrier_then_plain --grid 1 --block 32 --arg i32[2]=zeros
// clean
__global__ void atomic_then_barrier_then_plain(int* x) {
  atomicAdd(&x[0], 1);
  __syncthreads();
  if (threadIdx.x == 0) x[1] = x[0];
}

// check result_of_all_blocks --grid 4 --block 32 --arg i32[2]=zeros
// finds data-race @from_all_blocks @read_by_each
__global__ void result_of_all_blocks(int* x) {
  atomicAdd(&x[0], 1);  // @from_all_blocks
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 3) x[1] = x[0];  // @read_by_each
}

// check atomic_ref_sum --grid 4 --block 32 --arg f64[1]=zeros
// clean
__global__ void atomic_ref_sum(double* sum) {
  cuda::atomic_ref<double, cuda::thread_scope_device> total(*sum);
  total.fetch_add(1.0, cuda::std::memory_order_relaxed);
}

// check atomic_ref_of_a_block --grid 4 --block 32 --arg i32[1]=zeros
// finds data-race @ref_of_a_block
__global__ void atomic_ref_of_a_block(int* sum) {
  cuda::atomic_ref<int, cuda::thread_scope_block> total(*sum);
  total.fetch_add(1, cuda::memory_order_relaxed);  // @ref_of_a_block
}

// check atomic_ref_values --grid 1 --block 1 --arg i32[1]=zeros
// clean
__global__ void atomic_ref_values(int* x) {
  cuda::atomic_ref<int> a(*x);
  a.store(4);
  assert(a.load() == 4 && a == 4);
  assert(a.fetch_max(9) == 4 && a.fetch_min(2) == 9 && a.exchange(7) == 2);
  int expected = 6;
  assert(!a.compare_exchange_strong(expected, 1) && expected == 7);
  assert(a.compare_exchange_strong(expected, 1) && *x == 1);
  assert(++a == 2 && a-- == 2 && (a += 5) == 6 && (a.fetch_and(2), *x == 2));
}

// check message_by_release_and_acquire --grid 2 --block 1 --arg i32[2]=zeros --arg i32[1]
// clean
__global__ void message_by_release_and_acquire(int* x, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(x[1]);
  if (blockIdx.x == 0) {
    x[0] = 42;
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = x[0];
  }
}

// check message_by_relaxed --grid 2 --block 1 --arg i32[2]=zeros --arg i32[1]
// finds data-race @relaxed_write @relaxed_read
__global__ void message_by_relaxed(int* x, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(x[1]);
  if (blockIdx.x == 0) {
    x[0] = 42;  // @relaxed_write
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_relaxed) == 0) {
    }
    out[0] = x[0];  // @relaxed_read
  }
}

// check cas_maximum --grid 4 --block 32 --arg f32[128]=random:4 --arg f32[1]=zeros
// clean
__global__ void cas_maximum(const float* x, float* most) {
  const float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  int* const as_int = reinterpret_cast<int*>(most);
  int seen = atomicAdd(as_int, 0);
  while (__int_as_float(seen) < v) {
    const int before = atomicCAS(as_int, seen, __float_as_int(v));
    if (before == seen) break;
    seen = before;
  }
}

// check half_sums --grid 1 --block 32 --arg f16[1]=zeros --arg f16[2]=zeros
// clean
__global__ void half_sums(half* one, half2* two) {
  atomicAdd(one, __float2half(0.5f));
  atomicAdd(two, __floats2half2_rn(1.0f, 2.0f));
  __syncthreads();
  assert(__half2float(*one) == 16.0f);
  assert(__low2float(*two) == 32.0f && __high2float(*two) == 64.0f);
}

// check atomic_out_of_bounds --grid 1 --block 32 --arg i32[16]=zeros
// finds out-of-bounds @atomic_beyond
__global__ void atomic_out_of_bounds(int* x) {
  atomicAdd(&x[threadIdx.x], 1);  // @atomic_beyond
}

// check standard_atomics --grid 4 --block 32 --arg i32[1]=zeros --arg i32[2]=zeros
// clean
__global__ void standard_atomics(int* count, int* out) {
  cuda::std::atomic_ref<int> of(*count);
  of.fetch_add(2, cuda::std::memory_order_relaxed);
  cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
  if (of.load() == 256) cuda::std::atomic_ref<int>(out[0]).store(1);
}

// check between_two_words --grid 1 --block 1 --arg i32[16]=zeros
// finds misaligned-access @in_the_middle of x
__global__ void between_two_words(int* x) {
  atomicAdd(reinterpret_cast<int*>(reinterpret_cast<char*>(x) + 6), 1);  // @in_the_middle
}

// check at_a_word --grid 1 --block 32 --arg i32[16]=zeros
// clean
__global__ void at_a_word(int* x) { atomicAdd(reinterpret_cast<int*>(reinterpret_cast<char*>(x) + 4), 1); }

// check builtin_atomics --grid 4 --block 32 --arg i32[8]=zeros --arg f32[2]=zeros
// clean
__global__ void builtin_atomics(int* x, float* f) {
  __nv_atomic_add(&x[0], 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_max(&x[1], int(threadIdx.x), __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(f, 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  int expected = __nv_atomic_load_n(&x[2], __NV_ATOMIC_RELAXED);
  while (!__nv_atomic_compare_exchange_n(&x[2], &expected, expected + 1, true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED)) {
  }
  if (expected < 127) return;
  // The last one.
  int before, zero = 0;
  __nv_atomic_exchange(&x[2], &zero, &before, __NV_ATOMIC_SEQ_CST);
  assert(before == 128 && __nv_atomic_load_n(&x[0], __NV_ATOMIC_ACQUIRE) == 256);
  assert(__nv_atomic_load_n(&x[1], __NV_ATOMIC_RELAXED) == 31 && __nv_atomic_exchange_n(f, 0, __NV_ATOMIC_RELAXED) == 64);
  __nv_atomic_store_n(&x[3], 7, __NV_ATOMIC_RELEASE);
}

// check builtin_atomics_of_a_block --grid 4 --block 32 --arg i32[1]=zeros
// finds data-race @of_a_block: at a scope that does not reach the other thread
__global__ void builtin_atomics_of_a_block(int* x) {
  __nv_atomic_add(x, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);  // @of_a_block
}

// The plain read is a guess, which the exchange tests.
// check reads_before_it_exchanges --grid 4 --block 32 --arg f32[1]=zeros
// notes data-race @guess: first read of a compare-and-swap loop
__global__ void reads_before_it_exchanges(float* x) {
  int* const bits = reinterpret_cast<int*>(x);
  int assumed, old = *bits;  // @guess
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) + 1));
  } while (assumed != old);
}

// check reads_and_does_not_exchange --grid 4 --block 32 --arg i32[1]=zeros --arg i32[128]=zeros
// finds data-race @no_guess @adds
__global__ void reads_and_does_not_exchange(int* x, int* seen) {
  seen[blockIdx.x * blockDim.x + threadIdx.x] = *x;  // @no_guess
  atomicAdd(x, 1);  // @adds
}
