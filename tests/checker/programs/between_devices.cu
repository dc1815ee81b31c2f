// Programs with two devices: copies from one to the other, what one may use of the other, and what orders their work.

// program --devices 2 -- copies
// clean
// prints 3 3 3 3 15
// program --devices 2 -- copies_elsewhere
// finds invalid-copy @names_wrong_device: it says that it copies to device 0: y
// program --devices 2 -- copies_from_host
// finds invalid-copy @copies_from_host
// program --devices 2 -- copies_beyond
// finds invalid-copy @copies_beyond
// program --devices 2 -- copies_a_box_beyond
// finds invalid-copy @copies_a_box_beyond
// program --devices 2 -- without_access
// finds peer-access @adds @launches @allocates of x: x is memory of device 0 and the kernel runs on device 1: cudaDeviceEnablePeerAccess(0, 0) opens it
// prints 700
// program --devices 2 -- with_access
// clean
// prints 0 8
// program --devices 2 -- other_way
// finds peer-access @adds @launches of x
// program --devices 2 -- closed_again
// finds peer-access @adds @launches of x
// program --devices 2 -- atomically
// finds peer-access @adds_atomically of x
// program --devices 2 -- beyond_the_other
// finds out-of-bounds @adds of x
// program --devices 2 -- child
// finds peer-access @adds @launches_child of x
// program --devices 2 -- host_memory
// clean
// prints 5 6 7
// program --devices 2 -- pool
// finds peer-access @adds of x: cudaMemPoolSetAccess opens a pool's memory to device 1
// program --devices 2 -- opened_pool
// clean
// prints 0 3 6
// program --devices 2 -- default_streams
// finds data-race @adds @on_first @on_second of x: they are on different devices
// program --devices 2 -- event_between
// clean
// prints 6
// program --devices 2 -- host_between
// clean
// prints 6
// program --devices 2 -- waits_for_the_other
// finds missing-synchronisation @reads_too_early @on_first
// program --devices 2 -- atomics
// finds data-race @adds_atomically: atomicAdd_system
// program --devices 2 -- system_atomics
// clean
// prints 64
// program --devices 2 -- copy_waits
// clean
// prints 5
// program --devices 2 -- copy_in_stream
// finds data-race @copies_in_stream @launches_first of x: they are on different devices
// program --devices 2 -- copy_after_event
// clean
// prints 5
// program --devices 2 -- captured
// clean
// prints 9
// program --devices 2 -- captured_side_by_side
// finds data-race @adds of x: they are nodes of one graph
// program --devices 2 -- own_default_stream
// clean
// prints 4
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 32;
constexpr size_t bytes = n * sizeof(int);

__global__ void add(int *x, int by) { x[threadIdx.x] += by; }  // @adds
__global__ void add_atomically(int *x) { atomicAdd(x, 1); }    // @adds_atomically
__global__ void add_for_all(int *x) { atomicAdd_system(x, 1); }
__global__ void launch_add(int *x) {
  if (threadIdx.x == 0) add<<<1, n>>>(x, 1);  // @launches_child
}

int first_of(const int *x) {
  int result = -1;
  cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault);
  return result;
}

void copies(const char *mode) {
  int *x, *y, *pinned;
  cudaMalloc(&x, bytes);
  cudaMallocHost(&pinned, bytes);
  std::vector<int> numbers(n, 3);
  cudaMemcpy(x, numbers.data(), bytes, cudaMemcpyHostToDevice);
  cudaSetDevice(1);
  cudaMalloc(&y, bytes);
  if (std::strcmp(mode, "copies_elsewhere") == 0) cudaMemcpyPeer(y, 0, x, 0, bytes);                    // @names_wrong_device
  if (std::strcmp(mode, "copies_from_host") == 0) cudaMemcpyPeer(y, 1, numbers.data(), 0, bytes);       // @copies_from_host
  if (std::strcmp(mode, "copies_beyond") == 0) cudaMemcpyPeerAsync(y, 1, x, 0, bytes + 4);               // @copies_beyond
  cudaMemcpy3DPeerParms box{};
  box.srcPtr = make_cudaPitchedPtr(x, 16, 16, 8);
  box.dstPtr = make_cudaPitchedPtr(y, 16, 16, 8);
  box.dstDevice = 1;
  box.extent = make_cudaExtent(8, std::strcmp(mode, "copies_a_box_beyond") == 0 ? 9 : 2, 1);
  int results[5] = {};
  if (std::strcmp(mode, "copies") == 0) {
    cudaMemcpyPeer(y, 1, x, 0, bytes);
    results[0] = first_of(y);
    cudaMemset(y, 0, bytes);
    cudaMemcpy(y, x, bytes, cudaMemcpyDefault);
    results[1] = first_of(y);
    cudaMemset(y, 0, bytes);
    cudaMemcpyPeerAsync(y, 1, x, 0, bytes);
    cudaMemcpyAsync(pinned, y, bytes, cudaMemcpyDefault);
    cudaStreamSynchronize(nullptr);
    results[2] = pinned[n - 1];
    cudaMemset(y, 0, bytes);
  }
  cudaMemcpy3DPeer(&box);  // @copies_a_box_beyond
  if (std::strcmp(mode, "copies") == 0) {
    results[3] = first_of(y + 4);
    cudaMemcpy(numbers.data(), y, bytes, cudaMemcpyDeviceToHost);
    for (const int v : numbers) results[4] += v;
    std::printf("%d %d %d %d %d\n", results[0], results[1], results[2], results[3], results[4] + results[3]);
  }
  cudaFreeHost(pinned);
  cudaFree(x);
  cudaFree(y);
}

// Memory of device 0, used by a kernel on device 1.
void access(const char *mode) {
  const auto is = [&](const char *one) { return std::strcmp(mode, one) == 0; };
  int *x;
  cudaMalloc(&x, bytes);  // @allocates
  cudaMemset(x, 0, bytes);
  add<<<1, n>>>(x, 5);
  cudaDeviceSynchronize();
  if (is("other_way")) cudaDeviceEnablePeerAccess(1, 0);
  cudaSetDevice(1);
  if (is("with_access") || is("closed_again")) cudaDeviceEnablePeerAccess(0, 0);
  if (is("closed_again")) cudaDeviceDisablePeerAccess(0);
  if (is("beyond_the_other")) {
    cudaDeviceEnablePeerAccess(0, 0);
    add<<<1, n>>>(x + 1, 3);
  } else if (is("atomically")) {
    add_atomically<<<1, n>>>(x);
  } else if (is("child")) {
    launch_add<<<1, n>>>(x);
  } else {
    add<<<1, n>>>(x, 3);  // @launches
  }
  const int waited = cudaDeviceSynchronize();
  if (is("without_access")) std::printf("%d\n", waited);
  if (is("with_access")) std::printf("%d %d\n", waited, first_of(x));
  cudaFree(x);
}

void host_memory() {
  int *managed, *pinned, registered[n] = {};
  cudaMallocManaged(&managed, bytes);
  cudaMallocHost(&pinned, bytes);
  cudaHostRegister(registered, bytes, cudaHostRegisterDefault);
  for (int i = 0; i < n; ++i) managed[i] = 1, pinned[i] = 2, registered[i] = 3;
  cudaSetDevice(1);
  for (int *const x : {managed, pinned, registered}) add<<<1, n>>>(x, 4);
  cudaDeviceSynchronize();
  std::printf("%d %d %d\n", managed[0], pinned[0], registered[n - 1]);
  cudaHostUnregister(registered);
  cudaFreeHost(pinned);
  cudaFree(managed);
}

// What a pool has is not opened by a peer's access.
void pool(bool is_opened) {
  int *x;
  cudaStream_t first, second;
  cudaEvent_t done;
  cudaStreamCreate(&first);
  cudaEventCreate(&done);
  cudaMallocAsync(&x, bytes, first);
  cudaMemsetAsync(x, 0, bytes, first);
  cudaEventRecord(done, first);
  cudaMemPool_t of_first;
  cudaDeviceGetDefaultMemPool(&of_first, 0);
  cudaMemAccessDesc how{};
  how.location = {cudaMemLocationTypeDevice, 1};
  how.flags = cudaMemAccessFlagsProtReadWrite;
  cudaMemAccessFlags before, after;
  cudaMemPoolGetAccess(&before, of_first, &how.location);
  if (is_opened) cudaMemPoolSetAccess(of_first, &how, 1);
  cudaMemPoolGetAccess(&after, of_first, &how.location);
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(0, 0);
  cudaStreamCreate(&second);
  cudaStreamWaitEvent(second, done);
  add<<<1, n, 0, second>>>(x, 6);
  cudaStreamSynchronize(second);
  if (is_opened) std::printf("%d %d %d\n", before, after, first_of(x));
  cudaFree(x);
}

// Kernels of two devices on memory that both reach.
void order(const char *mode) {
  const auto is = [&](const char *one) { return std::strcmp(mode, one) == 0; };
  int *x;
  cudaEvent_t done;
  cudaMallocManaged(&x, bytes);
  cudaEventCreate(&done);
  for (int i = 0; i < n; ++i) x[i] = 0;
  add<<<1, n>>>(x, 2);  // @on_first
  cudaEventRecord(done);
  if (is("host_between")) cudaDeviceSynchronize();
  cudaSetDevice(1);
  if (is("event_between")) cudaStreamWaitEvent(nullptr, done);
  if (is("waits_for_the_other")) {
    cudaDeviceSynchronize();
    std::printf("%d\n", x[0]);  // @reads_too_early
    return;
  }
  add<<<1, n>>>(x, 4);  // @on_second
  cudaDeviceSynchronize();
  if (!is("default_streams")) std::printf("%d\n", x[0]);
  cudaSetDevice(0);
  cudaDeviceSynchronize();
  cudaFree(x);
}

void atomics(bool are_for_all) {
  int *x;
  cudaMallocManaged(&x, bytes);
  x[0] = 0;
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    if (are_for_all) {
      add_for_all<<<1, n>>>(x);
    } else {
      add_atomically<<<1, n>>>(x);
    }
  }
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaDeviceSynchronize();
  }
  if (are_for_all) std::printf("%d\n", x[0]);
  cudaFree(x);
}

// A copy on the default stream comes after what both devices have to do; on another stream it does not.
void copy_after(const char *mode) {
  const auto is = [&](const char *one) { return std::strcmp(mode, one) == 0; };
  int *x, *y;
  cudaStream_t first, second;
  cudaEvent_t done;
  cudaMalloc(&x, bytes);
  cudaMemset(x, 0, bytes);
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaEventCreate(&done);
  cudaDeviceSynchronize();
  add<<<1, n, 0, first>>>(x, 5);  // @launches_first
  cudaEventRecord(done, first);
  cudaSetDevice(1);
  cudaMalloc(&y, bytes);
  cudaStreamCreate(&second);
  if (is("copy_after_event")) cudaStreamWaitEvent(second, done);
  cudaMemcpyPeerAsync(y, 1, x, 0, bytes, is("copy_waits") ? nullptr : second);  // @copies_in_stream
  cudaStreamSynchronize(is("copy_waits") ? nullptr : second);
  if (!is("copy_in_stream")) std::printf("%d\n", first_of(y));
  cudaFree(x);
  cudaFree(y);
}

void captured(bool is_ordered) {
  int *x;
  cudaStream_t first, second;
  cudaEvent_t begun, done, ended;
  cudaMallocManaged(&x, bytes);
  for (int i = 0; i < n; ++i) x[i] = 1;
  cudaStreamCreate(&first);
  cudaEventCreate(&begun);
  cudaEventCreate(&done);
  cudaSetDevice(1);
  cudaStreamCreate(&second);
  cudaEventCreate(&ended);
  cudaSetDevice(0);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaEventRecord(begun, first);
  add<<<1, n, 0, first>>>(x, 2);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, is_ordered ? done : begun);
  cudaSetDevice(1);
  add<<<1, n, 0, second>>>(x, 2);
  // The default stream of neither device is used; that of another device would not matter.
  cudaEventRecord(ended, second);
  cudaStreamWaitEvent(first, ended);
  cudaSetDevice(0);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamEndCapture(first, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, first);
  cudaGraphLaunch(executable, first);
  cudaStreamSynchronize(first);
  if (is_ordered) std::printf("%d\n", x[0]);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(x);
}

// While a stream of device 0 is captured, the default stream of device 1 may be used.
void own_default_stream() {
  int *x, *y;
  cudaStream_t first;
  cudaMalloc(&x, bytes);
  cudaMemset(x, 0, bytes);
  cudaStreamCreate(&first);
  cudaSetDevice(1);
  cudaMalloc(&y, bytes);
  cudaMemset(y, 0, bytes);
  cudaSetDevice(0);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed);
  add<<<1, n, 0, first>>>(x, 2);
  cudaSetDevice(1);
  add<<<1, n>>>(y, 4);
  cudaSetDevice(0);
  cudaGraph_t graph;
  cudaStreamEndCapture(first, &graph);
  cudaGraphDestroy(graph);
  cudaSetDevice(1);
  std::printf("%d\n", first_of(y));
  cudaFree(x);
  cudaFree(y);
}

int main(int, char **words) {
  const auto begins = [&](const char *mode) { return std::strncmp(words[1], mode, std::strlen(mode)) == 0; };
  const auto is = [&](const char *mode) { return std::strcmp(words[1], mode) == 0; };
  if (begins("copies")) copies(words[1]);
  for (const char *const mode : {"without_access", "with_access", "other_way", "closed_again", "atomically", "beyond_the_other", "child"}) {
    if (is(mode)) access(mode);
  }
  if (is("host_memory")) host_memory();
  if (is("pool") || is("opened_pool")) pool(is("opened_pool"));
  for (const char *const mode : {"default_streams", "event_between", "host_between", "waits_for_the_other"}) {
    if (is(mode)) order(mode);
  }
  if (is("atomics") || is("system_atomics")) atomics(is("system_atomics"));
  if (begins("copy_")) copy_after(words[1]);
  if (begins("captured")) captured(is("captured"));
  if (is("own_default_stream")) own_default_stream();
}
