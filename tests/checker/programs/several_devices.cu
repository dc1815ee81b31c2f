// Programs that find several devices: what is known of each, and what each has of its own.

// program -- count
// clean
// prints 1 0 101
// program --devices 3 -- count
// clean
// prints 3 0 0
// program --devices 2 -- facts
// clean
// prints 0 1 0000:01:00.0 1 101 101 101
// prints 0 1 1 0 101
// program --devices 2 -- memory
// clean
// prints 1048576 0 1 1 0 1
// prints 4096 8388608
// prints -2
// program --devices 2 -- variables
// clean
// prints 10 21 10 21 7
// prints 42 41 1 4
// program --devices 2 -- one_of_its_own
// clean
// prints 8 18
// program --devices 2 -- read_only
// finds out-of-bounds @writes_factor of factor
// program --devices 2 -- wrong_symbol
// finds host-access @reads_counter
// program --devices 2 -- threads
// clean
// prints 1 0 100 200
// program --devices 2 -- errors
// clean
// prints 101 0 101 101 1 704 705 101
// prints 400 400 400 0 0
// program --devices 2 -- foreign_stream
// finds unchecked-error @launches_elsewhere: its stream is of device 1 and device 0 is present: call cudaSetDevice(1) before
// program --devices 2 -- reset
// finds use-after-free @uses_reset @allocates_one: 128 bytes to y
// prints 5
// program --devices 2 -- heap
// clean
// prints 3 4
// program --devices 2 -- advice
// clean
// prints 1 0 -2 101
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <thread>

__device__ int counter = 7;
__constant__ int factor = 1;
__managed__ int shared_by_all;
__device__ int table[4] = {1, 2, 3, 4};

__global__ void add(int *x, int by) { x[threadIdx.x] += by; }
__global__ void scale_counter() { counter *= factor; }
__global__ void add_to_counter(int *by_address) {
  *by_address += 1;
  counter += 1;
}
__global__ void read_table(const int *of_another, int *sum) { *sum = of_another[0] + table[1]; }
__global__ void write_factor(int *factor_by_address) { *factor_by_address = 3; }  // @writes_factor

__device__ int *kept;
__global__ void keep(int value) {
  kept = new int;
  *kept = value;
}
__global__ void take(int *into) {
  *into = *kept;
  delete kept;
}

int *device_memory(int device, int n, int value) {
  int *made;
  cudaSetDevice(device);
  cudaMalloc(&made, n * sizeof(int));
  cudaMemset(made, 0, n * sizeof(int));
  add<<<1, n>>>(made, value);
  return made;
}
int first_of(const int *x) {
  int result = -1;
  cudaMemcpy(&result, x, sizeof result, cudaMemcpyDefault);
  return result;
}

void facts() {
  int major = 0, again = -1, can[4];
  char id[16];
  cudaDeviceProp p;
  const int right = cudaGetDeviceProperties(&p, 1);
  cudaDeviceGetPCIBusId(id, sizeof id, 1);
  cudaDeviceGetByPCIBusId(&again, id);
  const int wrong = cudaGetDeviceProperties(&p, 2);
  const int attribute = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 2);
  const int negative = cudaSetDevice(-1);
  std::printf("%d %d %s %d %d %d %d\n", right, p.pciBusID, id, again, wrong, attribute, negative);
  for (int i = 0; i < 4; ++i) cudaDeviceCanAccessPeer(&can[i], i / 2, i % 2);
  int supported = 0;
  cudaDeviceGetP2PAttribute(&supported, cudaDevP2PAttrAccessSupported, 0, 1);
  const int no_device = cudaDeviceCanAccessPeer(&can[0], 0, 2);
  std::printf("%d %d %d %d %d\n", can[0], can[1], supported & can[2], can[3], no_device);
  cudaGetLastError();
}

void memory() {
  size_t free_before[2], free_after[2], total;
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaMemGetInfo(&free_before[d], &total);
  }
  int *x = nullptr;
  cudaMalloc(&x, 1 << 20);
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaMemGetInfo(&free_after[d], &total);
  }
  cudaPointerAttributes of_x, of_managed, of_host;
  int *managed, own = 0;
  cudaMallocManaged(&managed, sizeof *managed);
  cudaPointerGetAttributes(&of_x, x);
  cudaPointerGetAttributes(&of_managed, managed);
  cudaSetDevice(0);
  int *y;
  cudaMalloc(&y, sizeof *y);
  cudaPointerAttributes of_y;
  cudaPointerGetAttributes(&of_y, y);
  std::printf("%zu %zu %d %d %d %d\n", free_before[1] - free_after[1], free_before[0] - free_after[0], of_x.device,
              of_managed.device, of_y.device, free_before[0] == free_before[1]);
  size_t limits[2];
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4096);
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaDeviceGetLimit(&limits[d], cudaLimitMallocHeapSize);
  }
  std::printf("%zu %zu\n", limits[0], limits[1]);
  cudaPointerGetAttributes(&of_host, &own);
  std::printf("%d\n", of_host.device);
  cudaFree(x);
  cudaFree(y);
  cudaFree(managed);
}

// What a device's symbol holds no other device sees.
void variables() {
  int values[2], read[2];
  int *addresses[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    const int start = d + 1, by = d == 0 ? 10 : 21;
    cudaMemcpyToSymbol(counter, &start, sizeof start);
    cudaMemcpyToSymbol(factor, &by, sizeof by);
    cudaGetSymbolAddress(reinterpret_cast<void **>(&addresses[d]), counter);
  }
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    if (d == 1) {
      const int one = 1;
      cudaMemcpyToSymbol(counter, &one, sizeof one);
    }
    scale_counter<<<1, 1>>>();
    cudaMemcpyFromSymbol(&values[d], counter, sizeof(int));
  }
  // By their addresses from either device.
  for (int d = 0; d < 2; ++d) cudaMemcpy(&read[d], addresses[d], sizeof(int), cudaMemcpyDeviceToHost);
  int first;
  cudaSetDevice(0);
  cudaMemcpyFromSymbol(&first, counter, sizeof first);
  shared_by_all = 7;
  std::printf("%d %d %d %d %d\n", values[0], values[1], read[0], read[1], shared_by_all);
  // A copy between the two, and a kernel that uses the other's.
  const int numbers[] = {40, 41, 42, 43};
  cudaMemcpyToSymbol(table, numbers, sizeof numbers);
  int *of_first, *of_second, *sum;
  cudaGetSymbolAddress(reinterpret_cast<void **>(&of_first), table);
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(0, 0);
  cudaGetSymbolAddress(reinterpret_cast<void **>(&of_second), table);
  cudaMalloc(&sum, sizeof *sum);
  read_table<<<1, 1>>>(of_first, sum);
  const int result = first_of(sum);
  cudaMemcpyPeer(of_second, 1, of_first + 1, 0, sizeof(int));
  int second[4];
  cudaMemcpyFromSymbol(second, table, sizeof second);
  std::printf("%d %d %d %d\n", result, second[0], of_first != of_second, second[3]);
  cudaFree(sum);
}

// By its name and by its address a kernel has the same variable.
void one_of_its_own() {
  int values[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    const int start = 6 + 10 * d;
    cudaMemcpyToSymbol(counter, &start, sizeof start);
    int *address;
    cudaGetSymbolAddress(reinterpret_cast<void **>(&address), counter);
    add_to_counter<<<1, 1>>>(address);
    cudaMemcpyFromSymbol(&values[d], counter, sizeof(int));
  }
  std::printf("%d %d\n", values[0], values[1]);
}

void threads() {
  int devices[2];
  cudaSetDevice(1);
  std::thread([&] { cudaGetDevice(&devices[1]); }).join();
  cudaGetDevice(&devices[0]);
  int results[2];
  std::thread workers[2];
  for (int d = 0; d < 2; ++d)
    workers[d] = std::thread([&, d] {
      int *const x = device_memory(d, 32, 100 * (d + 1));
      results[d] = first_of(x);
      cudaFree(x);
    });
  for (std::thread &w : workers) w.join();
  std::printf("%d %d %d %d\n", devices[0], devices[1], results[0], results[1]);
}

void errors() {
  const int outside = cudaSetDevice(2), right = cudaSetDevice(0);
  const int none = cudaDeviceEnablePeerAccess(2, 0), itself = cudaDeviceEnablePeerAccess(0, 0);
  const int flags = cudaDeviceEnablePeerAccess(1, 1);
  cudaDeviceEnablePeerAccess(1, 0);
  const int twice = cudaDeviceEnablePeerAccess(1, 0);
  cudaDeviceDisablePeerAccess(1);
  const int not_enabled = cudaDeviceDisablePeerAccess(1);
  int x;
  const int copy = cudaMemcpyPeer(&x, 0, &x, 2, sizeof x);
  std::printf("%d %d %d %d %d %d %d %d\n", outside, right, none, itself, flags, twice, not_enabled, copy);
  cudaEvent_t event, other;
  cudaStream_t stream;
  cudaEventCreate(&event);
  cudaEventRecord(event);
  cudaSetDevice(1);
  cudaStreamCreate(&stream);
  cudaEventCreate(&other);
  cudaEventRecord(other, stream);
  const int recorded = cudaEventRecord(event, stream);
  float milliseconds;
  const int elapsed = cudaEventElapsedTime(&milliseconds, event, other);
  const int waited = cudaStreamWaitEvent(stream, event);
  int *const own = device_memory(0, 32, 1);
  cudaDeviceSynchronize();
  add<<<1, 32, 0, stream>>>(own, 1);
  const int launched = cudaGetLastError();
  const int filled = cudaMemsetAsync(own, 0, 128, stream);
  std::printf("%d %d %d %d %d\n", recorded, elapsed, launched, waited, filled);
  cudaStreamSynchronize(stream);
  cudaGetLastError();
  cudaFree(own);
}

void foreign_stream() {
  cudaStream_t stream;
  cudaSetDevice(1);
  cudaStreamCreate(&stream);
  int *const x = device_memory(0, 32, 1);
  add<<<1, 32, 0, stream>>>(x, 1);  // @launches_elsewhere
  cudaDeviceSynchronize();
  cudaFree(x);
}

void reset() {
  int *const x = device_memory(0, 32, 5), *y;
  cudaSetDevice(1);
  cudaMalloc(&y, 128);  // @allocates_one
  cudaMemset(y, 0, 128);
  cudaDeviceReset();
  std::printf("%d\n", first_of(x));
  cudaFree(x);
  cudaMemset(y, 0, 128);  // @uses_reset
}

void heap() {
  int results[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    keep<<<1, 1>>>(3 + d);
  }
  for (int d = 0; d < 2; ++d) {
    int *const into = device_memory(d, 1, 0);
    take<<<1, 1>>>(into);
    results[d] = first_of(into);
    cudaFree(into);
  }
  std::printf("%d %d\n", results[0], results[1]);
}

void advice() {
  int *x, by[3];
  cudaMallocManaged(&x, 4096);
  cudaMemAdvise(x, 4096, cudaMemAdviseSetAccessedBy, 0);
  cudaMemAdvise(x, 4096, cudaMemAdviseSetAccessedBy, 1);
  cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, x, 4096);
  const int outside = cudaMemPrefetchAsync(x, 4096, 2);
  std::printf("%d %d %d %d\n", by[0], by[1], by[2], outside);
  cudaGetLastError();
  cudaFree(x);
}

int main(int, char **words) {
  const auto is = [&](const char *mode) { return std::strcmp(words[1], mode) == 0; };
  if (is("count")) {
    int devices = 0, present = -1;
    cudaGetDeviceCount(&devices);
    cudaGetDevice(&present);
    std::printf("%d %d %d\n", devices, present, cudaSetDevice(1));
    cudaGetLastError();
  }
  if (is("facts")) facts();
  if (is("memory")) memory();
  if (is("variables")) variables();
  if (is("one_of_its_own")) one_of_its_own();
  if (is("threads")) threads();
  if (is("errors")) errors();
  if (is("foreign_stream")) foreign_stream();
  if (is("reset")) reset();
  if (is("heap")) heap();
  if (is("advice")) advice();
  if (is("read_only")) {
    int *address;
    cudaSetDevice(1);
    cudaGetSymbolAddress(reinterpret_cast<void **>(&address), factor);
    write_factor<<<1, 1>>>(address);
    cudaDeviceSynchronize();
  }
  if (is("wrong_symbol")) {
    cudaSetDevice(1);
    std::printf("%d\n", counter);  // @reads_counter
  }
}
