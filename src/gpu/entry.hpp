#pragma once

#include <type_traits>

/// HEDDLE_GPU_ENTRY(name, signature) declares what a pattern runs on a GPU, which its gpu.cu defines; all
/// arrays are on the target. Without the CUDA toolkit a call throws.
#if !defined(HEDDLE_WITH_CUDA)
#error "HEDDLE_WITH_CUDA is not defined: heddle_part_of_library() defines it"
#elif HEDDLE_WITH_CUDA

#define HEDDLE_GPU_ENTRY(name, ...) std::type_identity_t<__VA_ARGS__> name

#else

namespace heddle::gpu {

[[noreturn]] void fail_no_gpu_support();

template <class Signature>
struct absent;
template <class R, class... A>
struct absent<R(A...)> {
  [[noreturn]] R operator()(A...) const { fail_no_gpu_support(); }
};

}  // namespace heddle::gpu

#define HEDDLE_GPU_ENTRY(name, ...) \
  inline constexpr absent<__VA_ARGS__> name {}

#endif
