// What is longer than a buffer of the checker.

// program -- name
// finds host-access @writes: _and_its_end is memory of the device
// program -- line
// clean
// prints the end
// program -- levels
// clean
// prints cudaErrorInvalidValue 32

#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define OF_16 sixteen_letters_
#define OF_64 JOINED(JOINED(OF_16, OF_16), JOINED(OF_16, OF_16))
#define OF_256 JOINED(JOINED(OF_64, OF_64), JOINED(OF_64, OF_64))
#define OF_1024 JOINED(JOINED(OF_256, OF_256), JOINED(OF_256, OF_256))
#define OF_4096 JOINED(JOINED(OF_1024, OF_1024), JOINED(OF_1024, OF_1024))
#define LONG_NAME JOINED(JOINED(OF_4096, OF_4096), _and_its_end)

__global__ void prints_a_long_line() { printf("%5000d\nthe end\n", 1); }

int main(int count, char **words) {
  if (count < 2) return 1;
  if (std::strcmp(words[1], "name") == 0) {
    float *LONG_NAME = nullptr;
    cudaMalloc(&LONG_NAME, sizeof(float));
    *LONG_NAME = 1;  // @writes
  } else if (std::strcmp(words[1], "line") == 0) {
    prints_a_long_line<<<1, 1>>>();
    cudaDeviceSynchronize();
  } else {
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<unsigned char>();
    const auto allocated = [&](size_t width, cudaMipmappedArray_t *all) {
      return cudaMallocMipmappedArray(all, &channels, make_cudaExtent(width, 0, 0), 40);
    };
    cudaMipmappedArray_t too_large, largest;
    const cudaError_t error = allocated((size_t{1} << 33) - 4096, &too_large);
    cudaGetLastError();
    int levels = 0;
    if (allocated((size_t{1} << 32) - 1, &largest) == cudaSuccess) {
      cudaArray_t level;
      while (cudaGetMipmappedArrayLevel(&level, largest, levels) == cudaSuccess) ++levels;
      cudaGetLastError();
      cudaFreeMipmappedArray(largest);
    }
    std::printf("%s %d\n", cudaGetErrorName(error), levels);
  }
  return 0;
}
