// Copies, fills, graphs, host functions and memory on a stream behind a kernel that waits for the host.

// program -- copy
// clean
// prints 600 7
// program -- fill
// clean
// prints 3
// program -- host_function
// clean
// prints 0 2
// program -- graph
// clean
// prints 0 12 1
// program -- graph_twice
// clean
// prints 0 12 2
// program -- waits_in_graph
// clean
// prints 5
// program -- meet_in_graph
// clean
// prints 2
// program -- memory
// clean
// prints 4 128
// program -- graph_memory
// clean
// prints 6 6 0
// program -- after_a_wait
// clean
// program --devices 2 -- other_device
// clean
// prints 8
// program -- nobody
// finds deadlock @awaits @launches_await of flag: wait for something that none of them does
// prints 702 0
// program -- waited_copy
// finds deadlock @awaits @launches_await of flag
// program -- graph_nobody
// finds deadlock @awaits @await_node @launches_graph of flag
// program -- source_overwritten
// finds missing-synchronisation @overwrites @copies_pinned of pinned
// program -- read_too_early
// finds missing-synchronisation @reads_early @copies_back of pinned
// program -- fill_beside
// finds data-race @adds @fills_behind @adds_beside of x: different streams
// program -- copy_beside_queued
// finds data-race @adds @adds_behind @copies_beside of x: different streams
// program -- node_beside
// finds data-race @adds @fill_node of x: different streams
// program -- used_after_free
// finds use-after-free @copies_freed @frees_behind: x (int[32]), which is freed
// program -- freed_twice
// finds invalid-free @frees_behind @frees_again: is freed already
// program -- copied_unwritten
// finds uninitialised-read @copies_back of x
// program -- beyond
// finds invalid-copy @copies_beyond: 132 bytes to x (int[32]), which has 128
// prints 1
#include <cstdio>
#include <cstring>

constexpr int n = 32;
constexpr size_t bytes = n * sizeof(int);
__global__ void await(volatile int* flag) {
  while (*flag == 0) {  // @awaits
  }
}
__global__ void add(int* x, int by) { x[threadIdx.x] += by; }  // @adds
__global__ void put(int* x, int what) { x[threadIdx.x] = what; }
/// Each of two tells the other that it has come.
__global__ void meet(volatile int* own, volatile int* other) {
  *own = 1;
  while (*other == 0) {
  }
}

cudaStream_t one, two;
int *flag, *pinned, *x;
int called = 0;
void note_call(void* by) { called += *static_cast<int*>(by); }

void begin_waiting() {
  await<<<1, 1, 0, one>>>(flag);  // @launches_await
}
void let_go_on() { *static_cast<volatile int*>(flag) = 1; }
int value() {
  int result = -1;
  cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost);
  return result;
}

cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t* after, void* kernel, void** arguments, int threads) {
  cudaKernelNodeParams p = {};
  p.func = kernel;
  p.gridDim = dim3(1);
  p.blockDim = dim3(threads);
  p.kernelParams = arguments;
  cudaGraphNode_t made;
  cudaGraphAddKernelNode(&made, graph, after, after == nullptr ? 0 : 1, &p);  // @await_node
  return made;
}

cudaGraphNode_t add_node(cudaGraph_t graph, const cudaGraphNode_t* after, int* to, int by) {
  void* arguments[] = {&to, &by};
  return kernel_node(graph, after, (void*)add, arguments, n);
}

cudaGraphNode_t fill_node(cudaGraph_t graph, int what) {
  cudaMemsetParams fill = {};
  fill.dst = x;
  fill.value = what;
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  cudaGraphNode_t made;
  cudaGraphAddMemsetNode(&made, graph, nullptr, 0, &fill);  // @fill_node
  return made;
}

void launch(cudaGraph_t graph, int times = 1) {
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < times; ++i) cudaGraphLaunch(executable, one);  // @launches_graph
  // What it does goes on without it.
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

void copy() {
  int there[n];
  for (int& i : there) i = 7;
  cudaEvent_t event;
  cudaEventCreate(&event);
  begin_waiting();
  cudaMemcpyAsync(x, there, bytes, cudaMemcpyHostToDevice, one);
  // Pageable memory is the host's again when the call returns.
  for (int& i : there) i = 8;
  cudaEventRecord(event, one);
  const int is_done = cudaEventQuery(event);
  let_go_on();
  cudaEventSynchronize(event);
  std::printf("%d %d\n", is_done, value());
}

void host_function() {
  int by = 2;
  begin_waiting();
  cudaLaunchHostFunc(one, note_call, &by);
  const int called_then = called;
  let_go_on();
  cudaStreamSynchronize(one);
  std::printf("%d %d\n", called_then, called);
}

void graph(int times) {
  int by = 1;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  const cudaGraphNode_t filled = fill_node(graph, 2), added = add_node(graph, &filled, x, 10);
  cudaGraphNode_t copied, host;
  cudaGraphAddMemcpyNode1D(&copied, graph, &added, 1, pinned, x, bytes, cudaMemcpyDefault);
  const cudaHostNodeParams call = {note_call, &by};
  cudaGraphAddHostNode(&host, graph, &copied, 1, &call);
  begin_waiting();
  launch(graph, times);
  const int called_then = called;
  let_go_on();
  cudaStreamSynchronize(one);
  std::printf("%d %d %d\n", called_then, pinned[n - 1], called);
}

void waits_in_graph(bool ends) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  void* arguments[] = {&flag};
  const cudaGraphNode_t awaited = kernel_node(graph, nullptr, (void*)await, arguments, 1);
  add_node(graph, &awaited, x, 5);
  launch(graph);
  if (ends) let_go_on();
  if (cudaStreamSynchronize(one) == cudaSuccess) std::printf("%d\n", value());
}

void meet_in_graph() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  int* other = flag + 1;
  void *first[] = {&flag, &other}, *second[] = {&other, &flag};
  kernel_node(graph, nullptr, (void*)meet, first, 1);
  kernel_node(graph, nullptr, (void*)meet, second, 1);
  launch(graph);
  cudaStreamSynchronize(one);
  std::printf("%d\n", flag[0] + flag[1]);
}

/// What is allocated behind the kernel is freed there, too.
void memory() {
  int* y;
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  begin_waiting();
  cudaMallocAsync(&y, bytes, one);
  put<<<1, n, 0, one>>>(y, 4);
  cudaMemcpyAsync(x, y, bytes, cudaMemcpyDeviceToDevice, one);
  cudaFreeAsync(y, one);
  unsigned long long used = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  let_go_on();
  cudaStreamSynchronize(one);
  std::printf("%d %d\n", value(), int(used));
}

void graph_memory() {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int* y;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&y, bytes, one);
  put<<<1, n, 0, one>>>(y, 6);
  cudaMemcpyAsync(pinned, y, bytes, cudaMemcpyDeviceToHost, one);
  cudaMemcpyAsync(x, y, bytes, cudaMemcpyDeviceToDevice, one);
  cudaFreeAsync(y, one);
  cudaStreamEndCapture(one, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  begin_waiting();
  cudaGraphLaunch(executable, one);
  const int again = cudaGraphLaunch(executable, one);
  let_go_on();
  cudaStreamSynchronize(one);
  std::printf("%d %d %d\n", pinned[0], value(), again);
}

void other_device() {
  int* far;
  cudaStream_t on_far;
  cudaSetDevice(1);
  cudaMalloc(&far, bytes);
  cudaStreamCreateWithFlags(&on_far, cudaStreamNonBlocking);
  await<<<1, 1, 0, on_far>>>(flag);
  cudaMemsetAsync(far, 0, bytes, on_far);
  add<<<1, n, 0, on_far>>>(far, 8);
  cudaMemcpyPeerAsync(x, 0, far, 1, bytes, on_far);
  cudaSetDevice(0);
  let_go_on();
  cudaStreamSynchronize(on_far);
  std::printf("%d\n", value());
}

void node_beside() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  fill_node(graph, 3);
  begin_waiting();
  launch(graph);
  add<<<1, n, 0, two>>>(x, 1);
  let_go_on();
  cudaDeviceSynchronize();
}

int main(int, char** argv) {
  const auto is = [&](const char* what) { return std::strcmp(argv[1], what) == 0; };
  cudaMallocHost(&flag, 2 * sizeof *flag);
  cudaMallocHost(&pinned, bytes);
  cudaMalloc(&x, bytes);
  flag[0] = flag[1] = 0;
  std::memset(pinned, 0, bytes);
  if (!is("copied_unwritten")) cudaMemset(x, 0, bytes);
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  if (is("copy")) return copy(), 0;
  if (is("host_function")) return host_function(), 0;
  if (is("graph")) return graph(1), 0;
  if (is("graph_twice")) return graph(2), 0;
  if (is("waits_in_graph") || is("graph_nobody")) return waits_in_graph(is("waits_in_graph")), 0;
  if (is("meet_in_graph")) return meet_in_graph(), 0;
  if (is("memory")) return memory(), 0;
  if (is("graph_memory")) return graph_memory(), 0;
  if (is("other_device")) return other_device(), 0;
  if (is("node_beside")) return node_beside(), 0;
  begin_waiting();
  if (is("nobody") || is("waited_copy")) {
    if (is("waited_copy")) {
      cudaMemcpyAsync(&called, x, sizeof called, cudaMemcpyDeviceToHost, one);
      return 0;
    }
    // What is behind the kernel is not done either.
    cudaMemcpyAsync(pinned, x, bytes, cudaMemcpyDeviceToHost, one);
    const int error = cudaDeviceSynchronize();
    std::printf("%d %d\n", error, pinned[0]);
    return 0;
  }
  if (is("fill")) cudaMemsetAsync(x, 0, bytes, one), add<<<1, n, 0, one>>>(x, 3);
  if (is("fill_beside")) cudaMemsetAsync(x, 0, bytes, one);  // @fills_behind
  if (is("fill_beside")) add<<<1, n, 0, two>>>(x, 1);        // @adds_beside
  if (is("copy_beside_queued") || is("after_a_wait")) {
    add<<<1, n, 0, one>>>(x, 1);                                          // @adds_behind
    cudaMemcpyAsync(x, pinned, bytes, cudaMemcpyHostToDevice, two);       // @copies_beside
    if (is("after_a_wait")) cudaStreamSynchronize(two);
  }
  if (is("source_overwritten")) {
    cudaMemcpyAsync(x, pinned, bytes, cudaMemcpyHostToDevice, one);  // @copies_pinned
    pinned[3] = 1;                                                   // @overwrites
  }
  if (is("read_too_early") || is("copied_unwritten")) {
    cudaMemcpyAsync(pinned, x, bytes, cudaMemcpyDeviceToHost, one);  // @copies_back
    if (is("read_too_early") && pinned[3] < 0) return 1;             // @reads_early
  }
  int beyond = 0;
  if (is("beyond")) beyond = cudaMemcpyAsync(x, pinned, bytes + 4, cudaMemcpyHostToDevice, one);  // @copies_beyond
  if (is("used_after_free") || is("freed_twice")) {
    cudaFreeAsync(x, one);                                                                                  // @frees_behind
    if (is("used_after_free")) cudaMemcpyAsync(pinned, x, bytes, cudaMemcpyDeviceToHost, one);  // @copies_freed
    if (is("freed_twice")) cudaFreeAsync(x, one);                                               // @frees_again
  }
  let_go_on();
  cudaDeviceSynchronize();
  if (is("fill")) std::printf("%d\n", value());
  if (is("beyond")) std::printf("%d\n", beyond);
}
