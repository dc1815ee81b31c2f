// Code that nvcc's front end takes and g++ by itself does not.
// program
// clean
// prints 3 4
#include <cstdio>

template <class T>
struct map {
  using key = T;
  __device__ key get(int i);
  T twice(int n);
};
template <class T>
__device__ map<T>::key map<T>::get(int i) { return key(i); }
template <class T>
T map<T>::twice(int n = 0) { return T(2 * n); }

__global__ void third(int* x) { *x = map<int>().get(3); }

int main() {
  int *x, h;
  cudaMalloc(&x, sizeof h);
  third<<<1, 1>>>(x);
  cudaMemcpy(&h, x, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", h, map<int>().twice(2));
  cudaFree(x);
}
