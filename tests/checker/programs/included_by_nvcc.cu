// What a source finds without including it, and the toolkit that it finds itself in.

// program
// clean
// prints 2147483647 1 1
// prints 13000 13000 13.0
// program --std c++20
// clean
// program -std=c++14
// clean
// prints older than C++20

static_assert(CUDA_VERSION == 13000 && CUDART_VERSION == 13000 && __CUDACC_VER_MAJOR__ == 13);
static_assert(__CUDACC_VER_MINOR__ == 0 && __CUDACC_VER_BUILD__ > 0);
static_assert(std::numeric_limits<int>::max() == INT_MAX && LONG_MAX > 0 && UCHAR_MAX == 255);

#if __cplusplus < 202002L
// The library of C++20 has one, too.
__host__ __device__ inline float lerp(float a, float b, float t) { return a + t * (b - a); }
#endif
__global__ void reads(float* x) {
#if __cplusplus < 202002L
  *x = lerp(1.0f, 2.0f, 0.5f);
#else
  *x = 1.5f;
#endif
}

extern "C" int puts(const char*);
int main() {
  const std::pair<int, int> p(std::min(1, 2), std::max(0, 1));
  const time_t now = time(nullptr);
  printf("%d %d %d\n", INT_MAX, p.first, now > 0 && p.second > 0 ? 1 : 0);
  printf("%d %d %d.%d\n", CUDA_VERSION, CUDART_VERSION, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
  puts(__cplusplus < 202002L ? "older than C++20" : "C++20");
  float* x;
  cudaMalloc(&x, 4);
  reads<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
