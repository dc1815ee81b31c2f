// What a stream calls on the host comes after what is on it, and so does what that starts.

// program -- in_the_callback
// clean
// program -- in_a_thread
// clean
// program -- beside_the_callback
// finds missing-synchronisation @beside

#include <atomic>
#include <cstring>
#include <thread>

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }

static int *h, sum;
static std::atomic<int> done;

void CUDART_CB reads(cudaStream_t, cudaError_t, void*) {
  sum = h[3];
  done = 1;
}
void CUDART_CB starts_a_thread(cudaStream_t, cudaError_t, void*) {
  std::thread([] {
    sum = h[3];
    done = 1;
  }).detach();
}

int main(int, char** words) {
  const auto is = [&](const char* mode) { return std::strcmp(words[1], mode) == 0; };
  int* x;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMallocHost(&h, 128);
  cudaMalloc(&x, 128);
  fill<<<1, 32, 0, s>>>(x);
  cudaMemcpyAsync(h, x, 128, cudaMemcpyDeviceToHost, s);
  if (is("beside_the_callback")) sum = h[4];  // @beside
  cudaStreamAddCallback(s, is("in_a_thread") ? starts_a_thread : reads, nullptr, 0);
  while (!done) std::this_thread::yield();
  return sum != 3;
}
