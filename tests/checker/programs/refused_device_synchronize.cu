// program
// fails refused_device_synchronize.cu:6: cudaDeviceSynchronize: that a kernel waits for what it launches was taken out of CUDA
__global__ void child() {}
__global__ void parent() {
  child<<<1, 1>>>();
  cudaDeviceSynchronize();
}
int main() {
  parent<<<1, 1>>>();
  cudaDeviceSynchronize();
}
