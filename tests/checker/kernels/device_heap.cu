// check makes_lists --grid 2 --block 32 --arg i32[64]=zeros
// clean
// check makes_lists --grid 2 --block 32 --arg i32[63]=zeros
// finds out-of-bounds @stores of sums
// check overruns --grid 1 --block 1 --arg i32[1]=zeros
// finds out-of-bounds @beyond @made of memory
// finds use-after-free @reads @made of memory
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
