// program
// fails refused_texture_reference.cu:3: texture: it was taken out of CUDA: a texture object
texture<float, 1, cudaReadModeElementType> image;
__global__ void fetch(float* x) {
  *x = tex1Dfetch(image, 3);
}
int main() {
  fetch<<<1, 1>>>(nullptr);
}
