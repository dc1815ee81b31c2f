// check undeclared --grid 1 --block 32 --arg f32[32]=arange
// fails 'twice'
//
// On its line:
// check undeclared --grid 1 --block 32 --arg f32[32]=arange
// fails undeclared.cu:8:
__global__ void undeclared(float* x) {
  x[threadIdx.x] = twice * x[threadIdx.x];
}
