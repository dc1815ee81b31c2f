// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:10: barrier_arrive: arriving at a barrier and waiting at it are not supported apart: sync() does both
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:11: __isShared: which memory an address is in is not known: a pointer serves for all of them
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:12: <<<: a kernel launches others in a program alone
#include <cooperative_groups.h>
__global__ void together(int* x) {
  auto block = cooperative_groups::this_thread_block();
  auto token = block.barrier_arrive();
  if (__isShared(x)) *x = 1;
  together<<<1, 1>>>(x);
}
