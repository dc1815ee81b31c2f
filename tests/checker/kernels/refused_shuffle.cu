// check old_shuffle --grid 1 --block 1 --arg i32[1]
// fails refused_shuffle.cu:4: __shfl_down: it was taken out of CUDA: __shfl_down_sync names the lanes
__global__ void old_shuffle(int* x) {
  *x = __shfl_down(*x, 1);
}
