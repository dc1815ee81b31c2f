// Streams, events, pinned memory and asynchronous copies.

// program --leak-check -- right
// clean
// prints 3 3 6 12 called
// program -- unwaited_copy
// finds missing-synchronisation @reads_h @copies_back
// program -- reused_too_early
// finds missing-synchronisation @writes_h @copies_there
// program -- waits_for_the_other
// finds missing-synchronisation @reads_h @copies_back
// program -- waits_for_an_event
// clean
// program -- waits_for_an_early_event
// finds missing-synchronisation @reads_h @copies_back
// program -- pageable
// clean
// program -- zero_copy
// finds missing-synchronisation @reads_mapped @adds_mapped
// program -- default_stream
// clean
// program -- beyond
// finds out-of-bounds @beyond
// program -- filled
// clean
// program -- filled_asynchronously
// finds missing-synchronisation @reads_filled @fills
// program -- ends_stream
// clean
// program -- registered
// clean
// prints 4 4
// program -- wrong_free
// finds invalid-free @wrong_free
// program -- errors
// clean
// prints 400 400 400 1 0

#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

__global__ void add(int *x, int what, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += what;
}

static void callback(void *said) { std::strcpy((char *)said, "called"); }

constexpr int n = 64;
constexpr size_t bytes = n * sizeof(int);

bool another_thread_copies(int *to, const int *from) {
  std::atomic<unsigned long> threads{0};
  const auto shared = std::make_shared<std::atomic<bool>>(false);
  std::thread([&, to, from, shared] {
    cudaMemcpy(to, from, sizeof(int), cudaMemcpyDefault);
    ++threads;
    shared->store(true);
  }).join();
  return threads == 1 && *shared && shared.use_count() == 1;
}

void registered() {
  int *own = (int *)std::malloc(bytes);
  for (int i = 0; i < n; ++i) own[i] = 1;
  cudaHostRegister(own, bytes, cudaHostRegisterDefault);
  add<<<2, 32>>>(own, 3, n);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", own[0], own[63]);
  cudaHostUnregister(own);
  std::free(own);
}

// The copy on the default stream waits for the stream that is destroyed.
void ends_stream(int *d_mapped, const int *d) {
  cudaStream_t brief;
  cudaStreamCreate(&brief);
  add<<<2, 32, 0, brief>>>(d_mapped, 1, n);
  cudaStreamDestroy(brief);
  int there;
  cudaMemcpy(&there, d, sizeof(int), cudaMemcpyDeviceToHost);
}

void errors(cudaStream_t gone, cudaEvent_t early, cudaEvent_t end) {
  float milliseconds;
  cudaStreamDestroy(gone);
  const int a = cudaStreamSynchronize(gone), b = cudaEventElapsedTime(&milliseconds, early, end),
            c = cudaEventRecord(end, gone);
  const bool was_error = cudaGetLastError() != cudaSuccess;
  std::printf("%d %d %d %d %d\n", a, b, c, was_error, cudaPeekAtLastError());
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  int *h, *mapped, *d, *d_mapped, *e;
  cudaMallocHost((void **)&h, bytes);
  cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&d_mapped, mapped, 0);
  cudaMalloc(&d, bytes);
  cudaMallocAsync(&e, bytes, 0);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEvent_t begin, end, early;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventCreateWithFlags(&early, cudaEventDisableTiming);
  for (int i = 0; i < n; ++i) h[i] = mapped[i] = 1;

  cudaEventRecord(begin, one);
  cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, one);  // @copies_there
  if (is("reused_too_early")) h[3] = 7;                       // @writes_h
  cudaEventRecord(early, one);
  add<<<2, 32, 0, one>>>(d, 2, n);
  cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, one);  // @copies_back
  cudaEventRecord(end, one);
  if (is("waits_for_the_other")) cudaStreamSynchronize(two);
  if (is("waits_for_an_event")) cudaEventSynchronize(end);
  if (is("waits_for_an_early_event")) cudaEventSynchronize(early);
  const bool waits = is("unwaited_copy") || is("waits_for_the_other") || is("waits_for_an_event") ||
                     is("waits_for_an_early_event");
  if (is("default_stream")) {
    // What is on the default stream comes after what is on others, and a copy to the host waits for it.
    cudaMemcpy(mapped, d, bytes, cudaMemcpyDeviceToHost);
  } else if (!waits) {
    cudaStreamSynchronize(one);
  }
  const int first = h[0];  // @reads_h
  if (is("pageable")) {
    int there[4] = {};
    cudaMemcpyAsync(there, d, sizeof there, cudaMemcpyDeviceToHost, one);
    if (there[2] != 3) return 1;
  }
  add<<<2, 32, 0, two>>>(d_mapped, 5, n);  // @adds_mapped
  if (!is("zero_copy")) cudaStreamSynchronize(two);
  const int sixth = mapped[5];  // @reads_mapped
  cudaStreamWaitEvent(two, end, 0);
  add<<<2, 32, 0, two>>>(d, 9, n);
  cudaMemsetAsync(e, 0, bytes, two);
  char said[8] = "";
  cudaLaunchHostFunc(two, callback, said);
  cudaStreamQuery(two);
  int twelve;
  cudaDeviceSynchronize();
  if (!another_thread_copies(&twelve, d + 1)) return 1;
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, begin, end);
  if (is("right")) std::printf("%d %d %d %d %s\n", first, h[63], sixth, twelve, said);
  if (milliseconds < 0) return 1;
  if (is("beyond")) h[n] = 1;  // @beyond
  if (is("filled")) cudaMemset(mapped, 0, bytes);
  if (is("filled_asynchronously")) cudaMemsetAsync(mapped, 0, bytes);  // @fills
  if (mapped[7] < 0) return 1;                                         // @reads_filled
  if (is("ends_stream")) ends_stream(d_mapped, d);
  if (is("ends_stream") && mapped[0] < 0) return 1;
  if (is("registered")) registered();
  if (is("errors")) return errors(one, early, end), 0;
  if (is("wrong_free")) cudaFree(h);  // @wrong_free
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaEventDestroy(early);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(d);
  cudaFreeAsync(e, 0);
  cudaFreeHost(h);
  cudaFreeHost(mapped);
}
