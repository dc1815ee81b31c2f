// Graphs that are made of nodes. The first argument says which.

// program -- edges
// clean
// prints 7 8 16 3
// program -- no_edge
// finds data-race @adds @node_a @node_b @launches of x: no way of dependencies
// program -- copy_without_edge
// finds data-race @adds @node_a @copy_node @launches of x: no way of dependencies
// program -- relaunched
// clean
// prints 40 40
// program -- unwaited
// finds missing-synchronisation @reads_pinned @copy_node of pinned
// program -- beside_a_stream
// finds data-race @adds @node_a @stream_launch of x: different streams
// finds data-race @copy_node @stream_launch of x: different streams
// program -- beyond
// finds out-of-bounds @adds @node_a @launches of x
// program -- freed
// finds use-after-free @adds @node_a @launches @frees
// program -- children
// clean
// prints 12 12
// program -- changed_children
// clean
// prints 2 1 102 910 1 0 102
// program -- captured
// clean
// prints 7 401 0 2 1
// program -- updates
// clean
// prints 5 105 910 2 205 205
// program -- asks
// clean
// prints 4 1 3 1 2 0 1 5 1
// program -- wrong_calls
// clean
// prints 1 1 98 1 1 9
// program -- events
// clean
// prints 3
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 32;
__global__ void add(int* x, int by) { x[threadIdx.x] += by; }  // @adds
__global__ void multiply(int* x, int by) { x[threadIdx.x] *= by; }

int *x, *y, *pinned;
cudaStream_t stream;

static void triple(void* of) { *static_cast<int*>(of) *= 3; }

// Arguments are copied when a node is made: those of the caller are gone before the launch.
cudaKernelNodeParams params(void (*kernel)(int*, int), void** arguments) {
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(kernel);
  p.gridDim = dim3(1);
  p.blockDim = dim3(n);
  p.kernelParams = arguments;
  return p;
}

cudaGraphNode_t add_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, int* to, int by) {
  void* arguments[] = {&to, &by};
  const cudaKernelNodeParams p = params(add, arguments);
  cudaGraphNode_t made;
  cudaGraphAddKernelNode(&made, graph, after.data(), after.size(), &p);  // @node_a
  return made;
}

cudaGraphNode_t copy_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void* to, const void* from) {
  cudaGraphNode_t made;
  cudaGraphAddMemcpyNode1D(&made, graph, after.data(), after.size(), to, from, n * sizeof(int), cudaMemcpyDefault);  // @copy_node
  return made;
}

void launch(cudaGraph_t graph, int times = 1) {
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  for (int i = 0; i < times; ++i) cudaGraphLaunch(executable, stream);  // @launches
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(executable);
}

void edges() {
  int host = 1;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams fill = {};
  fill.dst = x;
  fill.value = 3;
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  cudaGraphNode_t filled, called, empty;
  cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill);
  const cudaGraphNode_t a = add_node(graph, {filled}, x, 4), b = add_node(graph, {}, y, 8);
  const cudaHostNodeParams call = {triple, &host};
  cudaGraphAddHostNode(&called, graph, &b, 1, &call);
  const cudaGraphNode_t both[] = {a, called};
  cudaGraphAddEmptyNode(&empty, graph, both, 2);
  copy_node(graph, {empty}, pinned, x);
  cudaGraphExec_t executable;
  cudaGraphInstantiateWithFlags(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  cudaGraphDestroy(graph);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  int of_y[2];
  cudaMemcpy(&of_y[0], y, sizeof(int), cudaMemcpyDeviceToHost);
  const int first = pinned[n - 1], tripled = host;
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&of_y[1], y, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", first, of_y[0], of_y[1], tripled);
  cudaGraphExecDestroy(executable);
}

void children() {
  cudaGraph_t child, graph;
  cudaGraphCreate(&child, 0);
  const cudaGraphNode_t first = add_node(child, {}, x, 2);
  add_node(child, {first}, x, 2);
  add_node(child, {}, y, 4);
  cudaGraphCreate(&graph, 0);
  const cudaGraphNode_t a = add_node(graph, {}, x, 4);
  cudaGraphNode_t of_child;
  cudaGraphAddChildGraphNode(&of_child, graph, &a, 1, child);
  const cudaGraphNode_t b = add_node(graph, {of_child}, y, 8);
  add_node(graph, {b}, x, 4);
  launch(graph);
  int of_x, of_y;
  cudaMemcpy(&of_x, x, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&of_y, y, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", of_x, of_y);
  cudaGraphDestroy(child);
  cudaGraphDestroy(graph);
}

int value(const int* of) {
  int result = -1;
  cudaMemcpy(&result, of, sizeof(int), cudaMemcpyDeviceToHost);
  return result;
}

void updates() {
  cudaGraph_t graph, other, longer;
  cudaGraphExec_t executable;
  cudaGraphCreate(&graph, 0);
  const cudaGraphNode_t a = add_node(graph, {}, x, 5);
  cudaGraphInstantiate(&executable, graph);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  const int first = value(x);
  int by = 100;
  void* arguments[] = {&x, &by};
  const cudaKernelNodeParams p = params(add, arguments);
  cudaGraphExecKernelNodeSetParams(executable, a, &p);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  const int second = value(x);
  cudaGraphCreate(&longer, 0);
  add_node(longer, {add_node(longer, {}, x, 1)}, x, 1);
  cudaGraphExecUpdateResultInfo info;
  const int failed = cudaGraphExecUpdate(executable, longer, &info);
  const int why = info.result;
  cudaGetLastError();
  cudaGraphClone(&other, graph);
  cudaGraphNode_t of_clone;
  cudaGraphNodeFindInClone(&of_clone, a, other);
  cudaGraphKernelNodeSetParams(of_clone, &p);
  if (cudaGraphExecUpdate(executable, other, &info) != cudaSuccess) return;
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  const int third = value(x);
  cudaGraphNodeSetEnabled(executable, a, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d %d %d %d %d %d\n", first, second, failed, why, third, value(x));
}

cudaGraph_t graph_of(std::vector<int> numbers) {
  cudaGraph_t made;
  cudaGraphCreate(&made, 0);
  std::vector<cudaGraphNode_t> last;
  for (const int by : numbers) last = {add_node(made, last, x, by)};
  return made;
}

void changed_children() {
  const auto launched = [](cudaGraphExec_t executable) {
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    return value(x);
  };
  cudaGraph_t graph, inner;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t of_child;
  cudaGraphAddChildGraphNode(&of_child, graph, nullptr, 0, graph_of({2}));
  const cudaGraphNode_t kernel = add_node(graph, {of_child}, y, 1);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph);
  const int first = launched(executable);
  size_t nodes;
  cudaGraphChildGraphNodeGetGraph(of_child, &inner);
  cudaGraphGetNodes(inner, nullptr, &nodes);
  cudaGraphExecChildGraphNodeSetParams(executable, of_child, graph_of({100}));
  const int second = launched(executable);
  const int longer = cudaGraphExecChildGraphNodeSetParams(executable, of_child, graph_of({1, 1}));
  unsigned before, after;
  cudaGraphNodeGetEnabled(executable, kernel, &before);
  cudaGraphNodeSetEnabled(executable, kernel, 0);
  cudaGraphNodeGetEnabled(executable, kernel, &after);
  cudaGetLastError();
  std::printf("%d %d %d %d %u %u %d\n", first, int(nodes), second, longer, before, after, value(x));
}

// A node beside those that are captured: what is captured next comes after it.
void captured() {
  cudaGraph_t graph;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* last;
  size_t count;
  int by = 2;
  void* arguments[] = {&x, &by};
  const cudaKernelNodeParams p = params(add, arguments);
  cudaGraphNode_t made;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, n, 0, stream>>>(x, 1);
  cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, &last, &count);
  cudaGraphAddKernelNode(&made, graph, last, count, &p);
  cudaStreamUpdateCaptureDependencies(stream, &made, 1, cudaStreamSetCaptureDependencies);
  add<<<1, n, 0, stream>>>(x, 4);
  // A thread that has said so may allocate while a stream is captured.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  const int of_thread = mode;
  int* more = nullptr;
  cudaMalloc(&more, sizeof(int));
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaStreamEndCapture(stream, &graph);
  launch(graph);
  const int none = cudaStreamUpdateCaptureDependencies(stream, &made, 1);
  cudaGetLastError();
  std::printf("%d %d %d %d %d\n", value(x), none, of_thread, int(mode), more != nullptr);
  cudaFree(more);
}

void asks() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  const cudaGraphNode_t a = add_node(graph, {}, x, 1), b = add_node(graph, {a}, x, 2), c = add_node(graph, {a}, y, 3);
  const cudaGraphNode_t copy = copy_node(graph, {b}, pinned, x);
  size_t nodes, roots, edges, before = 4, behind;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
  cudaGraphNode_t of_b[4];
  cudaGraphNodeGetDependencies(b, of_b, &before);
  cudaGraphNodeGetDependentNodes(a, nullptr, &behind);
  cudaGraphNodeType kernel, copies;
  cudaGraphNodeGetType(c, &kernel);
  cudaGraphNodeGetType(copy, &copies);
  cudaGraphAddDependencies(graph, &c, &copy, 1);
  size_t more;
  cudaGraphGetEdges(graph, nullptr, nullptr, &more);
  cudaGraphRemoveDependencies(graph, &c, &copy, 1);
  cudaGraphDestroyNode(c);
  cudaKernelNodeParams known;
  cudaGraphKernelNodeGetParams(b, &known);
  std::printf("%d %d %d %d %d %d %d %d %d\n", int(nodes), int(roots), int(edges), int(before), int(behind), int(kernel),
              int(copies), int(more) + *static_cast<int*>(known.kernelParams[1]) - 1, of_b[0] == a);
}

void wrong_calls() {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphCreate(&graph, 0);
  const cudaGraphNode_t a = add_node(graph, {}, x, 1), b = add_node(graph, {a}, x, 2);
  cudaGraphAddDependencies(graph, &b, &a, 1);
  const int circle = cudaGraphInstantiate(&executable, graph);
  const int twice = cudaGraphAddDependencies(graph, &b, &a, 1);
  cudaKernelNodeParams p = params(add, nullptr);
  cudaGraphNode_t made;
  p.func = &p;
  const int no_kernel = cudaGraphAddKernelNode(&made, graph, nullptr, 0, &p);
  p.func = reinterpret_cast<void*>(add);
  const int no_arguments = cudaGraphAddKernelNode(&made, graph, nullptr, 0, &p);
  const int no_executable = cudaGraphLaunch(nullptr, stream);
  p.blockDim = dim3(2048);
  const int too_large = cudaGraphAddKernelNode(&made, graph, nullptr, 0, &p);
  std::printf("%d %d %d %d %d %d\n", circle, twice, no_kernel, no_arguments, no_executable, too_large);
  cudaGetLastError();
}

// A node records an event that another stream waits for.
void events() {
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  const cudaGraphNode_t a = add_node(graph, {}, x, 1);
  cudaGraphNode_t recorded;
  cudaGraphAddEventRecordNode(&recorded, graph, &a, 1, event);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph);
  cudaGraphLaunch(executable, stream);
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamWaitEvent(other, event);
  add<<<1, n, 0, other>>>(x, 2);
  cudaStreamSynchronize(other);
  std::printf("%d\n", value(x));
}

int main(int, char** argv) {
  const auto is = [&](const char* what) { return std::strcmp(argv[1], what) == 0; };
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n * sizeof(int));
  cudaMallocHost(&pinned, n * sizeof(int));
  cudaMemset(x, 0, n * sizeof(int));
  cudaMemset(y, 0, n * sizeof(int));
  std::memset(pinned, 0, n * sizeof(int));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  if (is("edges")) edges();
  if (is("no_edge")) {
    const cudaGraphNode_t a = add_node(graph, {}, y, 1);
    add_node(graph, {a}, x, 1);
    int* to = x;
    int by = 2;
    void* arguments[] = {&to, &by};
    const cudaKernelNodeParams p = params(multiply, arguments);
    cudaGraphNode_t made;
    cudaGraphAddKernelNode(&made, graph, &a, 1, &p);  // @node_b
    launch(graph);
  }
  if (is("copy_without_edge")) {
    copy_node(graph, {}, pinned, x);
    add_node(graph, {}, x, 1);
    launch(graph);
  }
  if (is("relaunched")) {
    add_node(graph, {}, x, 10);
    add_node(graph, {}, y, 10);
    launch(graph, 4);
    std::printf("%d %d\n", value(x), value(y));
  }
  if (is("unwaited") || is("beside_a_stream")) {
    const cudaGraphNode_t a = add_node(graph, {}, x, 1);
    copy_node(graph, {a}, pinned, x);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph);
    cudaStream_t other;
    cudaStreamCreate(&other);
    if (is("beside_a_stream")) add<<<1, n, 0, other>>>(x, 1);  // @stream_launch
    cudaGraphLaunch(executable, stream);
    if (is("unwaited") && pinned[3] < 0) return 1;  // @reads_pinned
    cudaDeviceSynchronize();
  }
  if (is("beyond")) {
    add_node(graph, {}, x + 1, 1);
    launch(graph);
  }
  if (is("freed")) {
    add_node(graph, {}, y, 1);
    cudaFree(y);  // @frees
    launch(graph);
  }
  if (is("children")) children();
  if (is("changed_children")) changed_children();
  if (is("captured")) captured();
  if (is("updates")) updates();
  if (is("asks")) asks();
  if (is("wrong_calls")) wrong_calls();
  if (is("events")) events();
}
