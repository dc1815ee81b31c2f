// check allocates --grid 1 --block 1 --arg i32[1]
// fails refused_allocation.cu:4: malloc: memory that a kernel allocates is not supported
__global__ void allocates(int* x) {
  int* p = static_cast<int*>(malloc(16));
  *x = *p;
}
