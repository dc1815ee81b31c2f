// Classes that own memory of the device, structures that their kernels pass by value, and how objects are returned.

// program -- 8
// clean
// prints 28 28
// program -- 9
// finds out-of-bounds @sums of elements_: elements_[8] (pair_of_ints[8])

#include <cstdio>
#include <cstdlib>

struct pair_of_ints {
  int first, second, unused;
};
__device__ pair_of_ints sum_of(pair_of_ints a, pair_of_ints b) {
  return {a.first + b.first, a.second + b.second, a.unused | b.unused};
}

/// What a function returns by its name is the object that the caller gets: nothing is freed twice.
class buffer {
 public:
  explicit buffer(int n) { cudaMalloc(&elements_, n * sizeof(pair_of_ints)); }
  ~buffer() { cudaFree(elements_); }
  pair_of_ints *elements() const { return elements_; }

 private:
  pair_of_ints *elements_;
};

buffer filled(int n) {
  buffer made(n);
  cudaMemset(made.elements(), 0, n * sizeof(pair_of_ints));
  return made;
}

__global__ void number(pair_of_ints *a, int n) {
  for (int i = 0; i < n; ++i) a[i] = {i, i, 0};
}
__global__ void sum(const pair_of_ints *b, pair_of_ints *sum, int n) {
  for (int i = 0; i < n; ++i) *sum = sum_of(*sum, b[i]);  // @sums
}

int main(int, char **words) {
  buffer a = filled(8), total = filled(1);
  pair_of_ints result, *b = a.elements();
  number<<<1, 1>>>(b, 8);
  sum<<<1, 1>>>(b, total.elements(), std::atoi(words[1]));
  cudaMemcpy(&result, total.elements(), sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", result.first, result.second);
}
