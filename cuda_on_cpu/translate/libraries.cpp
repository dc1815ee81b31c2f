#include "cuda_on_cpu/translate/libraries.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

constexpr library libraries[] = {
    // What the toolkit's own headers declare is there without them.
    {"the toolkit", "",
     "builtin_types.h channel_descriptor.h common_functions.h cuda_device_runtime_api.h cuda_occupancy.h "
     "cuda_texture_types.h device_double_functions.h device_types.h driver_functions.h driver_types.h "
     "host_config.h "
     "host_defines.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h "
     "sm_32_atomic_functions.h sm_32_intrinsics.h sm_35_atomic_functions.h sm_35_intrinsics.h "
     "sm_61_intrinsics.h "
     "surface_functions.h surface_types.h texture_types.h vector_functions.hpp"},
    {"the toolkit", "", "library_types.h", "heddle_device/data_types.hpp"},
    // Their names are refused by themselves.
    {"the toolkit", "", "cuda_fp4.h cuda_fp6.h"},
    {"the standard library", "",
     "cuda/std/algorithm cuda/std/array cuda/std/bit cuda/std/bitset cuda/std/cassert cuda/std/cfloat "
     "cuda/std/chrono "
     "cuda/std/climits cuda/std/cmath cuda/std/complex cuda/std/concepts cuda/std/cstddef cuda/std/cstdint "
     "cuda/std/cstdlib cuda/std/cstring cuda/std/ctime cuda/std/functional cuda/std/initializer_list "
     "cuda/std/iterator cuda/std/limits cuda/std/memory cuda/std/numbers cuda/std/numeric cuda/std/optional "
     "cuda/std/ranges cuda/std/ratio cuda/std/source_location cuda/std/span cuda/std/tuple "
     "cuda/std/type_traits cuda/std/utility "
     "cuda/std/variant cuda/std/version cuda/version",
     "heddle_device/standard_library.hpp"},
    {"cuda::annotated_ptr", "cuda::annotated_ptr cuda::access_property cuda::associate_access_property",
     "cuda/annotated_ptr"},
    {"cuda::discard_memory", "cuda::discard_memory", "cuda/discard_memory"},
    {"cuda::ptx", "cuda::ptx", "cuda/ptx"},
    {"cuBLAS", "cublas CUBLAS", "cublas_v2.h cublas_api.h", "heddle_device/blas/blas.hpp"},
    {"cublasLt", "cublas CUBLAS", "cublasLt.h", "heddle_device/blas/lt.hpp"},
    {"cublasXt", "cublas CUBLAS", "cublasXt.h", "heddle_device/blas/xt.hpp"},
    {"cuBLAS of its first days", "cublas CUBLAS", "cublas.h"},
    {"cuDNN", "cudnn CUDNN", "cudnn.h cudnn_frontend.h"},
    {"cuFFT", "cufft CUFFT", "cufft.h cufftXt.h", "heddle_device/fft/fft.hpp"},
    {"cuFFT's interface of FFTW", "fftw FFTW", "cufftw.h"},
    {"cuRAND", "curand CURAND",
     "curand.h curand_kernel.h curand_globals.h curand_normal.h curand_uniform.h curand_philox4x32_x.h "
     "curand_mtgp32.h curand_mtgp32_host.h curand_mtgp32_kernel.h curand_mtgp32dc_p_11213.h curand_poisson.h "
     "curand_lognormal.h curand_discrete.h curand_mrg32k3a.h curand_precalc.h",
     "heddle_device/rand/rand.hpp"},
    {"cuSOLVER", "cusolver CUSOLVER", "cusolverDn.h cusolver_common.h", "heddle_device/solver/solver.hpp"},
    {"cuSOLVER of sparse matrices", "cusolver CUSOLVER", "cusolverSp.h cusolverSp_LOWLEVEL_PREVIEW.h",
     "heddle_device/solver/sparse_solver.hpp"},
    {"cuSOLVER's refactorisation", "cusolver CUSOLVER", "cusolverRf.h",
     "heddle_device/solver/refactorisation.hpp"},
    {"cuSOLVER of several devices", "cusolver CUSOLVER", "cusolverMg.h"},
    {"cuSPARSE", "cusparse CUSPARSE", "cusparse.h cusparse_v2.h", "heddle_device/sparse/sparse.hpp"},
    {"cuTENSOR", "cutensor CUTENSOR", "cutensor.h"},
    {"CUPTI", "cupti CUPTI", "cupti.h"},
    {"NCCL", "nccl NCCL", "nccl.h"},
    {"NPP", "npp Npp NPP",
     "npp.h nppcore.h nppdefs.h nppi.h npps.h nppversion.h nppi_arithmetic_and_logical_operations.h "
     "nppi_color_conversion.h nppi_filtering_functions.h nppi_geometry_transforms.h "
     "nppi_morphological_operations.h nppi_statistics_functions.h"},
    {"nvJPEG", "nvjpeg NVJPEG", "nvjpeg.h"},
    {"NVML", "nvml NVML", "nvml.h"},
    {"NVRTC", "nvrtc NVRTC", "nvrtc.h", "heddle_device/rtc/rtc.hpp"},
    {"the CUDA driver API",
     "cuInit cuDevice cuCtx cuModule cuMem cuLaunch cuStream cuEvent cuFunc cuLink cuGet cuTex cuSurf "
     "cuArray "
     "cuMipmapped cuPointer "
     "cuLibrary cuKernel cuProfiler CUdevice CUcontext CUmodule CUfunction CUresult CUlink CUarray CUtex "
     "CUjit "
     "CUlibrary CUkernel CUmem CUipc",
     "cuda.h cudaProfiler.h cudaTypedefs.h", "heddle_device/driver/driver.hpp"},
    {"CUB",
     "cub::BlockMergeSort cub::BlockRadixRank cub::BlockShuffle cub::BlockRunLengthDecode cub::WarpExchange "
     "cub::WarpLoad cub::WarpStore cub::WarpMergeSort cub::DeviceCopy cub::DeviceMemcpy cub::DeviceMerge "
     "cub::DeviceSpmv cub::DeviceTransform cub::GridBarrier cub::GridEvenShare cub::GridQueue "
     "cub::TexObjInputIterator cub::ThreadReduce cub::detail cub::internal",
     "cub/cub.cuh cub/version.cuh cub/util_allocator.cuh cub/util_debug.cuh cub/util_device.cuh "
     "cub/util_macro.cuh "
     "cub/util_ptx.cuh cub/util_type.cuh cub/block/block_adjacent_difference.cuh "
     "cub/block/block_discontinuity.cuh cub/block/block_exchange.cuh cub/block/block_histogram.cuh "
     "cub/block/block_load.cuh cub/block/block_merge_sort.cuh cub/block/block_radix_rank.cuh "
     "cub/block/block_radix_sort.cuh cub/block/block_reduce.cuh cub/block/block_scan.cuh "
     "cub/block/block_shuffle.cuh cub/block/block_store.cuh cub/device/device_adjacent_difference.cuh "
     "cub/device/device_copy.cuh cub/device/device_for.cuh cub/device/device_histogram.cuh "
     "cub/device/device_memcpy.cuh cub/device/device_merge.cuh cub/device/device_merge_sort.cuh "
     "cub/device/device_partition.cuh cub/device/device_radix_sort.cuh cub/device/device_reduce.cuh "
     "cub/device/device_run_length_encode.cuh cub/device/device_scan.cuh "
     "cub/device/device_segmented_radix_sort.cuh cub/device/device_segmented_reduce.cuh "
     "cub/device/device_segmented_sort.cuh cub/device/device_select.cuh cub/device/device_spmv.cuh "
     "cub/device/device_transform.cuh cub/iterator/arg_index_input_iterator.cuh "
     "cub/iterator/cache_modified_input_iterator.cuh cub/iterator/constant_input_iterator.cuh "
     "cub/iterator/counting_input_iterator.cuh cub/iterator/transform_input_iterator.cuh "
     "cub/grid/grid_barrier.cuh "
     "cub/grid/grid_even_share.cuh cub/grid/grid_queue.cuh cub/thread/thread_load.cuh "
     "cub/thread/thread_operators.cuh "
     "cub/thread/thread_reduce.cuh cub/thread/thread_scan.cuh cub/thread/thread_search.cuh "
     "cub/thread/thread_store.cuh cub/warp/warp_exchange.cuh cub/warp/warp_load.cuh "
     "cub/warp/warp_merge_sort.cuh "
     "cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh cub/warp/warp_store.cuh "
     "cub/block/block_raking_layout.cuh cub/block/block_run_length_decode.cuh "
     "cub/block/radix_rank_sort_operations.cuh cub/config.cuh cub/grid/grid_mapping.cuh "
     "cub/iterator/cache_modified_output_iterator.cuh cub/iterator/tex_obj_input_iterator.cuh "
     "cub/thread/thread_sort.cuh cub/util_arch.cuh cub/util_cpp_dialect.cuh cub/util_math.cuh "
     "cub/util_namespace.cuh cub/util_policy_wrapper_t.cuh cub/util_temporary_storage.cuh cub/util_vsmem.cuh",
     "heddle_device/cub/all.hpp"},
    {"Thrust", "thrust::complex thrust::async thrust::universal_vector thrust::universal_ptr",
     "thrust/adjacent_difference.h thrust/advance.h thrust/allocate_unique.h thrust/async/copy.h "
     "thrust/async/reduce.h thrust/binary_search.h thrust/complex.h thrust/copy.h thrust/count.h "
     "thrust/detail/config.h thrust/detail/type_traits.h thrust/device_allocator.h thrust/device_delete.h "
     "thrust/device_free.h thrust/device_malloc.h "
     "thrust/device_malloc_allocator.h thrust/device_new.h thrust/device_ptr.h thrust/device_reference.h "
     "thrust/device_vector.h thrust/distance.h thrust/equal.h thrust/execution_policy.h thrust/extrema.h "
     "thrust/fill.h thrust/find.h thrust/for_each.h thrust/functional.h thrust/gather.h thrust/generate.h "
     "thrust/host_vector.h thrust/inner_product.h thrust/iterator/constant_iterator.h "
     "thrust/iterator/counting_iterator.h thrust/iterator/discard_iterator.h "
     "thrust/iterator/iterator_adaptor.h thrust/iterator/iterator_facade.h thrust/iterator/iterator_traits.h "
     "thrust/iterator/permutation_iterator.h thrust/iterator/reverse_iterator.h "
     "thrust/iterator/transform_iterator.h thrust/iterator/transform_output_iterator.h "
     "thrust/iterator/zip_iterator.h thrust/logical.h thrust/memory.h thrust/merge.h thrust/mismatch.h "
     "thrust/mr/allocator.h thrust/pair.h thrust/partition.h thrust/random.h "
     "thrust/random/linear_congruential_engine.h thrust/random/normal_distribution.h "
     "thrust/random/uniform_int_distribution.h thrust/random/uniform_real_distribution.h thrust/reduce.h "
     "thrust/remove.h thrust/replace.h thrust/reverse.h thrust/scan.h thrust/scatter.h thrust/sequence.h "
     "thrust/set_operations.h thrust/shuffle.h thrust/sort.h thrust/swap.h "
     "thrust/system/cuda/execution_policy.h "
     "thrust/system/cuda/error.h thrust/system/cuda/vector.h thrust/system/omp/execution_policy.h "
     "thrust/system/tbb/execution_policy.h thrust/system_error.h thrust/tabulate.h thrust/transform.h "
     "thrust/transform_reduce.h thrust/transform_scan.h thrust/tuple.h thrust/uninitialized_copy.h "
     "thrust/uninitialized_fill.h thrust/unique.h thrust/universal_vector.h thrust/version.h "
     "thrust/zip_function.h thrust/addressof.h thrust/device_make_unique.h thrust/device_new_allocator.h "
     "thrust/iterator/iterator_categories.h thrust/iterator/offset_iterator.h thrust/iterator/retag.h "
     "thrust/iterator/tabulate_output_iterator.h thrust/iterator/transform_input_output_iterator.h "
     "thrust/mr/device_memory_resource.h thrust/mr/disjoint_pool.h thrust/mr/disjoint_sync_pool.h "
     "thrust/mr/disjoint_tls_pool.h thrust/mr/fancy_pointer_resource.h thrust/mr/host_memory_resource.h "
     "thrust/mr/memory_resource.h thrust/mr/new.h thrust/mr/polymorphic_adaptor.h thrust/mr/pool.h "
     "thrust/mr/pool_options.h thrust/mr/sync_pool.h thrust/mr/tls_pool.h "
     "thrust/mr/universal_memory_resource.h thrust/mr/validator.h thrust/per_device_resource.h "
     "thrust/random/discard_block_engine.h thrust/random/linear_feedback_shift_engine.h "
     "thrust/random/subtract_with_carry_engine.h thrust/random/xor_combine_engine.h "
     "thrust/system/cpp/execution_policy.h thrust/system/cpp/memory.h thrust/system/cpp/memory_resource.h "
     "thrust/system/cpp/pointer.h thrust/system/cpp/vector.h thrust/system/cuda/config.h "
     "thrust/system/cuda/memory.h thrust/system/cuda/memory_resource.h thrust/system/cuda/pointer.h "
     "thrust/system/error_code.h thrust/system/omp/memory.h thrust/system/omp/memory_resource.h "
     "thrust/system/omp/pointer.h thrust/system/omp/vector.h thrust/system/system_error.h "
     "thrust/system/tbb/memory.h thrust/system/tbb/memory_resource.h thrust/system/tbb/pointer.h "
     "thrust/system/tbb/vector.h thrust/type_traits/integer_sequence.h "
     "thrust/type_traits/is_contiguous_iterator.h thrust/type_traits/is_execution_policy.h "
     "thrust/type_traits/is_operator_less_or_greater_function_object.h "
     "thrust/type_traits/is_operator_plus_function_object.h thrust/type_traits/is_trivially_relocatable.h "
     "thrust/type_traits/logical_metafunctions.h thrust/type_traits/unwrap_contiguous_iterator.h "
     "thrust/universal_allocator.h thrust/universal_ptr.h",
     "heddle_device/thrust/all.hpp"},
};

/// Calls f with each of the words, until it returns true; says whether it did.
template <class F>
bool any_word(std::string_view text, F f) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (f(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

/// The identifiers in those parts of a preprocessed text that are of files with `place` in their paths.
std::set<std::string_view> words_in_files(std::string_view preprocessed, const std::string& place) {
  std::set<std::string_view> result;
  bool is_inside = false;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view line = preprocessed.substr(at, end - at);
    at = end + 1;
    // clang++ keeps the way that a header was named: heddle_device/solver/../sparse/sparse.hpp.
    if (line.starts_with("# "))
      is_inside = std::filesystem::path(line).lexically_normal().string().find(place) != std::string::npos;
    if (!is_inside || line.starts_with('#')) continue;
    const auto is_letter = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(line[i])) != 0 || line[i] == '_';
    };
    for (std::size_t i = 0; i < line.size();) {
      const std::size_t first = i;
      while (i < line.size() && is_letter(i)) ++i;
      if (i > first) result.insert(line.substr(first, i - first));
      if (i == first) ++i;
    }
  }
  return result;
}

}  // namespace

void write_headers_of_libraries(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> made;
  for (const library& l : libraries) {
    any_word(l.headers, [&](std::string_view header) {
      const std::filesystem::path path = folder / header;
      if (made.insert(path.parent_path()).second) std::filesystem::create_directories(path.parent_path());
      // g++ takes files of one content and time for one file.
      std::ofstream out(path);
      out << "#pragma once\n// " << header << "\n";
      if (l.replacement != nullptr) out << "#include \"" << l.replacement << "\"\n";
      return false;
    });
  }
}

std::vector<included_library> included_libraries(std::string_view preprocessed,
                                                 const std::filesystem::path& folder) {
  std::vector<included_library> result;
  for (const library& l : libraries) {
    const bool is_included = any_word(l.headers, [&](std::string_view header) {
      return preprocessed.find(fmt::format("\"{}\" 1", (folder / header).string())) != std::string_view::npos;
    });
    if (!is_included) continue;
    result.push_back({&l, {}});
    if (l.replacement != nullptr && !std::string_view(l.names).empty())
      result.back().declared =
          words_in_files(preprocessed, std::filesystem::path(l.replacement).parent_path().string());
  }
  return result;
}

const library* library_named(const token_sequence& t, std::size_t i,
                             const std::vector<included_library>& included) {
  const std::string_view word = t[i].text;
  for (const included_library& l : included) {
    const bool is_of = any_word(l.of->names, [&](std::string_view name) {
      if (name.ends_with("::")) {
        name.remove_suffix(2);
        return word == name && (t.is(i + 1, "::") || (i > 0 && t.is(i - 1, "namespace")));
      }
      // "cublas" of cublasCreate, "cuMem" of cuMemAlloc; not that of "cuMemory".
      if (const std::size_t at = name.find("::"); at != std::string_view::npos)
        return word == name.substr(at + 2) && i > 1 && t.is(i - 1, "::") && t.is(i - 2, name.substr(0, at));
      if (!word.starts_with(name) || l.declared.count(word) != 0) return false;
      if (word.size() == name.size() || name.starts_with("CU") || name.starts_with("NP")) return true;
      const auto is_lower = [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; };
      // "cublas_times" is the program's own; curand_init and fftw_plan are not.
      if (word[name.size()] == '_' && is_lower(name.back())) return name == "curand" || name == "fftw";
      return !is_lower(word[name.size()]);
    });
    if (is_of) return l.of;
  }
  return nullptr;
}

}  // namespace heddle::cuda_on_cpu
