// Kernels that wait for the host, or for a kernel on another stream or device. They keep running meanwhile.

// program -- host
// clean
// prints 1
// program -- host_behind
// clean
// prints 12
// program -- host_asks
// clean
// prints 20
// program -- host_polls
// clean
// prints 600 600 0 0
// program -- stream
// clean
// prints 1
// program -- streams
// clean
// prints 10 9
// program -- streams_in_blocks
// clean
// prints 10 9
// program --devices 2 -- devices
// clean
// prints 10 9
// program -- streams_plainly
// finds data-race @reads_other @writes_own of values
// program --devices 2 -- devices_of_one
// finds data-race @counts_on_device of arrived
// program -fopenmp -- threads
// clean
// prints 10 9
// program -- nobody
// finds deadlock @awaits @launches_await of flag: wait for something that none of them does
// prints 702
// program -- each_other
// finds deadlock @awaits_second
// program -- never_waited_for
// finds deadlock @awaits
// program -- after_it_alone
// finds deadlock @awaits of flag
// program -- thread_that_computes
// clean
// prints 1
// program -- threads_that_wait
// finds deadlock @awaits @launches_await of flag: wait for something that none of them does
// prints 702
#include <cooperative_groups.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

__global__ void await(volatile int* flag, int* out) {
  while (*flag == 0) {  // @awaits
  }
  *out = 1;
}
__global__ void set(volatile int* flag) { *flag = 1; }
__global__ void add(int* x, int by) { *x += by; }
__global__ void answer(volatile int* asked, volatile int* answered, int rounds) {
  for (int i = 1; i <= rounds; ++i) {
    while (*asked != i) {
    }
    *answered = 2 * i;
  }
}
__global__ void await_second(volatile int* own, volatile int* other) {
  while (*other == 0) {  // @awaits_second
  }
  *own = 1;
}

constexpr int rounds = 10;
template <bool OfSystem>
__device__ void meet(int* arrived, int parts) {
  __threadfence_system();
  if constexpr (OfSystem) {
    atomicAdd_system(arrived, 1);
  } else {
    atomicAdd(arrived, 1);  // @counts_on_device
  }
  while (*static_cast<volatile int*>(arrived) < parts) {
  }
  __threadfence_system();
}
/// Two launches give one another their values, and add one to what they get.
template <bool OfSystem, bool Meets = true>
__global__ void exchange(int* arrived, int* values, int rank) {
  const auto grid = cooperative_groups::this_grid();
  int value = rank;
  for (int round = 0; round < rounds; ++round) {
    if (grid.thread_rank() == 0) {
      values[rank] = value;  // @writes_own
      if (Meets) meet<OfSystem>(&arrived[2 * round], 2);
    }
    grid.sync();
    // Its threads read what one of them has waited for.
    value = values[1 - rank] + 1;  // @reads_other
    grid.sync();
    if (grid.thread_rank() == 0 && Meets) meet<OfSystem>(&arrived[2 * round + 1], 2);
  }
}

int *arrived, *values;
template <bool OfSystem, bool Meets>
void launch(int rank, cudaStream_t stream, int blocks) {
  void* arguments[] = {&arrived, &values, &rank};
  cudaLaunchCooperativeKernel((void*)exchange<OfSystem, Meets>, blocks, 32, arguments, 0, stream);
}

/// The other thread computes, and then sets the flag, or it waits for this one.
int wait_beside_a_thread(volatile int* flag, bool computes) {
  std::mutex mutex;
  std::condition_variable condition;
  bool is_over = false;
  std::thread other([&] {
    using clock = std::chrono::steady_clock;
    const auto until = clock::now() + std::chrono::milliseconds(3500);
    while (computes && clock::now() < until) {
    }
    if (computes) *flag = 1;
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [&] { return is_over; });
  });
  const int error = cudaDeviceSynchronize();
  {
    const std::lock_guard<std::mutex> lock(mutex);
    is_over = true;
  }
  condition.notify_one();
  other.join();
  return error;
}

void host_behind(int* flag, int* out, cudaStream_t one, cudaStream_t two) {
  for (int i = 0; i < 10; ++i) add<<<1, 1, 0, one>>>(out, 1);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventRecord(event, one);
  cudaStreamWaitEvent(two, event, 0);
  add<<<1, 1, 0, two>>>(out, 1);
  *static_cast<volatile int*>(flag) = 1;
  cudaStreamSynchronize(two);
  cudaEventDestroy(event);
}

void host_polls(int* flag, int* out, cudaStream_t stream) {
  cudaEvent_t before, after;
  cudaEventCreate(&before);
  cudaEventCreate(&after);
  cudaEventRecord(before, stream);
  await<<<1, 1, 0, stream>>>(flag, out);
  cudaEventRecord(after, stream);
  const int of_stream = cudaStreamQuery(stream), of_event = cudaEventQuery(after), of_first = cudaEventQuery(before);
  *static_cast<volatile int*>(flag) = 1;
  std::printf("%d %d %d %d\n", of_stream, of_event, of_first, cudaStreamQuery(stream));
}

void host_asks(int* flag, cudaStream_t stream) {
  volatile int *const asked = flag, *const answered = flag + 1;
  answer<<<1, 1, 0, stream>>>(flag, flag + 1, 10);
  for (int i = 1; i <= 10; ++i) {
    *asked = i;
    while (*answered != 2 * i) {
    }
  }
  cudaStreamSynchronize(stream);
  std::printf("%d\n", *answered);
}

int main(int, char** argv) {
  const auto is = [&](const char* mode) { return std::strcmp(argv[1], mode) == 0; };
  int *flag, *out, result = -1;
  cudaMallocManaged(&arrived, 2 * rounds * sizeof *arrived);
  cudaMallocManaged(&values, 2 * sizeof *values);
  cudaMallocHost(&flag, 2 * sizeof *flag);
  cudaMalloc(&out, sizeof *out);
  std::memset(arrived, 0, 2 * rounds * sizeof *arrived);
  std::memset(values, 0, 2 * sizeof *values);
  flag[0] = flag[1] = 0;
  cudaMemset(out, 0, sizeof *out);
  cudaDeviceSynchronize();
  volatile int* const strong = flag;
  cudaStream_t one, two;
  const bool are_two = std::strncmp(argv[1], "devices", 7) == 0;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  if (are_two) cudaSetDevice(1);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaSetDevice(0);

  if (is("host") || is("nobody") || is("never_waited_for") || is("host_behind") || is("stream") ||
      is("after_it_alone") || is("thread_that_computes") || is("threads_that_wait"))
    await<<<1, 1, 0, one>>>(flag, out);  // @launches_await
  if (is("host")) *strong = 1;
  if (is("stream")) set<<<1, 1, 0, two>>>(flag);
  if (is("after_it_alone")) set<<<1, 1, 0, one>>>(flag);
  if (is("host_behind")) host_behind(flag, out, one, two);
  if (is("host_polls")) return host_polls(flag, out, one), 0;
  if (is("host_asks")) return host_asks(flag, one), 0;
  if (is("each_other")) {
    await_second<<<1, 1, 0, one>>>(flag, flag + 1);
    await_second<<<1, 1, 0, two>>>(flag + 1, flag);
  }
  if (std::strncmp(argv[1], "streams", 7) == 0 || are_two) {
    const int blocks = is("streams_in_blocks") ? 4 : 1;
    for (int rank = 0; rank < 2; ++rank) {
      if (are_two) cudaSetDevice(rank);
      const cudaStream_t stream = rank == 0 ? one : two;
      if (is("streams_plainly")) {
        launch<true, false>(rank, stream, blocks);
      } else if (is("devices_of_one")) {
        launch<false, true>(rank, stream, blocks);
      } else {
        launch<true, true>(rank, stream, blocks);
      }
    }
  }
  if (is("threads")) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int rank = 0; rank < 2; ++rank) {
      launch<true, true>(rank, rank == 0 ? one : two, 1);
      cudaStreamSynchronize(rank == 0 ? one : two);
    }
#endif
  }
  if (is("never_waited_for")) return 0;
  if (is("thread_that_computes") || is("threads_that_wait")) {
    const int error = wait_beside_a_thread(flag, is("thread_that_computes"));
    if (error != 0) std::printf("%d\n", error);
    if (error != 0) return 0;
  }
  for (int device = are_two ? 1 : 0; device >= 0; --device) {
    cudaSetDevice(device);
    const int error = cudaDeviceSynchronize();
    if (is("nobody")) std::printf("%d\n", error);
    if (error != 0) return 0;
  }
  if (values[0] != 0) {
    std::printf("%d %d\n", values[0], values[1]);
  } else {
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("%d\n", result);
  }
  return 0;
}
