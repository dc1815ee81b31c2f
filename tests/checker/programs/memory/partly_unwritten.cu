// Arrays of which a part was written and that are copied to the host: told where the host reads what nothing wrote.

// program -- blocks
// finds uninitialised-read @reads @copies @blocks of y: 232 of 1000 elements that were copied, from y[768] on, were never written: twice has too few threads: 3 blocks of 256 elements leave 232, and 4 blocks are needed, as (n + 255) / 256 counts them
// program -- all
// clean
// prints 2
// program -- not_read
// clean
// program -- filled_first
// clean
// prints 0
// program -- written_by_host
// clean
// program -- columns
// finds uninitialised-read @reads @columns of y: of each row of 100 elements columns wrote the first 96
// program -- no_y
// finds uninitialised-read @reads @no_y of y: threadIdx.y
// notes data-race @writes_row of y
// program -- no_block
// finds uninitialised-read @reads @no_block of y: blockIdx may be missing
// notes data-race @writes_block of y
// program -- moved
// finds uninitialised-read @reads_moved @copies @blocks of y
// program -- on_stack
// finds uninitialised-read @reads_stack @copies_stack of y
// program -- pinned
// finds uninitialised-read @reads_pinned @copies_pinned @blocks of y: 232 of 1000
// program -- structures
// clean
// prints 3
// program -- member
// finds uninitialised-read @reads_member of p
// program -- by_library
// clean
// program --unwritten-copies -- not_read
// finds uninitialised-read @copies @blocks of y
// program --unwritten-copies -- structures
// clean

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__global__ void twice(float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2;
}
__global__ void columns(float *y, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < width && j < height) y[j * width + i] = 1;
}
__global__ void row(float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1;  // @writes_row
}
__global__ void block(float *y) { y[threadIdx.x] = 1; }  // @writes_block
struct padded {
  char c;
  int i, never;
};
__global__ void pad(padded *p) {
  p[threadIdx.x].c = 1;
  p[threadIdx.x].i = 3;
}

float sum_of(const std::vector<float> &h) {
  float sum = 0;
  for (size_t i = 0; i < h.size(); ++i) sum += h[i];  // @reads
  return sum;
}
__attribute__((noinline)) float last_of_stack(const float *y) {
  float h[1000];
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);  // @copies_stack
  return h[999];                                       // @reads_stack
}
/// The same place of the stack is another variable's.
__attribute__((noinline)) float others() {
  float h[1000];
  FILE *const zeros = std::fopen("/dev/zero", "rb");
  if (std::fread(h, sizeof(float), 1000, zeros) != 1000) return 1;
  std::fclose(zeros);
  return h[999];
}
__attribute__((noinline)) void bring(const float *y) {
  float h[1000];
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
}

int main(int, char **words) {
  const std::string mode = words[1];
  // A copy of a length that the compiler knows is no call.
  const int n = std::stoi("1000");
  std::vector<float> h(n, 1.0f);
  float *y;
  cudaMalloc(&y, n * sizeof(float));
  if (mode == "filled_first") cudaMemset(y, 0, n * sizeof(float));
  if (mode == "columns") {
    columns<<<dim3(6, 2), dim3(16, 5)>>>(y, 100, 10);  // @columns
  } else if (mode == "no_y") {
    row<<<dim3(5, 5), dim3(20, 2)>>>(y, n);  // @no_y
  } else if (mode == "no_block") {
    block<<<5, 200>>>(y);  // @no_block
  } else {
    twice<<<mode == "all" || mode == "structures" ? n / 256 + 1 : n / 256, 256>>>(y, n);  // @blocks
  }
  if (mode == "on_stack") std::printf("%g\n", last_of_stack(y));
  if (mode == "by_library") {
    bring(y);
    return others() == 0 ? 0 : 1;
  }
  if (mode == "pinned") {
    float *p;
    cudaMallocHost(&p, n * sizeof(float));
    cudaMemcpy(p, y, n * sizeof(float), cudaMemcpyDeviceToHost);  // @copies_pinned
    std::printf("%g\n", p[n - 1]);                                // @reads_pinned
    cudaFreeHost(p);
  }
  if (mode == "structures" || mode == "member") {
    padded *p, of_host[8];
    cudaMalloc(&p, sizeof of_host);
    pad<<<1, 8>>>(p);
    cudaMemcpy(of_host, p, sizeof of_host, cudaMemcpyDeviceToHost);
    const padded one = of_host[7];
    std::printf("%d\n", one.i);
    if (mode == "member") std::printf("%d\n", of_host[3].never);  // @reads_member
    cudaFree(p);
  }
  cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);  // @copies
  if (mode == "moved") {
    const std::vector<float> other = h;
    h.clear();
    std::printf("%g\n", other[n - 1]);  // @reads_moved
  }
  if (mode == "written_by_host")
    for (int i = 512; i < n; ++i) h[i] = 0;
  if (mode == "all" || mode == "filled_first" || mode == "columns") std::printf("%g\n", (sum_of(h), h[n - 1]));
  if (mode == "blocks" || mode == "no_y" || mode == "no_block" || mode == "written_by_host") std::printf("%g\n", sum_of(h));
  cudaFree(y);
}
