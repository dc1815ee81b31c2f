// Kernels of a file whose host's part cannot be run: it is left out, with what it includes.

#include <cublas_v2.h>

#include <cstdio>

// check doubles --grid 1 --block 32 --arg f32[32]=arange
// clean
__global__ void doubles(float* x) {
  x[threadIdx.x] *= 2;
}

// check doubles_its_neighbour --grid 1 --block 32 --arg f32[33]=arange
// finds data-race @neighbour
__global__ void doubles_its_neighbour(float* x) {
  x[threadIdx.x] = 2 * x[threadIdx.x + 1];  // @neighbour
}

struct solver {
  int steps;
  int run() const { return steps; }
};

static cublasHandle_t shared_handle;
cublasStatus_t multiply(cublasHandle_t handle, float* x);

static int prepare(int n) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  for (int i = 0; i < n; ++i) {
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, nullptr);
  }
  return n;
}
cublasStatus_t multiply(cublasHandle_t handle, float* x) {
  doubles<<<1, 32>>>(x);
  return cublasSscal(handle, 32, nullptr, x, 1);
}

int main() {
  // What is refused follows the launch.
  texture<float, 2> image;
  cudaGraphicsMapResources(1, nullptr, nullptr);
  return prepare(solver{3}.run());
}
