// Buffers of the host that are copied before they are set, or beyond their ends.

// program -- clean
// clean
// prints 496 120 3
// program -- unset
// finds uninitialised-read @copies_in @made: 128 bytes from byte 0 on
// program -- unset_new
// finds uninitialised-read @copies_new @made_new
// program -- overrun
// finds out-of-bounds @runs_over @made: 4 bytes from byte 128 on of an allocation of the host's of 128 bytes
// program -- copies_too_much
// finds invalid-copy @copies_in @made
// program -- copies_back_too_much
// finds invalid-copy @copies_out @made
// program -- after_free
// finds use-after-free @uses @grown @frees
// program -- frees_twice
// finds invalid-free @frees_again @grown @frees
// program -- by_the_library
// clean
// program -- reused
// clean
// prints 0 not zero
// program -- reused_unset
// finds uninitialised-read @copies_reused @made_reused: 4096 bytes from byte 0 on
// prints 0 not zero

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

__global__ void adds(int* x) {
  x[threadIdx.x] += threadIdx.x;
}

// So many bytes are freed that blocks are used again: as new ones, of which nothing is set.
void reuse(bool is_set) {
  int not_zero = 0;
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{3} << 20}) {
    for (std::size_t freed = 0; freed < std::size_t{160} << 20; freed += bytes) {
      char* const block = static_cast<char*>(std::calloc(bytes, 1));
      for (std::size_t i = 0; i < bytes; i += bytes / 16 - 1) not_zero += std::exchange(block[i], 1) != 0;
      std::free(block);
    }
  }
  std::printf("%d not zero\n", not_zero);
  int *x, *const again = static_cast<int*>(std::malloc(4096));  // @made_reused
  if (is_set) std::memset(again, 1, 4096);
  cudaMalloc(&x, 4096);
  cudaMemcpy(x, again, 4096, cudaMemcpyHostToDevice);  // @copies_reused
  cudaFree(x);
  std::free(again);
}

int main(int, char** words) {
  const auto is = [&](const char* mode) { return std::strcmp(words[1], mode) == 0; };
  if (is("reused") || is("reused_unset")) return reuse(is("reused")), 0;
  int* h = static_cast<int*>(std::malloc(128));  // @made
  int* x;
  cudaMalloc(&x, 256);
  cudaMemset(x, 0, 256);
  if (!is("unset") && !is("by_the_library")) {
    for (int i = 0; i < (is("overrun") ? 34 : 32); ++i) h[i] = 0;  // @runs_over
  }
  if (is("by_the_library")) {
    // Not all of it is zero, so that somebody has written it.
    FILE* const file = std::tmpfile();
    const int values[32] = {0, 1};
    std::fwrite(values, 4, 32, file);
    std::rewind(file);
    if (std::fread(h, 4, 32, file) != 32) return 1;
    std::fclose(file);
  }
  cudaMemcpy(x, h, is("copies_too_much") ? 132 : 128, cudaMemcpyHostToDevice);  // @copies_in
  adds<<<1, 32>>>(x);
  cudaMemcpy(h, x, is("copies_back_too_much") ? 132 : 128, cudaMemcpyDeviceToHost);  // @copies_out
  int sum = 0, sum_of_new = 0;
  for (int i = 0; i < 32; ++i) sum += h[i];

  int* const made = new int[16];  // @made_new
  for (int i = 0; i < 16 && !is("unset_new"); ++i) made[i] = i;
  cudaMemcpy(x, made, 64, cudaMemcpyHostToDevice);  // @copies_new
  for (int i = 0; i < 16 && !is("unset_new"); ++i) sum_of_new += made[i];
  delete[] made;
  // Structures whose members are not all set, and what grows, are as they should be.
  h = static_cast<int*>(std::realloc(h, 256));  // @grown
  std::vector<int> v(3, 1);
  int* const zeros = static_cast<int*>(std::calloc(4, 4));
  cudaMemcpy(x, h, 256, cudaMemcpyHostToDevice);
  cudaMemcpy(x, zeros, 16, cudaMemcpyHostToDevice);
  cudaMemcpy(x, v.data(), 12, cudaMemcpyHostToDevice);
  std::free(zeros);
  if (is("clean")) std::printf("%d %d %zu\n", sum, sum_of_new, v.size());
  int* const gone = h;
  std::free(h);  // @frees
  if (is("after_free")) return gone[1] == 12345;  // @uses
  if (is("frees_twice")) std::free(gone);  // @frees_again
  cudaFree(x);
}
