// Programs by the driver API that find several devices: a context is of one.

// program --devices 2 -- right
// clean
// prints 2 0 1 101
// prints 1 0 1 0
// prints 4 14 1
// program --devices 2 -- peers
// clean
// prints 1 0 704 9
// prints 705 201
// program --devices 2 -- without_access
// finds peer-access @adds of x: cudaDeviceEnablePeerAccess(0, 0)
// prints 700
// program --devices 2 -- wrong_context
// finds invalid-copy @copies: it says that it copies to device 0
#include <cuda.h>

#include <cstdio>
#include <cstring>

__device__ int offset = 4;
extern "C" __global__ void add(int *x, int by) { x[threadIdx.x] += by + offset; }  // @adds

// What a GPU would be given: the program's own kernels stand for it.
constexpr char image[] = ".version 9.0\n.target sm_90\n";
constexpr unsigned n = 32;
constexpr size_t bytes = n * sizeof(int);

int device_of_context() {
  CUdevice device = -1;
  cuCtxGetDevice(&device);
  return device;
}
CUdeviceptr zeros() {
  CUdeviceptr x;
  cuMemAlloc(&x, bytes);
  cuMemsetD32(x, 0, n);
  return x;
}
CUresult launch_add(CUdeviceptr x, int by) {
  CUmodule module;
  CUfunction function;
  cuModuleLoadData(&module, image);
  cuModuleGetFunction(&function, module, "add");
  void *arguments[] = {&x, &by};
  cuLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, nullptr, arguments, nullptr);
  return cuCtxSynchronize();
}
int first_of(CUdeviceptr x) {
  int result = -1;
  cuMemcpyDtoH(&result, x, sizeof result);
  return result;
}

int main(int, char **words) {
  const auto is = [&](const char *mode) { return std::strcmp(words[1], mode) == 0; };
  CUdevice devices[2], none;
  CUcontext contexts[2], popped, primary, present;
  int count = 0;
  cuInit(0);
  cuDeviceGetCount(&count);
  for (int i = 0; i < 2; ++i) {
    cuDeviceGet(&devices[i], i);
    cuCtxCreate(&contexts[i], nullptr, 0, devices[i]);
  }
  if (is("right")) {
    std::printf("%d %d %d %d\n", count, devices[0], devices[1], cuDeviceGet(&none, 2));
    const int second = device_of_context();
    cuCtxPopCurrent(&popped);
    const int first = device_of_context();
    cuCtxSetCurrent(contexts[1]);
    const int set = device_of_context();
    cudaSetDevice(0);
    cuDevicePrimaryCtxRetain(&primary, 0);
    cuCtxGetCurrent(&present);
    std::printf("%d %d %d %d\n", second, first, set, present == primary ? device_of_context() : -1);
    // A module's variable is each context's own.
    cuCtxSetCurrent(contexts[1]);
    const int more = 10;
    CUmodule module;
    CUdeviceptr own;
    size_t size;
    cuModuleLoadData(&module, image);
    cuModuleGetGlobal(&own, &size, module, "offset");
    cuMemcpyHtoD(own, &more, sizeof more);
    int results[2];
    for (int i = 0; i < 2; ++i) {
      cuCtxSetCurrent(contexts[i]);
      const CUdeviceptr x = zeros();
      launch_add(x, 4 * i);
      results[i] = first_of(x);
      int where = -1;
      cuPointerGetAttribute(&where, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, x);
      if (i == 1) std::printf("%d %d %d\n", results[0], results[1], where);
      cuMemFree(x);
    }
  }
  // Memory of the first, and a kernel on the second.
  cuCtxSetCurrent(contexts[0]);
  const CUdeviceptr x = zeros();
  cuCtxSynchronize();
  cuCtxSetCurrent(contexts[1]);
  const CUdeviceptr y = zeros();
  if (is("peers")) {
    int can = 0;
    cuDeviceCanAccessPeer(&can, 1, 0);
    const int once = cuCtxEnablePeerAccess(contexts[0], 0), twice = cuCtxEnablePeerAccess(contexts[0], 0);
    launch_add(x, 5);
    cuMemcpyPeer(y, contexts[1], x, contexts[0], bytes);
    std::printf("%d %d %d %d\n", can, once, twice, first_of(y));
    cuCtxDisablePeerAccess(contexts[0]);
    std::printf("%d %d\n", cuCtxDisablePeerAccess(contexts[0]), cuCtxEnablePeerAccess(nullptr, 0));
  }
  if (is("without_access")) std::printf("%d\n", launch_add(x, 5));
  if (is("wrong_context")) cuMemcpyPeerAsync(y, contexts[0], x, contexts[0], bytes, nullptr);  // @copies
  cuMemFree(x);
  cuMemFree(y);
}
