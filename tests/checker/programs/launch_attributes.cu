// Launches with attributes, what is said of streams, kernels by their addresses, and where memory is to be.

// program -- right
// clean
// prints 3 3 3 add(int*, int)
// prints 1 1 0.5 1024
// prints 1 1
// prints 1 0 -1 -2 0 1
// prints 5 5
// program -- cooperative
// clean
// prints 0 2
// program -- not_cooperative
// finds not-cooperative @meets @launches_plainly
// program -- batch
// finds data-race @batch @other_stream of x
// program -- beyond
// finds out-of-bounds @adds @launches_beyond of x
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

constexpr int n = 32;
__global__ void add(int *x, int by) { x[threadIdx.x] += by; }  // @adds
__global__ void meet(int *x) {
  x[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();  // @meets
  if (blockIdx.x == 0) x[0] += x[1];
}

int *x, *y;
cudaStream_t stream;

int value(const int *of) {
  int result = -1;
  cudaMemcpy(&result, of, sizeof result, cudaMemcpyDeviceToHost);
  return result;
}

void right() {
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(1);
  how.blockDim = dim3(n);
  how.stream = stream;
  int one = 1;
  void *arguments[] = {&x, &one};
  cudaLaunchKernelExC(&how, reinterpret_cast<const void *>(add), arguments);
  cudaLaunchKernelExC(&how, add, arguments);
  cudaLaunchKernelEx(&how, add, x, 1);
  cudaStreamSynchronize(stream);
  const char *name;
  cudaFunction_t function;
  cudaFuncGetName(&name, add);
  cudaGetFuncBySymbol(&function, add);
  std::printf("%d %d %d %s\n", value(x), value(x + n - 1), value(x + 7), std::strcmp(name, "add") == 0 ? "add(int*, int)" : name);

  cudaStreamAttrValue said = {}, back = {};
  said.accessPolicyWindow.base_ptr = x;
  said.accessPolicyWindow.num_bytes = 1024;
  said.accessPolicyWindow.hitRatio = 0.5f;
  said.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  said.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  const bool is_taken = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &said) == cudaSuccess;
  said.accessPolicyWindow.hitRatio = 2;
  const int ratio = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &said);
  cudaStream_t other;
  cudaStreamCreate(&other);
  cudaStreamCopyAttributes(other, stream);
  cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &back);
  std::printf("%d %d %g %d\n", is_taken, ratio, back.accessPolicyWindow.hitRatio, int(back.accessPolicyWindow.num_bytes));

  // Both forms of CUDA 12 and 13.
  int *managed;
  cudaMallocManaged(&managed, n * sizeof(int));
  std::memset(managed, 0, n * sizeof(int));
  cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetPreferredLocation, 0);
  cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetReadMostly, device);
  cudaMemPrefetchAsync(managed, n * sizeof(int), 0, stream);
  cudaMemPrefetchAsync(managed, n * sizeof(int), device, 0, stream);
  add<<<1, n, 0, stream>>>(managed, 1);
  cudaMemPrefetchAsync(managed, n * sizeof(int), cudaCpuDeviceId, stream);
  cudaMemPrefetchAsync(managed, n * sizeof(int), host, 0, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d %d\n", managed[0], managed[n - 1]);
  int read_mostly, preferred, last, by[2] = {7, 7};
  cudaMemRangeGetAttribute(&read_mostly, sizeof(int), cudaMemRangeAttributeReadMostly, managed, n * sizeof(int));
  cudaMemRangeGetAttribute(&preferred, sizeof(int), cudaMemRangeAttributePreferredLocation, managed + 1, 4);
  cudaMemRangeGetAttribute(&last, sizeof(int), cudaMemRangeAttributeLastPrefetchLocation, managed, 4);
  cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, managed, 4);
  const int before = cudaMemAdvise(managed, 4, cudaMemAdviseUnsetReadMostly, 0);
  std::printf("%d %d %d %d %d %d\n", read_mostly, preferred, last, by[1], before, cudaMemAdvise(x, 4, cudaMemAdviseSetReadMostly, 0));

  const int fives[2] = {5, 5}, *from[] = {fives, fives + 1};
  int *to[] = {x, y};
  size_t bytes[] = {4, 4};
  cudaMemcpyAttributes attributes = {};
  size_t first = 0;
  cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &first, 1, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d %d\n", value(x), value(y));
}

int main(int, char **argv) {
  const auto is = [&](const char *what) { return std::strcmp(argv[1], what) == 0; };
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n * sizeof(int));
  cudaMemset(x, 0, n * sizeof(int));
  cudaMemset(y, 0, n * sizeof(int));
  cudaStreamCreate(&stream);
  if (is("right")) right();
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(2);
  how.blockDim = dim3(1);
  void *arguments[] = {&x};
  if (is("cooperative")) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    how.attrs = &attribute;
    how.numAttrs = 1;
    const int error = cudaLaunchKernelExC(&how, reinterpret_cast<const void *>(meet), arguments);
    std::printf("%d %d\n", error, value(x));
  }
  if (is("not_cooperative")) cudaLaunchKernelExC(&how, reinterpret_cast<const void *>(meet), arguments);  // @launches_plainly
  if (is("batch")) {
    cudaStream_t other;
    cudaStreamCreate(&other);
    cudaMemsetAsync(x, 1, n * sizeof(int), other);  // @other_stream
    const void *from[] = {y};
    void *to[] = {x};
    size_t bytes[] = {4}, first = 0;
    cudaMemcpyAttributes attributes = {};
    cudaMemcpyBatchAsync(to, from, bytes, 1, &attributes, &first, 1, stream);  // @batch
  }
  if (is("beyond")) {
    int one = 1, *behind = x + 1;
    void *two[] = {&behind, &one};
    how.gridDim = dim3(1);
    how.blockDim = dim3(n);
    cudaLaunchKernelExC(&how, reinterpret_cast<const void *>(add), two);  // @launches_beyond
  }
}
