// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:9: this_multi_grid: grids of several devices were taken out of CUDA
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:10: __prof_trigger: counters of a profiler are not supported: heddle check --profile counts
// check together --grid 1 --block 1 --arg i32[1]
// fails refused_together.cu:11: cudaGridDependencySynchronize: launches that overlap are not supported
#include <cooperative_groups.h>
__global__ void together(int* x) {
  auto grids = cooperative_groups::this_multi_grid();
  __prof_trigger(0);
  cudaGridDependencySynchronize();
}
