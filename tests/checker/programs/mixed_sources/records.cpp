// A structure stands before what is of CUDA, and the driver's header before the runtime's.
#include "records.hpp"

struct record {
  int count;
  const float* values;
};

#include <cuda.h>
#include <cuda_runtime.h>

int sum_of_counts(int n) {
  record all = {0, nullptr};
  for (int i = 0; i < n; ++i) all.count += i;
  return all.count;
}

int widest_texture() {
  CUdevice device;
  CUcontext context;
  CUctxCreateParams how = {};
  int mode = -1, width = 0, maps = -1;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, &how, 0, device);
  cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device);
  cuDeviceGetAttribute(&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, device);
  cuDeviceGetAttribute(&maps, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device);
  cuCtxDestroy(context);
  return mode == CU_COMPUTEMODE_PROHIBITED || maps != 1 ? -1 : width;
}
