// check ptx --grid 1 --block 1 --arg i32[1]
// fails refused_ptx.cu:6: asm: vabsdiff4.u32.u32.u32: it is not supported in inline PTX
__global__ void ptx(int* x) {
  int lane;
  asm("mov.u32 %0, %%laneid;\n"
      "vabsdiff4.u32.u32.u32 %0, %0, 7, 0;\n" : "=r"(lane));
  *x = lane;
}

// check modifier --grid 1 --block 1
// fails refused_ptx.cu:15: asm: add.rn.magic.f32: .magic is not supported in inline PTX
__global__ void modifier() {
  float f;
  // Of one instruction that is not known the others are told with it.
  asm("add.rn.magic.f32 %0, %0, %0;" : "=f"(f));
}
