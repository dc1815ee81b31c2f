// program
// fails refused_texture_object.cu:4: cudaTextureObject_t: textures are not supported
int main() {
  cudaTextureObject_t image = 0;
  return image != 0;
}
