// Memory that kernels allocate: malloc and free, new and delete.

// program -- right
// clean
// prints 496 1984 12 3 destroyed 3
// prints limit 1048576 given 15 left 0
// program --leak-check -- leaks
// notes leak @list_new 3 times: 16 bytes are not freed
// program -- beyond
// finds out-of-bounds @element @allocated of memory
// program -- unset
// finds uninitialised-read @reads of memory
// program -- after
// finds use-after-free @reads @allocated @released of memory
// program -- twice
// finds invalid-free @released: 128 bytes of the heap are freed already
// program -- middle
// finds invalid-free @released: the pointer is 4 bytes past the beginning of 128 bytes
// program -- of_host
// finds invalid-free @released: a kernel frees what no kernel has allocated
// program -- race
// finds data-race @shares of memory
// program -- unchecked
// finds out-of-bounds @element: a null pointer

#include <cstdio>
#include <cstring>

struct node {
  int value;
  node *next;
};
__device__ node *list;
__device__ int *kept;
__device__ int destroyed;
struct counted {
  int value = 3;
  __device__ counted() {}
  __device__ ~counted() { ++destroyed; }
};
__host__ __device__ int sum_of_copy(const int *x, int n) {
  int *copy = new int[n];
  for (int i = 0; i < n; ++i) copy[i] = x[i];
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += copy[i];
  delete[] copy;
  return sum;
}

__global__ void sums(int *out) {
  int *own = (int *)malloc(32 * sizeof(int));
  for (int i = 0; i < 32; ++i) own[i] = i * (threadIdx.x + 1);
  const int sum = sum_of_copy(own, 32);
  free(own);
  free(nullptr);
  atomicAdd(&out[threadIdx.x % 2], threadIdx.x < 1 ? sum : threadIdx.x == 3 ? sum : 0);
}
__global__ void push(int n) {
  for (int i = 0; i < n; ++i) list = new node{i, list};  // @list_new
}
__global__ void pop(int *out, int wanted) {
  int count = 0;
  while (list != nullptr && count < wanted) {
    node *const first = list;
    list = first->next;
    out[2] += first->value * 4;
    delete first;
    ++count;
  }
  out[3] = count;
}
__global__ void objects(int *out) {
  counted *of = new counted[2];
  counted *one = new counted;
  out[4] = one->value;
  delete one;
  delete[] of;
}
__global__ void until_full(int **given, int *count) {
  for (*count = 0; *count < 64; ++*count) {
    int *const more = new int[16384];
    if (more == nullptr) break;
    given[*count] = more;
  }
}
__global__ void give_back(int **given, int count) {
  for (int i = 0; i < count; ++i) delete[] given[i];
}

__global__ void allocate(int n) {
  kept = (int *)malloc(n * sizeof(int));  // @allocated
}
__global__ void fill(int n) {
  for (int i = 0; i < n; ++i) kept[i] = i;  // @element
}
__global__ void read(int *out) {
  out[0] = kept[2];  // @reads
}
__global__ void release(int *what, int offset) {
  free((what == nullptr ? kept : what) + offset);  // @released
}
__global__ void share() {
  __shared__ int *all;
  if (threadIdx.x == 0) all = new int[2];
  __syncthreads();
  if (threadIdx.x < 2) all[threadIdx.x] = 0;
  __syncthreads();
  all[0] += threadIdx.x;  // @shares
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  int *out, back[5] = {}, gone = 0;
  cudaMalloc(&out, sizeof back);
  cudaMemset(out, 0, sizeof back);
  if (is("right")) {
    sums<<<1, 4>>>(out);
    push<<<1, 1>>>(3);
    pop<<<1, 1>>>(out, 100);
    objects<<<1, 1>>>(out);
    cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&gone, destroyed, sizeof gone);
    const int plain[3] = {1, 2, 3};
    if (sum_of_copy(plain, 3) != 6) std::puts("wrong on the host");
    std::printf("%d %d %d %d destroyed %d\n", back[0], back[1], back[2], back[3], gone);
    size_t limit = 0;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    int **given, *count, n, left;
    cudaMalloc(&given, 64 * sizeof(int *));
    cudaMalloc(&count, sizeof(int));
    until_full<<<1, 1>>>(given, count);
    cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost);
    give_back<<<1, 1>>>(given, n);
    until_full<<<1, 1>>>(given, count);
    cudaMemcpy(&left, count, sizeof n, cudaMemcpyDeviceToHost);
    std::printf("limit %zu given %d left %d\n", limit, n - 1, n - left);
    cudaFree(given);
    cudaFree(count);
  }
  if (is("leaks")) push<<<1, 1>>>(3);
  if (is("unchecked")) cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64);
  if (!is("right") && !is("leaks")) allocate<<<1, 1>>>(32);
  if (is("beyond")) fill<<<1, 1>>>(33);
  else if (!is("unset") && !is("right") && !is("leaks")) fill<<<1, 1>>>(32);
  if (is("after") || is("twice")) release<<<1, 1>>>(nullptr, 0);
  if (is("twice")) release<<<1, 1>>>(nullptr, 0);
  if (is("middle")) release<<<1, 1>>>(nullptr, 1);
  if (is("of_host")) release<<<1, 1>>>(out, 0);
  if (is("unset") || is("after")) read<<<1, 1>>>(out);
  if (is("race")) share<<<1, 4>>>();
  cudaDeviceSynchronize();
  cudaFree(out);
}
