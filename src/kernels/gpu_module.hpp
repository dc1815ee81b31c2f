#pragma once

#include "gpu/entry.hpp"
#include <heddle/target.hpp>

#include <memory>
#include <string>

namespace heddle {
struct module_options;
namespace impl {
class module_state;
}  // namespace impl
}  // namespace heddle

namespace heddle::gpu {

/// Whether kernels can be compiled from source for the GPUs of this machine: there is one, and NVRTC.
#if HEDDLE_WITH_CUDA
bool can_compile_modules() noexcept;
#else
inline bool can_compile_modules() noexcept {
  return false;
}
#endif

/// By NVRTC, for the device of `where`.
HEDDLE_GPU_ENTRY(compile_module,
                 std::shared_ptr<impl::module_state>(const target& where, const std::string& source,
                                                     const module_options& options));

}  // namespace heddle::gpu
