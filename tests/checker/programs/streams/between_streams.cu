// Work on two streams that touches the same memory, and what orders it. The first argument says what.
#include <cstring>

__global__ void add(int* x, int by) { x[threadIdx.x] += by; }  // @adds
__global__ void count(int* x) { atomicAdd(x, 1); }
__global__ void look(const int* x, int* out) { out[threadIdx.x] = x[threadIdx.x]; }  // @looks

int *x, *out, *pinned;
cudaStream_t a, b;
cudaEvent_t event;

// program -- launches
// finds data-race @adds @first_launch @second_launch of x
// program -- launches event
// clean
// program -- launches wait
// clean
void launches(bool by_event, bool by_wait) {
  add<<<1, 32, 0, a>>>(x, 1);  // @first_launch
  cudaEventRecord(event, a);
  if (by_event) cudaStreamWaitEvent(b, event, 0);
  if (by_wait) cudaStreamSynchronize(a);
  add<<<1, 32, 0, b>>>(x, 2);  // @second_launch
}

// program -- copies
// finds data-race @looks @copied_to @reader of x
// finds data-race @filled @reader of x
// program -- copies event
// clean
void copies(bool by_event) {
  cudaMemcpyAsync(x, pinned, 128, cudaMemcpyHostToDevice, a);  // @copied_to
  cudaEventRecord(event, a);
  if (by_event) cudaStreamWaitEvent(b, event, 0);
  look<<<1, 32, 0, b>>>(x, out);  // @reader
  cudaEventRecord(event, b);
  if (by_event) cudaStreamWaitEvent(a, event, 0);
  cudaMemsetAsync(x, 0, 128, a);  // @filled
}

// Both read, or change by atomics, or are on the default stream, which waits for the others.
// program -- others
// clean
void others() {
  look<<<1, 16, 0, a>>>(x, out);
  look<<<1, 16, 0, b>>>(x, out + 16);
  cudaDeviceSynchronize();
  count<<<1, 32, 0, a>>>(x);
  count<<<1, 32, 0, b>>>(x);
  add<<<1, 32>>>(x, 1);
  add<<<1, 32, 0, a>>>(x, 1);
}

int main(int argc, char** argv) {
  const auto is = [&](int i, const char* word) { return i < argc && std::strcmp(argv[i], word) == 0; };
  cudaMalloc(&x, 128);
  cudaMalloc(&out, 128);
  cudaMallocHost(&pinned, 128);
  std::memset(pinned, 0, 128);
  cudaMemset(x, 0, 128);
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&event);
  if (is(1, "launches")) launches(is(2, "event"), is(2, "wait"));
  if (is(1, "copies")) copies(is(2, "event"));
  if (is(1, "others")) others();
  cudaDeviceSynchronize();
}
