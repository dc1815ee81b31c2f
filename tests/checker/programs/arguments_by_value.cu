// Objects that a kernel takes by value are copied for the launch, and not for its threads.

// program -- clean
// clean
// prints 1 copied, 1 destroyed, 64 counted
// prints 1 copied, 1 destroyed, 64 counted
// program -- races
// finds data-race @loses_some
// program -- reference
// clean
// prints 32 by reference
// program -- reference_to_the_host
// finds out-of-bounds @by_reference: is the host's own

#include <cstdio>
#include <cstring>

static int copied, destroyed;

struct counter {
  int* count;
  int own = 5;
  explicit counter(int* c) : count(c) {}
  counter(const counter& other) : count(other.count) { ++copied; }
  ~counter() { ++destroyed; }
};
struct counted {
  int value;
};

__global__ void counts(counter c) {
  c.own += threadIdx.x;
  atomicAdd(c.count, c.own == 5 + threadIdx.x ? 1 : 1000);
}
template <class T>
__global__ void counts_any(T c, int by) {
  atomicAdd(c.count, by);
}
__global__ void loses(counter c) {
  ++*c.count;  // @loses_some
}
__global__ void by_reference(counted& c) {
  atomicAdd(&c.value, 1);  // @by_reference
}

void report(int* count) {
  int h;
  cudaMemcpy(&h, count, 4, cudaMemcpyDeviceToHost);
  cudaMemset(count, 0, 4);
  std::printf("%d copied, %d destroyed, %d counted\n", copied, destroyed, h);
  copied = destroyed = 0;
}

int main(int, char** words) {
  const auto is = [&](const char* mode) { return std::strcmp(words[1], mode) == 0; };
  int* count;
  cudaMalloc(&count, 4);
  cudaMemset(count, 0, 4);
  counter c(count);
  if (is("clean")) {
    counts<<<2, 32>>>(c);
    report(count);
    counts_any<<<2, 32>>>(c, 1);
    report(count);
  }
  if (is("races")) loses<<<1, 32>>>(c);
  if (is("reference")) {
    counted* managed;
    cudaMallocManaged(&managed, sizeof *managed);
    managed->value = 0;
    by_reference<<<1, 32>>>(*managed);
    cudaDeviceSynchronize();
    std::printf("%d by reference\n", managed->value);
  }
  counted own{0};
  if (is("reference_to_the_host")) by_reference<<<1, 32>>>(own);
  cudaDeviceSynchronize();
}
