// Headers of libraries may be there; what is used of them may not be.
// check uses_cub --grid 1 --block 1 --arg i32[1]
// fails refused_header.cu:6: ThreadReduce: CUB is not supported
#include <cub/cub.cuh>
__global__ void uses_cub(int (&x)[4]) {
  x[0] = cub::ThreadReduce(x, cub::Sum());
}
