// check ptx --grid 1 --block 1 --arg i32[1]
// fails refused_ptx.cu:6: asm: vmad.u32.u32.u32: it is not supported in inline PTX
__global__ void ptx(int* x) {
  int lane;
  asm("mov.u32 %0, %%laneid;\n"
      "vmad.u32.u32.u32 %0, %0, 7, 0;\n" : "=r"(lane));
  *x = lane;
}

// check modifier --grid 1 --block 1
// fails refused_ptx.cu:15: asm: add.rn.magic.f32: .magic is not supported in inline PTX
__global__ void modifier() {
  float f;
  // Of one instruction that is not known the others are told with it.
  asm("add.rn.magic.f32 %0, %0, %0;" : "=f"(f));
}

// check shape_of_a_product --grid 1 --block 32
// fails refused_ptx.cu:22: asm: mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32: m16n8k8 and m16n8k16 of f16 and bf16
__global__ void shape_of_a_product() {
  float d[2];
  asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1}, {%0}, {%0}, {%0, %1};" : "+f"(d[0]), "+f"(d[1]));
}
