// Addresses that are reserved, and memory that is mapped to them.

// program --leak-check -- right
// clean
// prints 3 3 7 7
// program --leak-check -- grows
// clean
// prints 3 3 5
// program --devices 2 -- of_two_devices
// clean
// prints 3 7 1 0
// program --devices 2 -- copies_of_two
// clean
// prints 5 1
// program --devices 2 -- names_of_two
// clean
// program --devices 2 -- names_wrong_one
// finds invalid-copy @names_wrong_one: it says that it copies from device 0: x (byte[4194304]) is memory of device 1
// program --devices 2 -- on_stream_of_second
// clean
// prints 9
// program --devices 2 -- on_stream_of_first
// finds invalid-copy @on_stream_of_first: which cuMemSetAccess has not opened to device 0
// program -- addresses_again
// clean
// prints 0 1
// program -- without_access
// finds peer-access @writes @launches_for of x: cuMemSetAccess opens what is mapped to device 0
// prints 700
// program --devices 2 -- of_another
// finds peer-access @writes of x: cuMemSetAccess opens what is mapped to device 1
// program -- beyond
// finds out-of-bounds @writes of x
// program -- unmapped
// finds out-of-bounds @writes: is of no allocation
// program -- unset
// finds uninitialised-read @reads of x
// program -- unset_since
// clean
// program -- copies_beyond
// finds invalid-copy @copies_beyond
// program -- copies_without_access
// finds invalid-copy @copies_without_access: which cuMemSetAccess has not opened to device 0
// program -- freed
// finds invalid-free @frees: is mapped: cuMemUnmap and cuMemAddressFree end that
// program --leak-check -- left
// finds leak @creates: 2097152 bytes are not released, or still mapped
// program -- race
// finds data-race @writes of x
// program -- twice
// fails cuMemMap: memory that is mapped to two addresses at once is not supported
// program -- wrong_calls
// clean
// prints 1 101 1 1 1 1 1 1 2
#include <cuda.h>

#include <cstdio>
#include <cstring>

constexpr size_t part = 2 << 20;  // the granularity
constexpr int n = part / sizeof(int);

__global__ void set(int *x, size_t first, int what) { x[first + blockIdx.x * blockDim.x] = what + threadIdx.x; }  // @writes
__global__ void copy(int *into, const int *x) { *into = *x; }                                      // @reads

CUmemGenericAllocationHandle created(int device = 0) {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemGenericAllocationHandle handle = 0;
  cuMemCreate(&handle, part, &what, 0);  // @creates
  return handle;
}
void open(CUdeviceptr at, size_t bytes, int device = 0) {
  CUmemAccessDesc how{};
  how.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  how.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  cuMemSetAccess(at, bytes, &how, 1);
}
int at(CUdeviceptr x, size_t i) {
  int result = -1;
  cuMemcpyDtoH(&result, x + i * sizeof(int), sizeof result);
  return result;
}
void launch(CUdeviceptr x, size_t first, int what) {
  set<<<1, 1>>>(reinterpret_cast<int *>(x), first, what);  // @launches_for
}

void wrong_calls() {
  CUdeviceptr x = 0;
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle handle, huge, other = created();
  const int no_whole = cuMemCreate(&handle, part + 1, &what, 0);
  what.location.id = 1;
  const int no_device = cuMemCreate(&handle, part, &what, 0);
  what.location.id = 0;
  cuMemCreate(&handle, 2 * part, &what, 0);
  cuMemAddressReserve(&x, 4 * part, 0, 0, 0);
  cuMemMap(x, 2 * part, 0, handle, 0);
  const int overlaps = cuMemMap(x + part, part, 0, other, 0), outside = cuMemMap(x + 4 * part, part, 0, other, 0);
  const int half = cuMemUnmap(x, part), in_use = cuMemAddressFree(x, 4 * part);
  const int offset = cuMemMap(x + 2 * part, part, part, other, 0);
  cuMemRelease(handle);
  cuMemUnmap(x, 2 * part);
  const int gone = cuMemMap(x, 2 * part, 0, handle, 0);
  const int too_large = cuMemCreate(&huge, size_t{32} << 30, &what, 0);
  std::printf("%d %d %d %d %d %d %d %d %d\n", no_whole, no_device, overlaps, outside, half, in_use, offset, gone, too_large);
  cuMemAddressFree(x, 4 * part);
  cuMemRelease(other);
}

// Reserved addresses stay reserved when no others are left, mapped or not.
void addresses_again() {
  CUdeviceptr x = 0;
  cuMemAddressReserve(&x, 512 * part, 0, 0, 0);
  CUdeviceptr most = 0, again = 0;
  size_t bytes = size_t{1} << 44;
  while (cuMemAddressReserve(&most, bytes, 0, 0, 0) != 0) bytes /= 2;
  cuMemAddressFree(most, bytes);
  const int error = cuMemAddressReserve(&again, bytes, 0, 0, 0);
  std::printf("%d %d\n", error, x < again || x >= again + bytes);
  cuMemAddressFree(again, bytes);
  cuMemAddressFree(x, 512 * part);
}

void on_a_stream(CUdeviceptr x, bool is_first) {
  open(x, 2 * part, 1);
  cudaStream_t stream;
  cudaSetDevice(is_first ? 0 : 1);
  cudaStreamCreate(&stream);
  cudaSetDevice(is_first ? 1 : 0);
  const int nine = 9;
  cuMemcpyHtoDAsync(x, &nine, sizeof nine, stream);  // @on_stream_of_first
  cudaStreamSynchronize(stream);
  cudaSetDevice(1);
  if (!is_first) std::printf("%d\n", at(x, 0));
  cudaStreamDestroy(stream);
}

// A copy on the default stream waits for the device that owns the memory.
void copies_of_two(CUdeviceptr x) {
  open(x, 2 * part, 1);
  cudaSetDevice(1);
  launch(x, n, 5);
  cudaSetDevice(0);
  int there = -1;
  CUdevice of = -1;
  cuMemcpyDtoHAsync(&there, x + part, sizeof there, nullptr);
  cuCtxSynchronize();
  cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, x + part);
  std::printf("%d %d\n", there, of);
}

void names_of_devices(CUdeviceptr x, bool are_right) {
  CUcontext contexts[2];
  for (int i = 0; i < 2; ++i) cuDevicePrimaryCtxRetain(&contexts[i], i);
  cuMemsetD8(x, 1, 2 * part);
  const CUcontext from = contexts[are_right ? 1 : 0];
  cuMemcpyPeer(x, contexts[0], x + part, from, part);  // @names_wrong_one
}

// A copy that crosses the border between the two allocations.
void right(CUdeviceptr x) {
  const int numbers[] = {3, 7};
  cuMemcpyHtoD(x + part - sizeof(int), numbers, sizeof numbers);
  const int before = at(x, n - 1), after = at(x, n);
  launch(x, n - 1, before + after - 7);
  launch(x, n, 7);
  std::printf("%d %d %d %d\n", before, at(x, n - 1), after, at(x, n));
}

// Memory that is mapped to other addresses keeps its contents.
void grows(CUdeviceptr x, CUmemGenericAllocationHandle first, CUmemGenericAllocationHandle second) {
  launch(x, 0, 3);
  launch(x, n, 5);
  cuCtxSynchronize();
  CUdeviceptr larger;
  cuMemAddressReserve(&larger, 8 * part, 0, 0, 0);
  cuMemUnmap(x, 2 * part);
  cuMemAddressFree(x, 4 * part);
  cuMemMap(larger, part, 0, first, 0);
  cuMemMap(larger + part, part, 0, second, 0);
  open(larger, 2 * part);
  CUmemGenericAllocationHandle third = created(), same;
  cuMemMap(larger + 2 * part, part, 0, third, 0);
  open(larger + 2 * part, part);
  cuMemRetainAllocationHandle(&same, reinterpret_cast<void *>(larger + 2 * part + 8));
  cuMemRelease(same);
  launch(larger, 2 * n, at(larger, 0));
  std::printf("%d %d %d\n", at(larger, 0), same == third ? at(larger, 2 * n) : -1, at(larger, n));
  cuMemUnmap(larger, 3 * part);
  cuMemAddressFree(larger, 8 * part);
  cuMemRelease(third);
}

void of_two_devices(CUdeviceptr x, CUmemGenericAllocationHandle second) {
  open(x, 2 * part, 1);
  cudaSetDevice(1);
  launch(x, 0, 3);
  launch(x, n, 7);
  CUmemAllocationProp of_second;
  cuMemGetAllocationPropertiesFromHandle(&of_second, second);
  CUmemAccessDesc none{};
  none.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  const int results[] = {at(x, 0), at(x, n)};
  cuMemSetAccess(x, 2 * part, &none, 1);
  unsigned long long flags = 9;
  cuMemGetAccess(&flags, &none.location, x);
  std::printf("%d %d %d %llu\n", results[0], results[1], of_second.location.id, flags);
}

void unset(CUdeviceptr x) {
  int *into;
  cudaMalloc(&into, sizeof *into);
  copy<<<1, 1>>>(into, reinterpret_cast<int *>(x));
  cudaDeviceSynchronize();
  cudaFree(into);
}

int main(int, char **words) {
  const auto is = [&](const char *mode) { return std::strcmp(words[1], mode) == 0; };
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, nullptr, 0, device);
  CUdeviceptr x = 0;
  if (is("wrong_calls")) {
    wrong_calls();
    return 0;
  }
  if (is("addresses_again")) {
    addresses_again();
    return 0;
  }
  const bool are_two = std::strstr(words[1], "of_two") != nullptr || std::strstr(words[1], "_wrong_one") != nullptr;
  CUmemGenericAllocationHandle first = created(), second = created(are_two ? 1 : 0);
  cuMemAddressReserve(&x, 4 * part, 0, 0, 0);
  cuMemMap(x, part, 0, first, 0);
  cuMemMap(x + part, part, 0, second, 0);
  if (is("without_access")) {
    launch(x, 0, 1);
    std::printf("%d\n", cuCtxSynchronize());
  }
  if (is("copies_without_access")) {
    const int one = 1;
    cuMemcpyHtoD(x, &one, sizeof one);  // @copies_without_access
  }
  if (is("on_stream_of_second") || is("on_stream_of_first")) {
    on_a_stream(x, is("on_stream_of_first"));
    cuMemUnmap(x, 2 * part);
    cuMemAddressFree(x, 4 * part);
    cuMemRelease(first);
    cuMemRelease(second);
    return 0;
  }
  open(x, 2 * part);
  if (is("copies_of_two")) copies_of_two(x);
  if (is("names_of_two") || is("names_wrong_one")) names_of_devices(x, is("names_of_two"));
  if (is("right")) right(x);
  if (is("grows")) grows(x, first, second);
  if (is("of_two_devices")) of_two_devices(x, second);
  if (is("of_another")) {
    cudaSetDevice(1);
    launch(x, 0, 1);
    cudaDeviceSynchronize();
  }
  if (is("beyond")) {
    // Within the addresses, and with nothing there.
    launch(x, 2 * n, 1);
    cuCtxSynchronize();
  }
  if (is("unmapped") || is("unset_since")) {
    launch(x, 0, 1);
    cuCtxSynchronize();
    cuMemUnmap(x, part);
    if (is("unmapped")) launch(x, 0, 1);
    cuCtxSynchronize();
  }
  if (is("unset")) unset(x);
  if (is("copies_beyond")) {
    static int zeros[2 * n + 1];
    cuMemcpyHtoD(x, zeros, sizeof zeros);  // @copies_beyond
  }
  if (is("freed")) cudaFree(reinterpret_cast<void *>(x));  // @frees
  if (is("race")) {
    set<<<2, 32>>>(reinterpret_cast<int *>(x), 0, 1);
    cuCtxSynchronize();
  }
  if (is("twice")) cuMemMap(x + 2 * part, part, 0, first, 0);
  cuMemUnmap(x, 2 * part);
  cuMemUnmap(x + part, part);
  cuMemAddressFree(x, 4 * part);
  cuMemRelease(first);
  if (!is("left")) cuMemRelease(second);
}
