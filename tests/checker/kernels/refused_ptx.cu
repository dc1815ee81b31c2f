// check ptx --grid 1 --block 1 --arg i32[1]
// fails refused_ptx.cu:5: asm: inline PTX is not supported
__global__ void ptx(int* x) {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  *x = lane;
}
