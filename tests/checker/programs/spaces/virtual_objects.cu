// Objects with virtual functions: what the host has made has the host's table of them.

// program
// clean
// prints 9 9 5
// program -- copied
// finds foreign-address @calls @launches: virtual
// program -- array
// finds foreign-address @calls_each: virtual

#include <cstdio>
#include <cstring>
#include <new>

struct shape {
  __host__ __device__ virtual float area() const { return 0; }
  int number = 0;
};
struct square : shape {
  float a;
  __host__ __device__ explicit square(float x = 0) : a(x) {}
  __host__ __device__ float area() const override { return a * a; }
  __host__ __device__ float side() const { return a; }
};
struct drawing {
  int colour;
  square of[2];
};
__global__ void make(square *s) { new (s) square(3); }
__global__ void areas(const shape *s, float *y) { *y = s->area(); }  // @calls
__global__ void sides(const square *s, float *y) { *y = s->side(); }
__global__ void each(const drawing *d, float *y) {
  const shape &second = d->of[1];
  *y = second.area();  // @calls_each
}

float brought(const float *y) {
  float r;
  cudaMemcpy(&r, y, sizeof r, cudaMemcpyDeviceToHost);
  return r;
}

int main(int count, char **words) {
  const auto is = [&](const char *mode) { return count > 1 && std::strcmp(words[1], mode) == 0; };
  square h(5), *d;
  drawing both{1, {square(1), square(2)}}, *both_on_device;
  float *y;
  cudaMalloc(&d, sizeof(square));
  cudaMalloc(&y, sizeof(float));
  cudaMalloc(&both_on_device, sizeof both);
  if (count == 1) {
    make<<<1, 1>>>(d);
    areas<<<1, 1>>>(d, y);
    const float made = brought(y);
    // Functions that are not virtual may be called.
    cudaMemcpy((void *)d, (const void *)&h, sizeof h, cudaMemcpyHostToDevice);
    sides<<<1, 1>>>(d, y);
    const float side = brought(y);
    make<<<1, 1>>>(d);
    areas<<<1, 1>>>(d, y);
    std::printf("%g %g %g\n", made, brought(y), side);
    cudaMemcpy((void *)d, (const void *)&h, sizeof h, cudaMemcpyHostToDevice);
    square back;
    cudaMemcpy((void *)&back, (const void *)d, sizeof h, cudaMemcpyDeviceToHost);
    return back.area() == 25 ? 0 : 1;
  }
  if (is("copied")) {
    cudaMemcpy((void *)d, (const void *)&h, sizeof h, cudaMemcpyHostToDevice);
    areas<<<1, 1>>>(d, y);  // @launches
  }
  if (is("array")) {
    cudaMemcpy((void *)both_on_device, (const void *)&both, sizeof both, cudaMemcpyHostToDevice);
    each<<<1, 1>>>(both_on_device, y);
  }
  cudaFree(d);
  cudaFree(y);
  cudaFree(both_on_device);
}
