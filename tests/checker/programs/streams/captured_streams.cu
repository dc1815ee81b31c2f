// Streams that are captured into graphs. The first argument says what is done with them.

// program -- right
// clean
// prints 6 12 done 0 1
// program -- fork_without_join
// finds invalid-capture @ends_unjoined: record an event
// program -- without_fork
// finds data-race @adds @first_add @second_add @launches_race of x: no way of dependencies
// program -- waits
// finds invalid-capture @waits: nothing on it runs
// program -- allocates
// finds invalid-capture @allocates: cudaStreamCaptureModeRelaxed
// program -- allocates_relaxed
// clean
// program -- default_stream
// finds invalid-capture @copies: cudaStreamNonBlocking
// program -- foreign_event
// finds invalid-capture @waits_foreign: outside of the capture
// program -- destroys_joined
// clean
// program -- destroys_unjoined
// finds invalid-capture @destroys: the host destroys
// program -- asks_for_errors
// clean
// prints 900 901 900 400 401
// program -- calls_by_template
// clean
// prints 3.5 4 3
// program -- twice
// clean
// prints 1 2 8
// program -- lambda
// clean
// prints 9
#include <cstdio>
#include <cstring>

constexpr int n = 32;
__global__ void add(int* x, int by) { x[threadIdx.x] += by; }  // @adds
template <class T>
__global__ void put(T* to, T what, int more = 3) {
  to[threadIdx.x] = what;
  if (threadIdx.x == 1) to[1] = static_cast<T>(more);
}
struct pair {
  float a;
  int b[5];
};
__global__ void put_pair(float* to, pair what) { to[threadIdx.x] = what.a + what.b[4]; }

int *x, *y, *h;
cudaStream_t a, b;
cudaEvent_t fork_event, join;
char said[8] = "";
static void say(void*) { std::strcpy(said, "done"); }

cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  return executable;
}

void right() {
  cudaGraph_t graph;
  cudaStreamCaptureStatus before, during;
  cudaStreamIsCapturing(a, &before);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaStreamIsCapturing(a, &during);
  cudaMemsetAsync(x, 0, n * sizeof(int), a);
  cudaEventRecord(fork_event, a);
  cudaStreamWaitEvent(b, fork_event);
  for (int i = 1; i < 4; ++i) add<<<1, n, 0, a>>>(x, i);
  add<<<1, n, 0, b>>>(y, 6);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join);
  cudaMemcpyAsync(h, x, n * sizeof(int), cudaMemcpyDeviceToHost, a);
  cudaLaunchHostFunc(a, say, nullptr);
  cudaStreamEndCapture(a, &graph);
  if (said[0] != 0) return;
  const cudaGraphExec_t executable = instantiate(graph);
  cudaGraphLaunch(executable, a);
  cudaGraphLaunch(executable, a);
  cudaStreamSynchronize(a);
  int of_y;
  cudaMemcpy(&of_y, y, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d %s %d %d\n", h[5], of_y, said, before, during);
}

void without_fork() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(fork_event, a);
  cudaStreamWaitEvent(b, fork_event);
  add<<<1, n, 0, a>>>(x, 1);  // @first_add
  add<<<1, n, 0, b>>>(x, 2);  // @second_add
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join);
  cudaStreamEndCapture(a, &graph);
  cudaGraphLaunch(instantiate(graph), a);  // @launches_race
  cudaStreamSynchronize(a);
}

void by_template() {
  float* f;
  cudaMalloc(&f, n * sizeof(float));
  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  for (float what = 3.5f; what > 0; what = 0) put<<<1, n, 0, a>>>(f, what);
  {
    pair p{1, {0, 0, 0, 0, 3}};
    put_pair<<<1, 1, 0, a>>>(f + 2, p);
    p.a = 9;
  }
  cudaStreamEndCapture(a, &graph);
  cudaGraphLaunch(instantiate(graph), a);
  float back[3];
  cudaMemcpyAsync(back, f, sizeof back, cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(a);
  std::printf("%g %g %g\n", back[0], back[2], back[1]);
}

// A graph that is launched on a captured stream becomes part of what is captured.
void twice() {
  cudaGraph_t graph, outer;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  add<<<1, n, 0, a>>>(x, 4);
  cudaStreamEndCapture(a, &graph);
  const cudaGraphExec_t inner = instantiate(graph);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal);
  cudaGraphLaunch(inner, b);
  cudaGraphLaunch(inner, b);
  size_t captured;
  cudaStreamCaptureStatus status;
  cudaStreamGetCaptureInfo_v2(b, &status, nullptr, &outer, nullptr, nullptr);
  cudaGraphGetNodes(outer, nullptr, &captured);
  cudaStreamEndCapture(b, &outer);
  cudaGraphLaunch(instantiate(outer), b);
  cudaStreamSynchronize(b);
  int of_x;
  cudaMemcpy(&of_x, x, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", status, int(captured), of_x);
}

void asks_for_errors() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  const int waits = cudaStreamQuery(a), ends = cudaStreamEndCapture(a, &graph);
  cudaGetLastError();
  const int of_default = cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
  cudaGetLastError();
  const int of_none = cudaStreamBeginCapture(reinterpret_cast<cudaStream_t>(h), cudaStreamCaptureModeGlobal);
  std::printf("%d %d %d %d %d\n", waits, ends, of_default, of_none, int(cudaStreamEndCapture(b, &graph)));
  cudaGetLastError();
}

void by_a_pointer() {
  cudaGraph_t graph;
  const int by = 9;
  void (*kernel)(int*, int) = add;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  kernel<<<1, n, 0, a>>>(x, by);
  cudaStreamEndCapture(a, &graph);
  cudaGraphLaunch(instantiate(graph), a);
  int back;
  cudaMemcpy(&back, x, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%d\n", back);
}

int main(int, char** argv) {
  const auto is = [&](const char* what) { return std::strcmp(argv[1], what) == 0; };
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n * sizeof(int));
  cudaMallocHost(&h, n * sizeof(int));
  cudaMemset(x, 0, n * sizeof(int));
  cudaMemset(y, 0, n * sizeof(int));
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&fork_event);
  cudaEventCreate(&join);
  cudaDeviceSynchronize();
  cudaGraph_t graph = nullptr;
  if (is("right")) right();
  if (is("without_fork")) without_fork();
  if (is("calls_by_template")) by_template();
  if (is("twice")) twice();
  if (is("fork_without_join")) {
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork_event, a);
    cudaStreamWaitEvent(b, fork_event);
    add<<<1, n, 0, b>>>(x, 2);
    cudaStreamEndCapture(a, &graph);  // @ends_unjoined
  }
  if (is("destroys_joined") || is("destroys_unjoined")) {
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork_event, a);
    cudaStreamWaitEvent(b, fork_event);
    add<<<1, n, 0, b>>>(x, 2);
    cudaEventRecord(join, b);
    if (is("destroys_joined")) cudaStreamWaitEvent(a, join);
    cudaStreamDestroy(b);  // @destroys
    cudaStreamEndCapture(a, &graph);
    if (graph != nullptr) cudaGraphLaunch(instantiate(graph), a);
    cudaStreamSynchronize(a);
    return 0;
  }
  if (is("waits")) {
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    add<<<1, n, 0, a>>>(x, 2);
    cudaStreamSynchronize(a);  // @waits
    cudaStreamEndCapture(a, &graph);
  }
  if (is("allocates") || is("allocates_relaxed")) {
    cudaStreamBeginCapture(a, is("allocates") ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeRelaxed);
    int* more;
    cudaMalloc(&more, 16);  // @allocates
    cudaStreamEndCapture(a, &graph);
  }
  if (is("default_stream")) {
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaMemcpy(h, x, sizeof(int), cudaMemcpyDeviceToHost);  // @copies
    cudaStreamEndCapture(a, &graph);
  }
  if (is("foreign_event")) {
    cudaEventRecord(join, b);
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaStreamWaitEvent(a, join);  // @waits_foreign
    cudaStreamEndCapture(a, &graph);
  }
  if (is("asks_for_errors")) asks_for_errors();
  if (is("lambda")) by_a_pointer();
}
