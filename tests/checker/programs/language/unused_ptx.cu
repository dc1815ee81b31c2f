// PTX that is not supported refuses a program where a thread comes to it.
// program
// clean
// program -- calls
// fails unused_ptx.cu:8: asm: mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16: m16n8k8
#define SUM(NAME, KIND) __device__ int NAME(int a, int b) { int r; asm("add.s32 %0, %1, %2;" : "=" #KIND(r) : #KIND(a), #KIND(b)); return r; }
__device__ inline void volta(unsigned& d, unsigned a) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+r"(d), "+r"(d), "+r"(d), "+r"(d) : "r"(a));
}
SUM(sum, r)
__global__ void sums(int* x) { *x = sum(1, 2); }
__global__ void products(unsigned* x) { volta(*x, 1); }

int main(int count, char**) {
  int* x;
  cudaMalloc(&x, sizeof *x);
  sums<<<1, 1>>>(x);
  if (count > 1) products<<<1, 32>>>(reinterpret_cast<unsigned*>(x));
  cudaDeviceSynchronize();
  cudaFree(x);
}
