// Programs that ask for other devices, of which there are none, and copy between devices.
#include <cstdio>
#include <cstring>

int main(int count, char** words) {
  const bool overruns = count > 1 && std::strcmp(words[1], "overruns") == 0;
  int devices = 0, can = 1;
  cudaGetDeviceCount(&devices);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(1, 0);
  const cudaError_t disabled = cudaDeviceDisablePeerAccess(1);
  cudaGetLastError();
  int *x, *y, result[4] = {};
  cudaMalloc(&x, sizeof result);
  cudaMalloc(&y, sizeof result);
  const int numbers[] = {1, 2, 3, 4};
  cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaMemcpyPeer(y, 0, x, 0, sizeof result + (overruns ? 4 : 0));  // @copies
  if (!overruns) cudaMemcpy(result, y, sizeof result, cudaMemcpyDeviceToHost);
  if (!overruns)
    std::printf("%d %d %d %d, %d\n", devices, can, enabled == cudaErrorInvalidDevice, disabled == cudaErrorInvalidDevice,
                result[3]);
  cudaFree(x);
  cudaFree(y);
}

// program
// clean
// prints 1 0 1 1, 4
// program -- overruns
// finds invalid-copy @copies
