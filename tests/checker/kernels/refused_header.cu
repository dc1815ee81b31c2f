// check uses_cub --grid 1 --block 1 --arg i32[1]
// fails CUB is not supported in checked kernels
#include <cub/cub.cuh>
__global__ void uses_cub(int* x) {
  *x = 1;
}
