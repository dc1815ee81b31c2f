// What CUDA's C++ libraries and nvcc say of themselves.
// program
// clean
// prints 3 0 1 300001
#include <cuda/std/version>
#include <thrust/version.h>

#include <cstdio>
#if !defined(__CUDACC_EXTENDED_LAMBDA__)
#error "lambdas of the device are there"
#endif

_CCCL_HOST_DEVICE int major_version() { return CCCL_MAJOR_VERSION; }

int main() { std::printf("%d %d %d %d\n", major_version(), CCCL_MINOR_VERSION, CCCL_PATCH_VERSION, THRUST_VERSION); }
