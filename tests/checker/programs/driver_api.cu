// Programs by the driver API: kernels and variables of modules. The first argument says what is done.

// program --leak-check -- right
// clean
// prints 0 1 9 Heddle checker (CPU)
// prints 5 7 40 44 2052 9
// program -- file
// finds out-of-bounds @launches_file of x
// prints 6 14
// program modules/scale.cu -- other_file
// finds out-of-bounds @launches_file of x
// prints 6 14
// program -- race
// finds data-race @adds @first @second of x
// program -- names
// clean
// prints add_to 1024 500 500 CUDA_ERROR_NOT_FOUND named symbol not found
// program -- wrong_calls
// clean
// prints 301 400 1 101 201
// program -- no_source
// fails modules/absent.ptx: compiled code for a GPU cannot be run, and no file of the program has a kernel 'scale_all'
// program -- copies
// finds invalid-copy @copies_beyond
// program -- context
// clean
// prints 1 1 1
#include <cuda.h>

#include <cstdio>
#include <cstring>

__device__ int offset[4];
extern "C" __global__ void add_to(int *x, int by, short of_two, double halves) {
  x[threadIdx.x] += by + of_two + static_cast<int>(2 * halves) + offset[1];  // @adds
}
template <class T>
__global__ void set(T *x, T what) { x[threadIdx.x] = what; }
template __global__ void set<int>(int *, int);

constexpr unsigned n = 32;
constexpr size_t bytes = n * sizeof(int);

int first_of(CUdeviceptr x) {
  int result = -1;
  cuMemcpyDtoH(&result, x, sizeof result);
  return result;
}

void right(CUmodule module, CUdevice device) {
  int count = 0, major = 0;
  char name[64];
  cuDeviceGetCount(&count);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetName(name, sizeof name, device);
  std::printf("%d %d %d %s\n", device, count, major, name);
  CUfunction add;
  cuModuleGetFunction(&add, module, "add_to");
  CUdeviceptr x, of_offset;
  size_t size;
  cuMemAlloc(&x, bytes);
  cuMemsetD32(x, 1, n);
  int by = 2;
  short of_two = 1;
  double halves = 0.5;
  void *arguments[] = {&x, &by, &of_two, &halves};
  cuLaunchKernel(add, 1, 1, 1, n, 1, 1, 0, nullptr, arguments, nullptr);
  const int five = first_of(x);
  // The same in a buffer, each at its own alignment.
  char buffer[32] = {};
  std::memcpy(buffer, &x, 8);
  by = 1;
  of_two = 0;
  std::memcpy(buffer + 8, &by, 4);
  std::memcpy(buffer + 12, &of_two, 2);
  std::memcpy(buffer + 16, &halves, 8);
  size_t in_buffer = 24;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &in_buffer,
                   CU_LAUNCH_PARAM_END};
  cuLaunchKernel(add, 1, 1, 1, n, 1, 1, 0, nullptr, nullptr, extra);
  const int seven = first_of(x);
  cuModuleGetGlobal(&of_offset, &size, module, "offset");
  const int values[] = {0, 31, 0, 0};
  cuMemcpyHtoD(of_offset, values, size);
  cuLaunchKernel(add, 1, 1, 1, n, 1, 1, 0, nullptr, nullptr, extra);
  const int forty = first_of(x);
  CUstream stream;
  CUevent event;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  cuEventRecord(event, nullptr);
  cuStreamWaitEvent(stream, event, 0);
  CUlaunchConfig how = {};
  how.gridDimX = how.gridDimY = how.gridDimZ = how.blockDimY = how.blockDimZ = 1;
  how.blockDimX = n;
  how.hStream = stream;
  by = -29;
  of_two = 1;
  cuLaunchKernelEx(&how, add, arguments, nullptr);
  cuStreamSynchronize(stream);
  const int last = first_of(x);
  cuMemsetD16(x, 0x804, 2 * n);
  std::printf("%d %d %d %d %d ", five, seven, forty, last, first_of(x) & 0xffff);
  cuMemsetD8(x, 9, 1);
  std::printf("%d\n", first_of(x) & 0xff);
  cuEventDestroy(event);
  cuStreamDestroy(stream);
  cuMemFree(x);
}

int contexts(CUdevice device) {
  const bool is_none = cuCtxSynchronize() == CUDA_SUCCESS && cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT;
  CUcontext first, second, present;
  cuCtxCreate(&first, 0, 0);
  cuCtxCreate(&second, nullptr, 0, 0);
  cuCtxPopCurrent(&present);
  const bool is_second = present == second;
  cuCtxGetCurrent(&present);
  std::printf("%d %d %d\n", is_none, is_second, present == first);
  return 0;
}

int of_a_file(CUmodule module, bool is_loaded) {
  CUfunction scale;
  CUdeviceptr x;
  if (is_loaded && cuModuleLoad(&module, "modules/scale64.ptx") != CUDA_SUCCESS) return 1;
  if (cuModuleGetFunction(&scale, module, "scale") != CUDA_SUCCESS) return 1;
  cuMemAlloc(&x, bytes);
  cuMemsetD32(x, 3, n);
  int count = n;
  void *arguments[] = {&x, &count};
  cuLaunchKernel(scale, 2, 1, 1, n, 1, 1, 0, nullptr, arguments, nullptr);  // @launches_file
  CUdeviceptr factor;
  size_t size;
  cuModuleGetGlobal(&factor, &size, module, "factor");
  std::printf("%d %d\n", first_of(x), 12 + first_of(factor));
  return 0;
}

void race(CUmodule module) {
  CUfunction add;
  CUdeviceptr x;
  CUstream one, two;
  cuModuleGetFunction(&add, module, "add_to");
  cuMemAlloc(&x, bytes);
  cuMemsetD8(x, 0, bytes);
  cuStreamCreate(&one, CU_STREAM_DEFAULT);
  cuStreamCreate(&two, CU_STREAM_DEFAULT);
  int by = 1;
  short zero = 0;
  double none = 0;
  void *arguments[] = {&x, &by, &zero, &none};
  cuLaunchKernel(add, 1, 1, 1, n, 1, 1, 0, one, arguments, nullptr);  // @first
  cuLaunchKernel(add, 1, 1, 1, n, 1, 1, 0, two, arguments, nullptr);  // @second
}

void names(CUmodule module) {
  // Names as C++ makes them for a linker, and as it is written.
  CUfunction add;
  cuModuleGetFunction(&add, module, "add_to");
  const char *name, *of_error, *text;
  int most, missing, no_variable;
  cuFuncGetName(&name, add);
  cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add);
  CUdeviceptr where;
  size_t size;
  no_variable = cuModuleGetGlobal(&where, &size, module, "absent");
  missing = CUDA_ERROR_NOT_FOUND;
  cuGetErrorName(CUDA_ERROR_NOT_FOUND, &of_error);
  cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text);
  std::printf("%s %d %d %d %s %s\n", name, most, missing, no_variable, of_error, text);
}

void wrong_calls(CUmodule module, CUcontext context) {
  CUfunction none;
  CUdeviceptr x;
  CUdevice other;
  const int no_file = cuModuleLoad(&module, "modules/none_at_all.ptx");
  const int no_module = cuModuleGetFunction(&none, nullptr, "add_to");
  const int no_bytes = cuMemAlloc(&x, 0), no_device = cuDeviceGet(&other, 3);
  cuCtxDestroy(context);
  std::printf("%d %d %d %d %d\n", no_file, no_module, no_bytes, no_device, cuCtxGetDevice(&other));
}

void no_source(CUmodule module) {
  CUfunction scale;
  cuModuleLoad(&module, "modules/absent.ptx");
  cuModuleGetFunction(&scale, module, "scale_all");
}

int main(int, char **argv) {
  const auto is = [&](const char *what) { return std::strcmp(argv[1], what) == 0; };
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  CUdevice device;
  CUcontext context;
  cuDeviceGet(&device, 0);
  if (is("context")) return contexts(device);
  cuCtxCreate(&context, 0, device);
  CUmodule module = nullptr;
  // What a GPU would be given: the program's own kernels stand for it.
  const char image[] = ".version 9.0\n.target sm_90\n";
  cuModuleLoadData(&module, image);
  if (is("right")) right(module, device);
  if (is("file") || is("other_file")) return of_a_file(module, is("file"));
  if (is("race")) race(module);
  if (is("names")) names(module);
  if (is("wrong_calls")) wrong_calls(module, context);
  if (is("no_source")) no_source(module);
  if (is("copies")) {
    CUdeviceptr x;
    cuMemAlloc_v2(&x, bytes);
    int there[2 * n] = {};
    cuMemcpyHtoD(x, there, 2 * bytes);  // @copies_beyond
  }
}
