// Kernels that wait for the host, or for a kernel on another stream. A launch runs alone here, so that nothing ends them.
#include <cstring>

__global__ void await(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  *out = 1;
}
__global__ void set(volatile int* flag) { *flag = 1; }

// program -- host
// finds deadlock: if the host does it meanwhile, a GPU may go on: here a launch runs alone, to its end
// program -- stream
// finds deadlock: if a launch on another stream does it meanwhile, a GPU may go on
// program -- nobody
// finds deadlock: wait for something that none of them does
int main(int, char** argv) {
  int *flag, *out;
  cudaMalloc(&out, 4);
  const bool by_host = std::strcmp(argv[1], "host") == 0;
  if (by_host) {
    cudaMallocHost(&flag, 4);
    *flag = 0;
  } else {
    cudaMalloc(&flag, 4);
    cudaMemset(flag, 0, 4);
  }
  cudaStream_t one = nullptr, two = nullptr;
  if (std::strcmp(argv[1], "stream") == 0) {
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
  }
  await<<<1, 1, 0, one>>>(flag, out);
  if (by_host) *(volatile int*)flag = 1;
  if (two != nullptr) set<<<1, 1, 0, two>>>(flag);
  cudaDeviceSynchronize();
  return 0;
}
