// check fetch --grid 1 --block 1 --arg i32[1]
// fails refused_texture.cu:4: tex1Dfetch: textures are not supported
__global__ void fetch(float* x) {
  *x = tex1Dfetch<float>(0, 3);
}
