#include "cuda_on_cpu/translate/refusals.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

struct refusal {
  std::string_view name;  // or, with a star at its end, how names begin
  std::string_view why;
};

constexpr std::string_view relaxed =
    "an arrival that orders nothing is not supported: __cluster_barrier_arrive is";
constexpr std::string_view multicast = "what goes to several blocks of a cluster at once is not supported";
constexpr std::string_view own_assembly =
    "assembly is not supported here: inline PTX is, in a function of the device";
constexpr std::string_view references =
    "it was taken out of CUDA: a texture object or a surface object says what is read";
constexpr std::string_view views = "views of a texture's memory in another format are not supported";
constexpr std::string_view sparse = "arrays whose memory is mapped piece by piece are not supported";
constexpr std::string_view conditional_nodes =
    "conditional nodes of graphs are not supported: test on the host, and launch one of several graphs";
constexpr std::string_view graphs_of_kernels = "graphs that kernels launch or change are not supported";
constexpr std::string_view graphics = "arrays shared with a graphics library are not supported";
constexpr std::string_view user_objects =
    "objects that graphs own are not supported: keep them until the graph has ended";
constexpr std::string_view entry_points =
    "functions of the driver by their names are not supported: call them";
constexpr std::string_view unified_functions =
    "functions of a library that the host may call, too, are not supported: cudaLibraryGetKernel gives a "
    "kernel";
constexpr std::string_view several_processes =
    "memory and events of several processes are not supported: threads of one process share them";
constexpr std::string_view spaces =
    "which memory an address is in is not known: a pointer serves for all of them";
constexpr std::string_view pending = "how many arrivals a phase lacks is not known to its token";
constexpr std::string_view several_grids =
    "grids of several devices were taken out of CUDA: launch a kernel on each, and let events order them";
constexpr std::string_view group_results = "it is not supported: the same without _async is";
constexpr std::string_view counters =
    "counters of a profiler are not supported: heddle check --profile counts";
constexpr std::string_view small_floats =
    "floating point of 6 and 4 bits is not supported: that of 8 and 16 is";
constexpr std::string_view launches = "launches from a kernel are not supported";
constexpr std::string_view overlapped = "launches that overlap are not supported";

constexpr refusal refused[] = {
    {"__cluster_barrier_arrive_relaxed", relaxed},
    {"__cluster_map_shared_multicast", multicast},
    {"this_multi_grid", several_grids},
    {"multi_grid_group", several_grids},
    {"cudaLaunchCooperativeKernelMultiDevice", several_grids},
    {"cuLaunchCooperativeKernelMultiDevice", several_grids},
    {"asm", own_assembly},
    {"__asm__", own_assembly},
    {"__asm", own_assembly},
    {"texture", references},
    {"surface", references},
    {"textureReference", references},
    {"surfaceReference", references},
    {"cudaBindTexture*", references},
    {"cudaBindSurface*", references},
    {"cudaUnbindTexture", references},
    {"cudaGetTextureReference", references},
    {"cudaGetSurfaceReference", references},
    {"cudaResourceViewDesc", views},
    {"cudaArrayGetSparseProperties", sparse},
    {"cudaArraySparse*", sparse},
    {"cudaArrayDeferredMapping", sparse},
    {"cudaGraphics*", graphics},
    {"cudaGraphConditional*", conditional_nodes},
    {"cudaGraphSetConditional", conditional_nodes},
    {"cudaGraphAddExternalSemaphores*", graphics},
    {"cudaGraphKernelNodeSetEnabled", graphs_of_kernels},
    {"cudaGraphKernelNodeSetGridDim", graphs_of_kernels},
    {"cudaGraphKernelNodeSetParam", graphs_of_kernels},
    {"cudaGraphKernelNodeUpdate*", graphs_of_kernels},
    {"cudaGraphDeviceNode_t", graphs_of_kernels},
    {"cudaGetCurrentGraphExec", graphs_of_kernels},
    {"cudaMemPoolExport*", several_processes},
    {"cudaMemPoolImport*", several_processes},
    {"cudaIpc*", several_processes},
    {"cudaUserObject*", user_objects},
    {"cudaGraphRetainUserObject", user_objects},
    {"cudaGraphReleaseUserObject", user_objects},
    {"cudaGetDriverEntryPoint*", entry_points},
    {"cudaLibraryGetUnifiedFunction", unified_functions},
    {"cudaGetParameterBuffer*", launches},
    {"cudaLaunchDevice*", launches},
    {"cudaGridDependencySynchronize", overlapped},
    {"cudaTriggerProgrammaticLaunchCompletion", overlapped},
    {"__isGlobal", spaces},
    {"__isConstant", spaces},
    {"__isLocal", spaces},
    {"__isGridConstant", spaces},
    {"__mbarrier_token_pending_count", pending},
    {"inclusive_scan_update_async", group_results},
    {"exclusive_scan_update_async", group_results},
    {"__pm0", counters},
    {"__pm1", counters},
    {"__pm2", counters},
    {"__pm3", counters},
    {"__prof_trigger", counters},
    {"__nv_fp6*", small_floats},
    {"__nv_fp4*", small_floats},
    {"__shfl", "it was taken out of CUDA: __shfl_sync names the lanes"},
    {"__shfl_up", "it was taken out of CUDA: __shfl_up_sync names the lanes"},
    {"__shfl_down", "it was taken out of CUDA: __shfl_down_sync names the lanes"},
    {"__shfl_xor", "it was taken out of CUDA: __shfl_xor_sync names the lanes"},
    {"__any", "it was taken out of CUDA: __any_sync names the lanes"},
    {"__all", "it was taken out of CUDA: __all_sync names the lanes"},
    {"__ballot", "it was taken out of CUDA: __ballot_sync names the lanes"},
};

bool is_named(const refusal& r, std::string_view word) {
  if (!r.name.ends_with('*')) return word == r.name;
  return word.starts_with(r.name.substr(0, r.name.size() - 1));
}

}  // namespace

void refuse(const token& at, const std::string& what) {
  throw error(fmt::format("{}:{}: {}", *at.file, at.line, what));
}

std::string why_unsupported(const token_sequence& t, std::size_t i, bool called_so, bool in_device_code) {
  const std::string_view w = t[i].text;
  if (!called_so) return "";
  // Names that a program may well use for something else are refused where only CUDA's meaning fits.
  const bool has_arguments = t.is(i + 1, "<");
  if (w == "cudaDeviceSynchronize" && in_device_code && t.is(i + 1, "("))
    return "cudaDeviceSynchronize: that a kernel waits for what it launches was taken out of CUDA: "
           "cudaStreamTailLaunch runs what comes after";
  // The host's assembly is its own.
  if (!in_device_code && (w == "asm" || w == "__asm__" || w == "__asm")) return "";
  for (const refusal& r : refused) {
    if (!is_named(r, w) || ((w == "texture" || w == "surface") && !has_arguments)) continue;
    return fmt::format("{}: {}", w, r.why);
  }
  const bool is_smaller =
      w.find("_fp6") != std::string_view::npos || w.find("_fp4") != std::string_view::npos;
  if (w.starts_with("__nv_cvt_") && is_smaller) return fmt::format("{}: {}", w, small_floats);
  return "";
}

}  // namespace heddle::cuda_on_cpu
