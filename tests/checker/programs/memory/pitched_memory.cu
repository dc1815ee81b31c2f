// Memory in rows and slices: pitches, two- and three-dimensional copies and fills.

// program --leak-check -- right
// clean
// prints 512 14 107 1 9 24
// program -- row_too_long
// finds invalid-copy @row
// prints 12
// program -- too_many_rows
// finds invalid-copy @rows @pitched
// program -- without_pitch
// finds uninitialised-read @element
// program -- beyond_box
// finds invalid-copy @box @cube

#include <cstdio>
#include <cstring>

__global__ void doubles(float *x, size_t pitch, int width, int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  float *const line = (float *)((char *)x + row * pitch);
  line[column] *= 2;  // @element
}
__global__ void ranks(cudaPitchedPtr box, cudaExtent extent) {
  const size_t x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (x * sizeof(int) >= extent.width || y >= extent.height || z >= extent.depth) return;
  char *const slice = (char *)box.ptr + z * box.pitch * box.ysize;
  int *const row = (int *)(slice + y * box.pitch);
  row[x] += (z * 3 + y) * 4 + x;
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  const int width = 10, height = 6;
  float h[height][width], back[height][width] = {};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) h[y][x] = y * width + x;
  float *d;
  size_t pitch;
  const size_t row = width * sizeof(float);
  cudaMallocPitch((void **)&d, &pitch, row, height);  // @pitched
  if (is("row_too_long"))
    std::printf("%d\n", cudaMemcpy2D(d, pitch, h, row, row + 4, height, cudaMemcpyHostToDevice));  // @row
  cudaMemcpy2D(d, pitch, h, row, row, is("too_many_rows") ? height + 1 : height, cudaMemcpyHostToDevice);  // @rows
  const dim3 block(8, 4), grid((width + 7) / 8, (height + 3) / 4);
  if (!is("too_many_rows")) doubles<<<grid, block>>>(d, is("without_pitch") ? row + 4 : pitch, width, height);
  if (is("right")) cudaMemcpy2D(back, row, d, pitch, row, height, cudaMemcpyDeviceToHost);
  cudaMemset2D(d, pitch, 0, 4, height);

  const cudaExtent extent = make_cudaExtent(4 * sizeof(int), 3, 2);
  cudaPitchedPtr box;
  cudaMalloc3D(&box, extent);  // @cube
  cudaMemset3D(box, 0, extent);
  ranks<<<1, dim3(4, 3, 2)>>>(box, extent);
  int there[2][3][4];
  cudaMemcpy3DParms copy = {0};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(there, extent.width, 4, 3);
  copy.extent = extent;
  if (is("beyond_box")) copy.extent.depth = 3;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);  // @box
  int part[1][1][2] = {};
  copy.srcPos = make_cudaPos(1 * sizeof(int), 0, 1);
  copy.dstPtr = make_cudaPitchedPtr(part, 2 * sizeof(int), 2, 1);
  copy.extent = make_cudaExtent(2 * sizeof(int), 1, 1);
  cudaMemcpy3D(&copy);
  if (is("right")) {
    std::printf("%zu %g %g %d %d %d\n", pitch, back[0][7], back[5][9] - 11, there[0][0][1], there[0][2][1], part[0][0][1] + 10);
  }
  cudaFree(d);
  cudaFree(box.ptr);
}
