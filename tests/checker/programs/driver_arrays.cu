// Arrays, textures and surfaces of the driver API.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++failures, std::printf("line %d: %s\n", __LINE__, #CONDITION)
#define CALL(WHAT) EXPECT((WHAT) == CUDA_SUCCESS)

__global__ void reads(CUtexObject texture, float* to, int width, int height) {
  const int i = threadIdx.x;
  if (i < width * height) to[i] = tex2D<float>(texture, i % width + 0.5f, i / width + 0.5f);  // @reads
}
__global__ void reads_volume(CUtexObject texture, unsigned* to) {
  const int i = threadIdx.x;
  const uchar4 x = tex3D<uchar4>(texture, i % 3, i / 3 % 2, i / 6);
  to[i] = x.x | x.y << 8 | x.z << 16 | unsigned(x.w) << 24;
}
__global__ void doubles(CUsurfObject surface) {
  const int i = threadIdx.x;
  surf2Dwrite(2 * surf2Dread<float>(surface, i % 4 * 4, i / 4), surface, i % 4 * 4, i / 4);
}

static CUtexObject texture_of(CUarray array, unsigned flags, CUaddress_mode mode = CU_TR_ADDRESS_MODE_CLAMP) {
  CUDA_RESOURCE_DESC what;
  CUDA_TEXTURE_DESC how;
  std::memset(&what, 0, sizeof what);
  std::memset(&how, 0, sizeof how);
  what.resType = CU_RESOURCE_TYPE_ARRAY;
  what.res.array.hArray = array;
  for (CUaddress_mode& each : how.addressMode) each = mode;
  how.filterMode = CU_TR_FILTER_MODE_POINT;
  how.flags = flags;
  CUtexObject made = 0;
  CALL(cuTexObjectCreate(&made, &what, &how, nullptr));
  return made;
}
static void planes() {
  const int width = 4, height = 3;
  std::vector<float> image(width * height), got(width * height), rows(2 * height);
  for (int i = 0; i < width * height; ++i) image[i] = static_cast<float>(i);
  CUDA_ARRAY_DESCRIPTOR as{4, 3, CU_AD_FORMAT_FLOAT, 1}, asked;
  CUDA_ARRAY3D_DESCRIPTOR with_surface{4, 3, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array, other;
  CUdeviceptr out;
  CALL(cuArrayCreate(&array, &as));
  CALL(cuArray3DCreate(&other, &with_surface));
  CALL(cuMemAlloc(&out, got.size() * sizeof(float)));
  CALL(cuArrayGetDescriptor(&asked, array));
  EXPECT(asked.Width == 4 && asked.Height == 3 && asked.Format == CU_AD_FORMAT_FLOAT && asked.NumChannels == 1);
  CUDA_MEMCPY2D copy;
  std::memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = image.data();
  copy.srcPitch = width * sizeof(float);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = copy.srcPitch;
  copy.Height = height;
  CALL(cuMemcpy2D(&copy));
  const CUtexObject texture = texture_of(array, 0);
  reads<<<1, 32>>>(texture, reinterpret_cast<float*>(out), width, height);
  CALL(cuMemcpyDtoH(got.data(), out, got.size() * sizeof(float)));
  EXPECT(got == image);
  // The right half of the lower rows, and the others by bytes.
  std::memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.srcXInBytes = 2 * sizeof(float);
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = rows.data();
  copy.dstPitch = 2 * sizeof(float);
  copy.WidthInBytes = 2 * sizeof(float);
  copy.Height = 2;
  CALL(cuMemcpy2D(&copy));
  EXPECT(rows[0] == 6 && rows[1] == 7 && rows[2] == 10 && rows[3] == 11);
  // All of it, from one array to another.
  std::memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstArray = other;
  copy.WidthInBytes = width * sizeof(float);
  copy.Height = height;
  CALL(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC what;
  std::memset(&what, 0, sizeof what);
  what.res.array.hArray = other;
  CUsurfObject surface = 0;
  CALL(cuSurfObjectCreate(&surface, &what));
  doubles<<<1, 12>>>(surface);
  copy.srcArray = other;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = got.data();
  copy.dstPitch = width * sizeof(float);
  CALL(cuMemcpy2D(&copy));
  for (int i = 0; i < width * height; ++i) EXPECT(got[i] == 2 * image[i]);
#ifdef __HEDDLE_CHECK__
  // A driver may take one kind of object for the other.
  EXPECT(cuTexObjectDestroy(surface) != CUDA_SUCCESS);
#endif
  CALL(cuSurfObjectDestroy(surface));
  CALL(cuTexObjectDestroy(texture));
  CALL(cuArrayDestroy(array));
  CALL(cuArrayDestroy(other));
  CALL(cuMemFree(out));
}
// Bytes of arrays of one axis; those of two are refused.
static void lines() {
  const int width = 12;
  CUDA_ARRAY_DESCRIPTOR line{width, 0, CU_AD_FORMAT_FLOAT, 1}, plane{4, 3, CU_AD_FORMAT_FLOAT, 1};
  std::vector<float> image(width), got(width);
  for (int i = 0; i < width; ++i) image[i] = static_cast<float>(i);
  CUarray from, to, flat;
  CUdeviceptr out;
  CALL(cuArrayCreate(&from, &line));
  CALL(cuArrayCreate(&to, &line));
  CALL(cuArrayCreate(&flat, &plane));
  CALL(cuMemAlloc(&out, width * sizeof(float)));
  CALL(cuMemcpyHtoA(from, 0, image.data(), width * sizeof(float)));
  CALL(cuMemcpyAtoA(to, 0, from, 0, width * sizeof(float)));
  CALL(cuMemcpyAtoD(out, to, 0, width * sizeof(float)));
  CALL(cuMemcpyDtoA(from, 4 * sizeof(float), out, 8 * sizeof(float)));
  CALL(cuMemcpyAtoH(got.data(), from, 0, width * sizeof(float)));
  for (int i = 0; i < width; ++i) EXPECT(got[i] == image[i < 4 ? i : i - 4]);
  EXPECT(cuMemcpyHtoA(flat, 0, image.data(), width * sizeof(float)) != CUDA_SUCCESS);
  EXPECT(cuMemcpyAtoH(got.data(), flat, 0, width * sizeof(float)) != CUDA_SUCCESS);
  EXPECT(cuMemcpyAtoA(flat, 0, from, 0, width * sizeof(float)) != CUDA_SUCCESS);
  EXPECT(cuMemcpyAtoA(to, 0, flat, 0, width * sizeof(float)) != CUDA_SUCCESS);
  for (const CUarray each : {from, to, flat}) CALL(cuArrayDestroy(each));
  CALL(cuMemFree(out));
}
// Four bytes an element, in a box; and a texture that gives numbers up to 1.
static void volumes() {
  std::vector<unsigned> box(3 * 2 * 2), got(box.size());
  for (size_t i = 0; i < box.size(); ++i) box[i] = static_cast<unsigned>(0x03020100 + 0x10 * i);
  CUDA_ARRAY3D_DESCRIPTOR as{3, 2, 2, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}, asked, one{4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
  CUDA_ARRAY3D_DESCRIPTOR wrong{4, 3, 0, CU_AD_FORMAT_FLOAT, 3, 0};
  CUarray array, small;
  CUdeviceptr out;
  EXPECT(cuArray3DCreate(&array, &wrong) == CUDA_ERROR_INVALID_VALUE);
  CALL(cuArray3DCreate(&array, &as));
  CALL(cuArray3DGetDescriptor(&asked, array));
  EXPECT(asked.Depth == 2 && asked.NumChannels == 4 && asked.Format == CU_AD_FORMAT_UNSIGNED_INT8);
  CALL(cuMemAlloc(&out, box.size() * sizeof(unsigned)));
  CUDA_MEMCPY3D copy;
  std::memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = box.data();
  copy.srcPitch = 3 * sizeof(unsigned);
  copy.srcHeight = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 3 * sizeof(unsigned);
  copy.Height = 2;
  copy.Depth = 2;
  CALL(cuMemcpy3D(&copy));
  const CUtexObject texture = texture_of(array, CU_TRSF_READ_AS_INTEGER);
  reads_volume<<<1, 12>>>(texture, reinterpret_cast<unsigned*>(out));
  CALL(cuMemcpyDtoH(got.data(), out, got.size() * sizeof(unsigned)));
  EXPECT(got == box);
  std::vector<unsigned char> bytes(12);
  std::vector<float> parts(12);
  for (int i = 0; i < 12; ++i) bytes[i] = static_cast<unsigned char>(20 * i);
  CALL(cuArray3DCreate(&small, &one));
  CUDA_MEMCPY2D plane;
  std::memset(&plane, 0, sizeof plane);
  plane.srcMemoryType = CU_MEMORYTYPE_HOST;
  plane.srcHost = bytes.data();
  plane.srcPitch = plane.WidthInBytes = 4;
  plane.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  plane.dstArray = small;
  plane.Height = 3;
  CALL(cuMemcpy2D(&plane));
  const CUtexObject normalised = texture_of(small, 0);
  reads<<<1, 32>>>(normalised, reinterpret_cast<float*>(out), 4, 3);
  CALL(cuMemcpyDtoH(parts.data(), out, parts.size() * sizeof(float)));
  for (int i = 0; i < 12; ++i) EXPECT(parts[i] == static_cast<float>(20 * i) / 255);
  CALL(cuTexObjectDestroy(texture));
  CALL(cuTexObjectDestroy(normalised));
  CALL(cuArrayDestroy(array));
  CALL(cuArrayDestroy(small));
  CALL(cuMemFree(out));
}

int main(int count, char** words) {
  const char* const mode = count > 1 ? words[1] : "";
  CUdevice device;
  CUcontext context;
  CALL(cuInit(0));
  CALL(cuDeviceGet(&device, 0));
  CALL(cuDevicePrimaryCtxRetain(&context, device));
  CALL(cuCtxSetCurrent(context));
  if (*mode != 0) {
    CUarray array;
    CUdeviceptr out;
    const CUDA_ARRAY_DESCRIPTOR as{4, 3, CU_AD_FORMAT_FLOAT, 1};
    std::vector<float> image(13);
    cuArrayCreate(&array, &as);
    cuMemAlloc(&out, 12 * sizeof(float));
    if (std::strcmp(mode, "unset") == 0) {
      reads<<<1, 32>>>(texture_of(array, 0), reinterpret_cast<float*>(out), 4, 3);  // @launches
    } else {
      const CUDA_ARRAY_DESCRIPTOR of_line{12, 0, CU_AD_FORMAT_FLOAT, 1};
      CUarray line;
      cuArrayCreate(&line, &of_line);
      cuMemcpyHtoA(line, 0, image.data(), 13 * sizeof(float));  // @beyond
    }
    cuCtxSynchronize();
    return 0;
  }
  planes();
  lines();
  volumes();
  std::printf("failures: %d\n", failures);
}

// program --leak-check
// clean
// prints failures: 0
// program -- unset
// finds uninitialised-read @reads @launches of array
// program -- beyond
// finds invalid-copy @beyond
