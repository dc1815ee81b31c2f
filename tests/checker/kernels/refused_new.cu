// check makes_anew --grid 1 --block 1 --arg i32[1]
// fails refused_new.cu:4: new: memory that a kernel allocates is not supported
__device__ int* anew() {
  return new int(3);
}
__global__ void makes_anew(int* x) {
  *x = *anew();
}
