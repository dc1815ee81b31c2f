// Kernels that launch kernels.

// program -- right
// clean
// prints sorted 1 sum 4950 depth 5
// prints tail 3 in turn 7 streams 2 error 9
// program -- after_launch
// finds data-race @child @after of x: nothing orders it with the rest of the kernel
// program -- without_barrier
// finds data-race @child @before of x: nothing orders it with the rest of the kernel
// program -- two_blocks
// finds data-race @child @launches_all of x
// program -- at_once
// finds data-race @child @launches_at_once of x
// program -- beyond
// finds out-of-bounds @child @launches_beyond of x
// program -- of_shared
// finds foreign-address @launches_shared: shared memory
// program -- too_many_threads
// finds unchecked-error @launches_wrong: 2048 threads
// program -- no_result
// finds uninitialised-read @child_reads @launches_reader of y

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void add(int *x, int n, int what) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += what;  // @child
}
template <class T> __global__ void twice(T *x) {
  *x *= 2;
}
__global__ void read_one(const int *y, int *to) {
  *to = *y;  // @child_reads
}

// Each launch has the smaller and the larger part to sort.
__global__ void sort(int *x, int n) {
  if (n < 2) return;
  const int pivot = x[n / 2];
  int i = 0, j = n - 1;
  while (i <= j) {
    while (x[i] < pivot) ++i;
    while (x[j] > pivot) --j;
    if (i <= j) {
      const int other = x[i];
      x[i++] = x[j];
      x[j--] = other;
    }
  }
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  sort<<<1, 1, 0, one>>>(x, j + 1);
  sort<<<1, 1, 0, other>>>(x + i, n - i);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
}
__global__ void sum_of(int *x, int n, int *depth) {
  *depth += 1;
  if (n == 1) return;
  const int half = (n + 1) / 2;
  add<<<1, 1>>>(x, 0, 0);
  for (int i = 0; i < n / 2; ++i) x[i] += x[half + i];
  sum_of<<<1, 1, 0, cudaStreamTailLaunch>>>(x, half, depth);
}
__global__ void in_turn(int *x) {
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  add<<<1, 4>>>(x, 4, 1);
  twice<<<1, 1>>>(x + 3);
  twice<int><<<1, 1, 0, cudaStreamTailLaunch>>>(x + 2);
  add<<<1, 1>>>(x + 3, 1, -1);
}
__global__ void apart(int *x) {
  add<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 1, 1);
  add<<<1, 1, 0, cudaStreamFireAndForget>>>(x + 1, 1, 1);
}
__global__ void asks(int *error) {
  add<<<1, 2048>>>(error, 1, 1);  // @asks
  *error = cudaGetLastError();
}

__global__ void after_launch(int *x) {
  add<<<1, 1>>>(x, 1, 1);
  x[0] = 5;  // @after
}
__global__ void without_barrier(int *x) {
  x[threadIdx.x] = 1;  // @before
  if (threadIdx.x == 0) add<<<1, 2>>>(x, 2, 1);
}
__global__ void two_blocks(int *x) {
  add<<<1, 1>>>(x, 1, 1);  // @launches_all
}
__global__ void at_once(int *x) {
  add<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 1, 1);  // @launches_at_once
  add<<<1, 1>>>(x, 1, 1);
}
__global__ void beyond(int *x) {
  add<<<1, 32>>>(x, 11, 1);  // @launches_beyond
}
__global__ void of_shared() {
  __shared__ int own[2];
  own[threadIdx.x] = 0;
  add<<<1, 2>>>(own, 2, 1);  // @launches_shared
}
__global__ void too_many_threads(int *x) {
  add<<<1, 2048>>>(x, 1, 1);  // @launches_wrong
}
__global__ void no_result(int *y, int *x) {
  read_one<<<1, 1>>>(y, x);  // @launches_reader
  add<<<1, 1>>>(y, 0, 0);
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  int *x, *y, *all;
  cudaMalloc(&x, 10 * sizeof(int));
  cudaMalloc(&y, sizeof(int));
  cudaMemset(x, 0, 10 * sizeof(int));
  if (is("right")) {
    std::vector<int> h(100), back(100);
    for (int i = 0; i < 100; ++i) h[i] = i * 37 % 100;
    cudaMalloc(&all, 100 * sizeof(int));
    cudaMemcpy(all, h.data(), 400, cudaMemcpyHostToDevice);
    sort<<<1, 1>>>(all, 100);
    cudaMemcpy(back.data(), all, 400, cudaMemcpyDeviceToHost);
    std::sort(h.begin(), h.end());
    const bool sorted = h == back;
    int found[10];
    sum_of<<<1, 1>>>(all, 16, x);
    cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost);
    const int depth = found[0];
    int sum = 0;
    cudaMemcpy(&sum, all, 4, cudaMemcpyDeviceToHost);
    for (int i = 16; i < 100; ++i) sum += h[i];
    std::printf("sorted %d sum %d depth %d\n", sorted, sum, depth);
    in_turn<<<1, 4>>>(x);
    cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost);
    apart<<<1, 1>>>(x + 8);
    asks<<<1, 1>>>(y);
    int streams[2], error;
    cudaMemcpy(streams, x + 8, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&error, y, 4, cudaMemcpyDeviceToHost);
    std::printf("tail %d in turn %d streams %d error %d\n", found[2] / 2, found[3], streams[0] + streams[1], error);
    cudaFree(all);
  }
  if (is("after_launch")) after_launch<<<1, 1>>>(x);
  if (is("without_barrier")) without_barrier<<<1, 2>>>(x);
  if (is("two_blocks")) two_blocks<<<2, 1>>>(x);
  if (is("at_once")) at_once<<<1, 1>>>(x);
  if (is("beyond")) beyond<<<1, 1>>>(x);
  if (is("of_shared")) of_shared<<<1, 2>>>();
  if (is("too_many_threads")) too_many_threads<<<1, 1>>>(x);
  if (is("no_result")) no_result<<<1, 1>>>(y, x);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
