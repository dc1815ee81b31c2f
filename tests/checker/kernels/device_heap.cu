// check makes_lists --grid 2 --block 32 --arg i32[64]=zeros
// clean
// check makes_lists --grid 2 --block 32 --arg i32[63]=zeros
// finds out-of-bounds @stores of sums
// check overruns --grid 1 --block 1 --arg i32[1]=zeros
// finds out-of-bounds @beyond @made of memory
// finds use-after-free @reads @made of memory
// check calls_virtual --grid 1 --block 32 --arg i32[32]=zeros --arg bool:false
// clean
// check calls_virtual --grid 1 --block 32 --arg i32[32]=zeros --arg bool:true
// finds data-race @constructs @calls of memory
struct node {
  int value;
  node* next;
};
__global__ void makes_lists(int* sums) {
  node* all = nullptr;
  for (int i = 0; i < 10; ++i) all = new node{i, all};
  int sum = 0;
  while (all != nullptr) {
    node* const first = all;
    sum += first->value;
    all = first->next;
    delete first;
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;  // @stores
}
__global__ void overruns(int* out) {
  volatile int* p = static_cast<int*>(malloc(16));  // @made
  p[4] = 1;                                         // @beyond
  free(const_cast<int*>(p));
  *out = p[0];  // @reads
}

// The table of functions that an object has is written when it is constructed, and read when one is called.
struct shape {
  __device__ virtual int corners() const = 0;
};
struct square : shape {
  __device__ int corners() const override { return 4; }
};
__global__ void calls_virtual(int* out, bool constructs_again) {
  __shared__ shape* made;
  if (threadIdx.x == 0) made = new square;
  __syncthreads();
  if (constructs_again && threadIdx.x == 31) new (made) square;  // @constructs
  out[threadIdx.x] = made->corners();                            // @calls
  __syncthreads();
  if (threadIdx.x == 0) delete static_cast<square*>(made);
}
