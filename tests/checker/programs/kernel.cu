// Included by another file.
__global__ void counts(int* x) {
  x[threadIdx.x] += 1;
}
__global__ void counts_at_one_place(int* x) {
  x[threadIdx.x / 2] += 1;
}
