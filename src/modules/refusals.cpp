#include "modules/refusals.hpp"

#include <heddle/error.hpp>

#include <string_view>

#include <fmt/format.h>

namespace heddle::modules {
namespace {

struct refusal {
  std::string_view name;
  const char* why;
};
constexpr refusal refused[] = {
    {"__cluster_dims__", "thread block clusters are not supported"},
    {"cluster_group", "thread block clusters are not supported"},
    {"this_cluster", "thread block clusters are not supported"},
    {"this_multi_grid", "grids of several devices are not supported"},
    {"asm", "inline PTX is not supported"},
    {"__asm__", "inline PTX is not supported"},
    {"__asm", "inline PTX is not supported"},
    {"texture", "textures are not supported"},
    {"tex1D", "textures are not supported"},
    {"tex2D", "textures are not supported"},
    {"tex3D", "textures are not supported"},
    {"tex1Dfetch", "textures are not supported"},
    {"cudaTextureObject_t", "textures are not supported"},
    {"cudaSurfaceObject_t", "surfaces are not supported"},
    {"surf2Dread", "surfaces are not supported"},
    {"surf2Dwrite", "surfaces are not supported"},
    {"cudaCreateTextureObject", "textures are not supported"},
    {"cudaBindTexture", "textures are not supported"},
    {"cudaMallocArray", "textures and their arrays are not supported"},
    {"cudaMalloc3DArray", "textures and their arrays are not supported"},
    {"cudaMemcpyToArray", "textures and their arrays are not supported"},
    {"cudaMemcpy2DToArray", "textures and their arrays are not supported"},
    {"cudaCreateSurfaceObject", "surfaces are not supported"},
    {"cudaGraph_t", "graphs are not supported"},
    {"cudaGraphExec_t", "graphs are not supported"},
    {"cudaGraphCreate", "graphs are not supported"},
    {"cudaStreamBeginCapture", "graphs are not supported"},
    {"cudaMemPool_t", "memory pools of a program's own are not supported"},
    {"cudaMallocFromPoolAsync", "memory pools of a program's own are not supported"},
    {"cudaIpcMemHandle_t", "memory of several processes is not supported"},
    {"cudaDeviceEnablePeerAccess", "there is one device"},
    {"memcpy_async", "asynchronous copies are not supported"},
    {"__pipeline_memcpy_async", "asynchronous copies are not supported"},
    {"__nv_bfloat16", "bfloat16 is not supported"},
    {"__shfl", "it was taken out of CUDA: __shfl_sync names the lanes"},
    {"__shfl_up", "it was taken out of CUDA: __shfl_up_sync names the lanes"},
    {"__shfl_down", "it was taken out of CUDA: __shfl_down_sync names the lanes"},
    {"__shfl_xor", "it was taken out of CUDA: __shfl_xor_sync names the lanes"},
    {"__any", "it was taken out of CUDA: __any_sync names the lanes"},
    {"__all", "it was taken out of CUDA: __all_sync names the lanes"},
    {"__ballot", "it was taken out of CUDA: __ballot_sync names the lanes"},
};

}  // namespace

void refuse(const token& at, const std::string& what) {
  throw error(fmt::format("{}:{}: {}", *at.file, at.line, what));
}

void refuse_unsupported(const token_sequence& t, std::size_t i, bool called_so, bool in_device_code) {
  const std::string_view w = t[i].text;
  for (const refusal& r : refused) {
    if (w != r.name || !called_so) continue;
    // Names that a program may well use for something else are refused where only CUDA's meaning fits.
    if (w == "texture" && !t.is(i + 1, "<")) continue;
    if (w == "memcpy_async" && !t.is(i + 1, "(")) continue;
    refuse(t[i], fmt::format("{}: {}", w, r.why));
  }
  const bool allocates = ((w == "malloc" || w == "free") && t.is(i + 1, "(")) ||
                         (w == "new" && !t.is(i + 1, "(")) || (w == "delete" && !t.is(i - 1, "="));
  if (allocates && called_so && in_device_code) {
    refuse(t[i], fmt::format("{}: memory that a kernel allocates is not supported", w));
  }
  if (w == "wmma" && t.is(i + 1, "::")) refuse(t[i], "nvcuda::wmma: tensor cores are not supported");
}

}  // namespace heddle::modules
