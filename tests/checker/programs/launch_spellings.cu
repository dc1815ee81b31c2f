// Launches as people write them.

// program -- clean
// clean
// prints 8 15 32 64512
// program -- races
// finds data-race @at_one_place
// program -- overloaded
// finds data-race @at_one_place
// program -- too_many
// finds unchecked-error @too_many

#include <cstdio>
#include <cstring>

#define TOP_BITS (((1 << (5 + 1)) - 1) << 10)

template <class T, int A>
__global__ void writes(T* x, int at) {
  x[at] = A;
}
__global__ void races(int* x) {
  x[threadIdx.x / 2] = threadIdx.x;  // @at_one_place
}
// A function of the host with the name of the kernel that it launches.
void races() {
  int* x;
  cudaMalloc(&x, 128);
  races<<<1, 32>>>(x);
  cudaFree(x);
}
template <int Threads, class T>
__global__ void __launch_bounds__(Threads) bounded(T* x, int at) {
  if (threadIdx.x == 0) x[at] = blockDim.x;
}
template <class T>
void launch_bounded(T* x, int threads) {
  bounded<32><<<1, threads>>>(x, 2);  // @too_many
}

int main(int, char** words) {
  const auto is = [&](const char* mode) { return std::strcmp(words[1], mode) == 0; };
  int h[4], *x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  writes<int, (1<<3)><<<1, 1>>>(x, 0);
  writes<int, (1 << 4) - 1> << <1, 1>> > (x, 1);
  launch_bounded(x, is("too_many") ? 64 : 32);
  writes<int, TOP_BITS> < < < dim3(1), 1, 0 > > > (x, 3);
  if (is("overloaded")) races();
  if (is("races")) races << < 1, 32 >> >(x);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
}
