// What modules/scale64.ptx stands for, which is compiled in its place.
__constant__ int factor = 2;
extern "C" __global__ void scale(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] *= factor;
}
