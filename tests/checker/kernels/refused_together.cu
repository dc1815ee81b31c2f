// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:14: barrier_arrive: arriving at a barrier and waiting at it are not supported apart: sync() does both
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:15: __isShared: which memory an address is in is not known: a pointer serves for all of them
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:16: <<<: launches from a kernel are not supported
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:20: cudaGraphicsMapResources: arrays shared with a graphics library are not supported
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:21: texture: textures are not supported
#include <cooperative_groups.h>
__global__ void together(int* x) {
  auto block = cooperative_groups::this_thread_block();
  auto token = block.barrier_arrive();
  if (__isShared(x)) *x = 1;
  together<<<1, 1>>>(x);
}
void host() {
  // What is refused follows the launch.
  cudaGraphicsMapResources(1, nullptr, nullptr);
  texture<float, 2> image;
}
