// Memory by which the host and a kernel that runs tell one another something.

// program -- told
// clean
// prints 2
// program -- asked
// clean
// program -- asked_of_atomic
// clean
// program -- told_plainly
// finds missing-synchronisation @tells_plainly @launches of flag
// program -- read_plainly
// finds missing-synchronisation @tells @launches_plain of flag
// program -- asked_of_device
// finds missing-synchronisation @asks @counts_on_device of flag
// program -- exchanged
// notes missing-synchronisation @reads_before @counts_beside of flag: the first read of a compare-and-swap loop
// prints 3
// program -- exchanged_beside_plain
// finds missing-synchronisation @reads_before @counts_plainly of flag
// program -- not_exchanged
// finds missing-synchronisation @reads_alone @counts_beside of flag
// program -- filled
// finds missing-synchronisation @tells @fills of flag
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

/// Waits until the host has said so, or for as long as it takes to look so many times.
__global__ void wait_for(volatile int *flag, int looks, int *seen) {
  for (int i = 0; i < looks && *flag == 0; ++i) ++*seen;
}
__global__ void look_at(int *flag, int *seen) { *seen = *flag; }
__global__ void tell(volatile int *flag) { *flag = 1; }
__global__ void count(int *flag) { atomicAdd_system(flag, 1); }
__global__ void count_plainly(int *flag) { ++*flag; }
__global__ void count_on_device(int *flag) { atomicAdd(flag, 1); }

int main(int, char **words) {
  const auto is = [&](const char *mode) { return std::strcmp(words[1], mode) == 0; };
  int *flag, *seen;
  cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
  cudaMalloc(&seen, sizeof *seen);
  cudaMemset(seen, 0, sizeof *seen);
  *flag = 0;
  volatile int *const strong = flag;
  if (is("told") || is("told_plainly")) wait_for<<<1, 1>>>(flag, 2, seen);  // @launches
  if (is("read_plainly")) look_at<<<1, 1>>>(flag, seen);                    // @launches_plain
  if (is("asked")) tell<<<1, 1>>>(flag);
  if (is("asked_of_atomic")) count<<<1, 1>>>(flag);
  if (is("asked_of_device")) count_on_device<<<1, 1>>>(flag);  // @counts_on_device
  if (is("filled")) cudaMemsetAsync(flag, 0, sizeof *flag);    // @fills
  if (is("exchanged") || is("not_exchanged")) count<<<1, 1>>>(flag);  // @counts_beside
  if (is("exchanged_beside_plain")) count_plainly<<<1, 1>>>(flag);    // @counts_plainly
  if (is("exchanged") || is("exchanged_beside_plain")) {
    for (int i = 0; i < 2; ++i) {
      int expected, found;
      do {
        expected = *flag;  // @reads_before
        found = __sync_val_compare_and_swap(flag, expected, expected + 1);
      } while (found != expected);
    }
    if (is("exchanged")) std::printf("%d\n", *strong);
  } else if (is("not_exchanged")) {
    std::printf("%d\n", *flag);  // @reads_alone
  } else if (is("told_plainly")) {
    *flag = 1;  // @tells_plainly
  } else if (is("told") || is("read_plainly") || is("filled")) {
    *strong = 1;  // @tells
  } else {
    while (*strong == 0) {  // @asks
    }
  }
  cudaDeviceSynchronize();
  int times = 0;
  cudaMemcpy(&times, seen, sizeof times, cudaMemcpyDeviceToHost);
  if (is("told")) std::printf("%d\n", times);
  cudaFree(seen);
  cudaFreeHost(flag);
}
