// Texture objects and surface objects, over memory and over CUDA arrays.

// program --leak-check -- right
// clean
// prints fetch 0 1 -1
// prints plane 5 2.5 0.5
// prints gather 4 5 1 0
// prints box 20 layer 9 cube 4
// prints levels 1 2 1.5
// prints surface 0 2 4 30
// prints errors 26 27 1 20 1
// program -- beyond
// notes out-of-bounds @fetch 36 times: tex1Dfetch of element 12 of 12
// prints fetch 0 1 0
// program -- unset
// finds uninitialised-read @plane of image
// program -- freed
// finds use-after-free @plane @array of image
// program -- destroyed
// finds invalid-texture @plane: it is no texture object
// program -- of_nothing
// finds invalid-texture @plane: it is no texture object
// program -- linear_memory
// finds invalid-texture @plane: tex2D is not for linear memory, which tex1Dfetch reads
// program -- integers
// finds invalid-texture @plane: the texture gives integers
// program -- written_before
// finds incoherent-read @after @before of x
// program -- written_by_another
// finds data-race @before @after of x
// program -- in_place
// finds data-race @shift_reads @shift_writes of image
// program -- twice
// finds incoherent-read @again @twice of image
// program -- surface_beyond
// finds out-of-bounds @beyond: surf2Dwrite at (4, 0) of (4, 4)
// program -- surface_column
// finds misaligned-access @beyond: surf2Dwrite takes columns in bytes
// program -- surface_zero
// clean
// program -- texture_as_surface
// finds invalid-texture @beyond: surf2Dwrite is not for a texture
// program -- copy_too_wide
// finds invalid-copy @rows @array: image (float[4][4]) does not have all
// program -- copy_too_high
// finds invalid-copy @rows @array
// program -- between_streams
// finds data-race @filled of image: streams

#include <cstdio>
#include <cstring>

using object = cudaTextureObject_t;

__global__ void fetch(object t, int n, float *out) {
  for (int i = 0; i < n; ++i) out[i] = tex1Dfetch<float>(t, i);  // @fetch
}
__global__ void plane(object t, float x, float y, float *out) {
  *out = tex2D<float>(t, x, y);  // @plane
}
__global__ void gather(object t, float4 *out) {
  tex2Dgather(out, t, 1, 1);
}
__global__ void others(object box, object layers, object cube, float *out) {
  out[0] = tex3D<float>(box, 1.5f, 1.25f, 1.5f);
  out[1] = tex2DLayered<float>(layers, 1.5f, 0.5f, 1);
  out[2] = texCubemap<float>(cube, 0.1f, 0.2f, 1);
}
__global__ void levels(object t, float *out) {
  out[0] = tex2DLod<float>(t, 0.5f, 0.5f, 0);
  out[1] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(0.5f, 0), make_float2(0, 0.25f));
  out[2] = tex2DLod<float>(t, 0.5f, 0.5f, 0.5f);
}
__global__ void writes_before(object t, float *x, int flip, float *out) {
  const int i = threadIdx.x;
  x[i] = 1;                                // @before
  out[i] = tex1Dfetch<float>(t, i ^ flip);  // @after
}
__global__ void doubles(cudaSurfaceObject_t s) {
  const int x = threadIdx.x * 4, y = threadIdx.y;
  surf2Dwrite(2 * surf2Dread<float>(s, x, y), s, x, y);
}
__global__ void shift(cudaSurfaceObject_t s) {
  const int x = threadIdx.x * 4, y = threadIdx.y;
  const float right = surf2Dread<float>(s, x + 4, y, cudaBoundaryModeClamp);  // @shift_reads
  surf2Dwrite(right, s, x, y);                                                // @shift_writes
}
__global__ void twice(cudaSurfaceObject_t s, float *out) {
  surf2Dwrite(1.f, s, threadIdx.x * 4, 0);                       // @twice
  out[threadIdx.x] = surf2Dread<float>(s, threadIdx.x * 4, 0);  // @again
}
__global__ void beyond(cudaSurfaceObject_t s, int x, cudaSurfaceBoundaryMode mode) {
  if (mode == cudaBoundaryModeZero) surf2Dwrite(1.f, s, x, 0, cudaBoundaryModeZero);
  else surf2Dwrite(1.f, s, x, 0);  // @beyond
}

object texture_of(cudaArray_t a, cudaTextureDesc how) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = a;
  object t = 0;
  cudaCreateTextureObject(&t, &what, &how, nullptr);
  return t;
}
cudaArray_t array_of(cudaChannelFormatDesc channels, int x, int y, int z, unsigned flags, const float *from) {
  cudaArray_t a;
  cudaMalloc3DArray(&a, &channels, make_cudaExtent(x, y, z), flags);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void *)from, x * sizeof(float), x, y);
  copy.dstArray = a;
  copy.extent = make_cudaExtent(x, y, z);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return a;
}

void print(const char *what, const float *of_device, int n) {
  float values[4];
  cudaMemcpy(values, of_device, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%s", what);
  for (int i = 0; i < n; ++i) std::printf(" %g", values[i]);
  std::puts("");
}

void planes(cudaArray_t image, object points, float *out) {
  cudaTextureDesc how = {};
  plane<<<1, 1>>>(points, 1.5f, 1.5f, out);
  how.filterMode = cudaFilterModeLinear;
  const object smooth = texture_of(image, how);
  how.normalizedCoords = 1;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
  const object bordered = texture_of(image, how);
  plane<<<1, 1>>>(smooth, 1, 1, out + 1);
  plane<<<1, 1>>>(bordered, 0.375f, 0, out + 2);
  print("plane", out, 3);
  gather<<<1, 1>>>(smooth, (float4 *)out);
  print("gather", out, 4);
  cudaDestroyTextureObject(smooth);
  cudaDestroyTextureObject(bordered);
}

void boxes_layers_and_cubes(const float *from, float *out) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaTextureDesc how = {};
  how.filterMode = cudaFilterModeLinear;
  float back[3];
  cudaArray_t box = array_of(channels, 4, 4, 4, 0, from), layers = array_of(channels, 4, 2, 2, cudaArrayLayered, from),
              cube = array_of(channels, 1, 1, 6, cudaArrayCubemap, from);
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  const object a = texture_of(box, how), b = texture_of(layers, how), c = texture_of(cube, how);
  others<<<1, 1>>>(a, b, c, out);
  cudaMemcpy(back, out, 12, cudaMemcpyDeviceToHost);
  std::printf("box %g layer %g cube %g\n", back[0], back[1], back[2]);
  cudaFreeArray(box);
  cudaFreeArray(layers);
  cudaFreeArray(cube);
}

void levels_of_a_mipmap(float *out) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  float values[16];
  cudaMipmappedArray_t all;
  cudaMallocMipmappedArray(&all, &channels, make_cudaExtent(4, 4, 0), 3);
  for (unsigned i = 0; i < 3; ++i) {
    cudaArray_t level;
    cudaGetMipmappedArrayLevel(&level, all, i);
    for (float &v : values) v = i + 1;
    const size_t row = (4 >> i) * sizeof(float);
    cudaMemcpy2DToArray(level, 0, 0, values, row, row, 4 >> i, cudaMemcpyHostToDevice);
  }
  cudaResourceDesc leveled = {};
  leveled.resType = cudaResourceTypeMipmappedArray;
  leveled.res.mipmap.mipmap = all;
  cudaTextureDesc how = {};
  how.filterMode = cudaFilterModeLinear;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  how.mipmapFilterMode = cudaFilterModeLinear;
  how.maxMipmapLevelClamp = 2;
  object of_levels;
  cudaCreateTextureObject(&of_levels, &leveled, &how, nullptr);
  levels<<<1, 1>>>(of_levels, out);
  print("levels", out, 3);
  cudaFreeMipmappedArray(all);
}

void surface(cudaSurfaceObject_t s, cudaArray_t image) {
  float back[16];
  doubles<<<1, dim3(4, 4)>>>(s);
  cudaMemcpy2DFromArray(back, 16, image, 0, 0, 16, 4, cudaMemcpyDeviceToHost);
  std::printf("surface %g %g %g %g\n", back[0], back[1], back[2], back[15]);
}

void errors(float *x) {
  cudaTextureDesc linear = {};
  linear.filterMode = cudaFilterModeLinear;
  cudaResourceDesc of_ints = {};
  of_ints.resType = cudaResourceTypeLinear;
  of_ints.res.linear = {x, cudaCreateChannelDesc<int>(), 48};
  object none;
  const int filter = cudaCreateTextureObject(&none, &of_ints, &linear, nullptr);
  linear.filterMode = cudaFilterModePoint;
  linear.readMode = cudaReadModeNormalizedFloat;
  const int norm = cudaCreateTextureObject(&none, &of_ints, &linear, nullptr);
  of_ints.res.linear.devPtr = x + 1;
  linear.readMode = cudaReadModeElementType;
  const int alignment = cudaCreateTextureObject(&none, &of_ints, &linear, nullptr);
  cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat}, wrong = {12, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t never;
  const int of_twelve = cudaMallocArray(&never, &wrong, 4);
  const int of_three = cudaMallocArray(&never, &three, 4) == cudaErrorInvalidChannelDescriptor;
  std::printf("errors %d %d %d %d %d\n", filter, norm, alignment, of_twelve, of_three);
  cudaGetLastError();
}

void between_streams(object t, cudaSurfaceObject_t s, float *out) {
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  plane<<<1, 1, 0, one>>>(t, 0, 0, out);
  doubles<<<1, dim3(4, 4), 0, other>>>(s);  // @filled
}

int main(int, char **argv) {
  const auto is = [&](const char *mode) { return std::strcmp(argv[1], mode) == 0; };
  float h[96], back[96] = {};
  for (int i = 0; i < 96; ++i) h[i] = i;
  float *x, *out;
  cudaMalloc(&x, 12 * sizeof(float));
  cudaMalloc(&out, sizeof h);
  cudaMemset(out, 0, sizeof h);

  // Memory.
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = x;
  what.res.linear.desc = cudaCreateChannelDesc<signed char>();
  what.res.linear.sizeInBytes = 12;
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeNormalizedFloat;
  const signed char bytes[12] = {0, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0, -128};
  cudaMemcpy(x, bytes, 12, cudaMemcpyHostToDevice);
  object t;
  cudaCreateTextureObject(&t, &what, &how, nullptr);
  if (is("right") || is("beyond")) {
    fetch<<<1, 1>>>(t, is("right") ? 12 : 24, out);
    cudaMemcpy(back, out, 24 * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("fetch %g %g %g\n", back[0], back[1], back[is("right") ? 11 : 12]);
  }
  what.res.linear.desc = cudaCreateChannelDesc<float>();
  what.res.linear.sizeInBytes = 12 * sizeof(float);
  how.readMode = cudaReadModeElementType;
  cudaMemcpy(x, h, 12 * sizeof(float), cudaMemcpyHostToDevice);
  object of_x;
  cudaCreateTextureObject(&of_x, &what, &how, nullptr);
  if (is("written_before")) writes_before<<<1, 2>>>(of_x, x, 0, out);
  if (is("written_by_another")) writes_before<<<1, 2>>>(of_x, x, 1, out);

  // Arrays.
  cudaArray_t image;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>(), of_int = cudaCreateChannelDesc<int>();
  cudaMallocArray(&image, is("integers") ? &of_int : &channels, 4, 4, cudaArraySurfaceLoadStore | cudaArrayTextureGather);  // @array
  if (!is("unset"))
    cudaMemcpy2DToArray(image, 0, is("copy_too_high") ? 1 : 0, h, 16, is("copy_too_wide") ? 20 : 16, 4, cudaMemcpyHostToDevice);  // @rows
  object two = texture_of(image, how);
  if (is("freed")) cudaFreeArray(image);
  if (is("destroyed")) cudaDestroyTextureObject(two);
  if (is("of_nothing")) two = 0;
  if (is("linear_memory")) two = of_x;
  if (is("right")) {
    planes(image, two, out);
    boxes_layers_and_cubes(h, out);
    levels_of_a_mipmap(out);
  }

  cudaSurfaceObject_t s;
  what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = image;
  cudaCreateSurfaceObject(&s, &what);
  if (is("right")) {
    surface(s, image);
    errors(x);
  }
  if (is("in_place")) shift<<<1, dim3(4, 4)>>>(s);
  if (is("twice")) twice<<<1, 4>>>(s, out);
  if (is("texture_as_surface")) s = two;
  if (is("surface_beyond") || is("texture_as_surface")) beyond<<<1, 1>>>(s, 16, cudaBoundaryModeTrap);
  if (is("surface_column")) beyond<<<1, 1>>>(s, 2, cudaBoundaryModeTrap);
  if (is("surface_zero")) beyond<<<1, 1>>>(s, -4, cudaBoundaryModeZero);
  if (is("between_streams")) {
    between_streams(two, s, out);
  } else if (!is("right") && !is("surface_beyond") && !is("surface_column") && !is("texture_as_surface") && std::strncmp(argv[1], "copy", 4) != 0) {
    plane<<<1, 1>>>(two, 0, 0, out);
  }
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(t);
  cudaDestroySurfaceObject(s);
  cudaFree(x);
  cudaFree(out);
  if (!is("freed")) cudaFreeArray(image);
}
