// Memory that is allocated and freed in the order of a stream, in pools. The first argument says what is done.

// program --leak-check -- right
// clean
// prints 3 128 0 256 0 256
// program -- other_stream
// finds data-race @adds @allocates @adds_unordered of x
// finds uninitialised-read @adds @adds_unordered of x
// program -- other_stream_after_event
// clean
// program -- freed_too_early
// finds data-race @adds_elsewhere @frees_too_early of x
// program -- after_free
// finds use-after-free @adds @adds_late @frees_in_order of x
// program -- copied_after_free
// finds use-after-free @copies_late @frees_in_order: x (int[32]), which is freed
// program -- freed_twice
// finds invalid-free @frees_in_order @frees_again
// program --leak-check -- leaks
// finds leak @allocates of x
// program -- frees_plainly
// clean
// program -- unwritten
// finds uninitialised-read @copies_unwritten of x
// program -- full
// clean
// prints 0 2 1 0
// program -- host_pool
// finds missing-synchronisation @reads_shared @adds_shared of shared
// program -- captured
// clean
// prints 5 5 0 128
// program -- captured_use_after_free
// finds use-after-free @adds @adds_after_node @frees_node of x
// program -- captured_again
// clean
// prints 65536
// program -- captured_again_racing
// finds data-race @moves @launches_moves of x
// program -- nodes
// clean
// prints 7 1 0
// program -- node_without_edge
// finds data-race @adds @allocation_node @kernel_node @launches_nodes
// finds uninitialised-read @adds @allocation_node @kernel_node @launches_nodes
#include <cstdio>
#include <cstring>

constexpr int n = 32;
constexpr size_t bytes = n * sizeof(int);
__global__ void add(int* x, int by) { x[threadIdx.x] += by; }  // @adds
__global__ void put(int* x, int what) { x[threadIdx.x] = what; }
__global__ void count_up(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void add_up(int* sum, const int* x) { atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]); }
__global__ void move_down(int* x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[(i + 1) % count];  // @moves
}

cudaStream_t a, b;
cudaEvent_t event;

int value(const int* of) {
  int result = -1;
  cudaMemcpyAsync(&result, of, sizeof(int), cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(a);
  return result;
}

unsigned long long attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  unsigned long long result = 0;
  cudaMemPoolGetAttribute(pool, which, &result);
  return result;
}

void right() {
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long threshold = ~0ull;
  int *x, *y;
  cudaMallocAsync(&x, bytes, a);
  cudaMallocFromPoolAsync(&y, bytes, pool, a);
  put<<<1, n, 0, a>>>(x, 1);
  add<<<1, n, 0, a>>>(x, 2);
  const int three = value(x);
  cudaFreeAsync(y, a);
  const auto used = attribute(pool, cudaMemPoolAttrUsedMemCurrent);
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaMallocAsync(&y, bytes, a);
  cudaFreeAsync(x, a);
  cudaFreeAsync(y, a);
  cudaStreamSynchronize(a);
  const auto left = attribute(pool, cudaMemPoolAttrUsedMemCurrent);
  const auto reserved = attribute(pool, cudaMemPoolAttrReservedMemCurrent);
  cudaMemPoolTrimTo(pool, 0);
  std::printf("%d %d %d %d %d %d\n", three, int(used), int(left), int(reserved),
              int(attribute(pool, cudaMemPoolAttrReservedMemCurrent)), int(attribute(pool, cudaMemPoolAttrUsedMemHigh)));
}

// Each allocation is of its own size, so a pool of one is full.
void full() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.maxSize = bytes;
  cudaMemPool_t pool, present;
  cudaMemPoolCreate(&pool, &props);
  cudaDeviceSetMemPool(0, pool);
  cudaDeviceGetMemPool(&present, 0);
  int *x, *y;
  const int first = cudaMallocAsync(&x, bytes, a), second = cudaMallocAsync(&y, bytes, a);
  cudaGetLastError();
  cudaFreeAsync(x, a);
  const int third = cudaMallocAsync(&y, bytes, a);
  std::printf("%d %d %d %d\n", first, second, present == pool, third);
  cudaMemPoolDestroy(pool);
}

void host_pool() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeHost;
  cudaMemPool_t pool;
  cudaMemPoolCreate(&pool, &props);
  int* shared;
  cudaMallocFromPoolAsync(&shared, bytes, pool, a);
  cudaStreamSynchronize(a);
  shared[3] = 4;
  put<<<1, n, 0, a>>>(shared, 3);  // @adds_shared
  if (shared[3] < 0) return;       // @reads_shared
  cudaFreeAsync(shared, a);
}

void captured(bool uses_after_free) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int *x, *kept;
  cudaMallocAsync(&kept, bytes, a);
  cudaMemsetAsync(kept, 0, bytes, a);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&x, bytes, a);
  put<<<1, n, 0, a>>>(x, 2);
  add<<<1, n, 0, a>>>(x, 3);
  cudaMemcpyAsync(kept, x, bytes, cudaMemcpyDeviceToDevice, a);
  cudaFreeAsync(x, a);                                // @frees_node
  if (uses_after_free) add<<<1, n, 0, a>>>(x, 1);     // @adds_after_node
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&executable, graph);
  cudaGraphLaunch(executable, a);
  if (uses_after_free) return;
  const int first = value(kept);
  cudaGraphLaunch(executable, a);
  unsigned long long used = 0, most = 0;
  cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used);
  cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most);
  std::printf("%d %d %d %d\n", first, value(kept), int(used), int(most));
}

// What a graph allocates is not there while another launch runs, and is there again.
void captured_again(bool races) {
  constexpr int large = 1 << 16, block = 256;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int *x, *sum;
  cudaMallocManaged(&sum, sizeof(int));
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&x, large * sizeof(int), a);
  cudaMemsetAsync(x, 0, large * sizeof(int), a);
  if (races) {
    move_down<<<large / block, block, 0, a>>>(x, large);  // @launches_moves
  } else {
    count_up<<<large / block, block, 0, a>>>(x);
  }
  add_up<<<large / block, block, 0, a>>>(sum, x);
  cudaFreeAsync(x, a);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&executable, graph);
  for (int i = 0; i < 2; ++i) {
    put<<<1, 1, 0, a>>>(sum, 0);
    cudaGraphLaunch(executable, a);
    cudaStreamSynchronize(a);
    if (!races) std::printf("%d\n", *sum);
  }
}

void nodes(bool has_edge) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams allocation = {};
  allocation.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.poolProps.location.type = cudaMemLocationTypeDevice;
  allocation.bytesize = bytes;
  cudaGraphNode_t allocated, called;
  cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &allocation);  // @allocation_node
  int what = 7;
  void* arguments[] = {&allocation.dptr, &what};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(has_edge ? put : add);
  p.gridDim = dim3(1);
  p.blockDim = dim3(n);
  p.kernelParams = arguments;
  cudaGraphAddKernelNode(&called, graph, &allocated, has_edge ? 1 : 0, &p);  // @kernel_node
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, has_edge ? 0 : cudaGraphInstantiateFlagAutoFreeOnLaunch);
  cudaGraphLaunch(executable, a);  // @launches_nodes
  if (!has_edge) return;
  const int seven = value(static_cast<int*>(allocation.dptr));
  const int again = cudaGraphLaunch(executable, a);
  cudaGetLastError();
  cudaFreeAsync(allocation.dptr, a);
  std::printf("%d %d %d\n", seven, again, cudaGraphLaunch(executable, a));
}

int main(int, char** argv) {
  const auto is = [&](const char* what) { return std::strcmp(argv[1], what) == 0; };
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  if (is("right")) return right(), 0;
  if (is("full")) return full(), 0;
  if (is("host_pool")) return host_pool(), 0;
  if (is("captured") || is("captured_use_after_free")) return captured(is("captured_use_after_free")), 0;
  if (is("captured_again") || is("captured_again_racing")) return captured_again(is("captured_again_racing")), 0;
  if (is("nodes") || is("node_without_edge")) return nodes(is("nodes")), 0;
  int* x;
  cudaMallocAsync(&x, bytes, a);  // @allocates
  if (is("unwritten")) {
    int there[n];
    cudaMemcpyAsync(there, x, bytes, cudaMemcpyDeviceToHost, a);  // @copies_unwritten
    return 0;
  }
  if (is("other_stream")) {
    add<<<1, n, 0, b>>>(x, 1);  // @adds_unordered
    return 0;
  }
  cudaMemsetAsync(x, 0, bytes, a);
  if (is("frees_plainly")) {
    cudaFree(x);
    return 0;
  }
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event);
  add<<<1, n, 0, b>>>(x, 1);  // @adds_elsewhere
  cudaEventRecord(event, b);
  if (is("freed_too_early")) {
    cudaFreeAsync(x, a);  // @frees_too_early
    return 0;
  }
  cudaStreamWaitEvent(a, event);
  if (is("leaks")) return 0;
  cudaFreeAsync(x, a);                              // @frees_in_order
  if (is("after_free")) add<<<1, n, 0, a>>>(x, 1);  // @adds_late
  int there[n];
  if (is("copied_after_free")) cudaMemcpyAsync(there, x, bytes, cudaMemcpyDeviceToHost, a);  // @copies_late
  if (is("freed_twice")) cudaFreeAsync(x, a);                                                 // @frees_again
}
