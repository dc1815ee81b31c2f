// cuda::atomic of numbers and structures, with all that it has; by the host, too.
// program
// clean
// prints 2 1 6 3 5
#include <cuda/atomic>

#include <cstdio>

struct pair { int key, value; };
using atomic_pair = cuda::atomic<pair, cuda::thread_scope_device>;
enum class state : unsigned char { idle, busy };

__global__ void exchange(atomic_pair* p, cuda::atomic<state, cuda::thread_scope_device>* s, cuda::atomic<int>* n) {
  pair want{0, 0};
  p->compare_exchange_strong(want, pair{1, 2}, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
  p->compare_exchange_weak(want, pair{1, 3}, cuda::std::memory_order_acquire, cuda::std::memory_order_relaxed);
  s->exchange(state::busy);
  *n += 3;
  *n |= 2;
  --*n;
  ++*n;
  n->fetch_max(6);
  n->notify_all();
}

int main() {
  pair h, *d;
  state busy, *s;
  cuda::atomic<int>* n;
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  cudaMalloc(&s, sizeof *s);
  cudaMemset(s, 0, sizeof *s);
  cudaMalloc(&n, sizeof *n);
  cuda::atomic<int> own;
  own = 0;
  cudaMemcpy(static_cast<void*>(n), static_cast<void*>(&own), sizeof own, cudaMemcpyHostToDevice);
  exchange<<<1, 1>>>(reinterpret_cast<atomic_pair*>(d), reinterpret_cast<cuda::atomic<state, cuda::thread_scope_device>*>(s), n);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(&busy, s, sizeof busy, cudaMemcpyDeviceToHost);
  cudaMemcpy(static_cast<void*>(&own), static_cast<void*>(n), sizeof own, cudaMemcpyDeviceToHost);
  cuda::std::atomic_int five{2};
  int expected = 2;
  five.compare_exchange_strong(expected, 3);
  five.fetch_add(1);
  ++five;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
  std::printf("%d %d %d %d %d\n", h.value, int(busy), own.load(), expected + 1, five.load());
  cudaFree(d);
  cudaFree(s);
  cudaFree(n);
}
