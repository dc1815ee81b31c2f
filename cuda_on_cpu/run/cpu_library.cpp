#include "cuda_on_cpu/run/cpu_library.hpp"

#include "target/dynamic_loader.hpp"
#include <heddle/error.hpp>

#include <algorithm>

#include <dlfcn.h>
#include <fmt/core.h>

namespace heddle::cuda_on_cpu {

cpu_library::cpu_library(const compilation& compiled) {
  handle_ = impl::load_library(compiled.library->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  // The host's part, which is not run, may call what is in other files.
  if (handle_ == nullptr)
    handle_ = impl::load_library(compiled.library->path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle_ == nullptr) throw error(fmt::format("the compiled kernel cannot be loaded: {}", dlerror()));
  const auto functions = unwatched_functions();
  std::copy(functions.begin(), functions.end(), static_cast<void**>(function("heddle_module_slots")));
  kernels_ = static_cast<const heddle_device::kernel_entry*>(function("heddle_module_kernels"));
  enter = reinterpret_cast<decltype(enter)>(function("heddle_module_enter"));
  enter_thread = reinterpret_cast<decltype(enter_thread)>(function("heddle_module_enter_thread"));
}

cpu_library::~cpu_library() {
  if (handle_ != nullptr) impl::unload_library(handle_);
}

const heddle_device::kernel* cpu_library::find(const std::string& entry) const {
  const heddle_device::kernel_entry* at = kernels_;
  while (at->name != nullptr && entry != at->name) ++at;
  return at->kernel;
}

void* cpu_library::function(const char* name) const {
  void* const found = impl::symbol_of_library(handle_, name);
  if (found == nullptr) throw error(fmt::format("the compiled kernel has no {}", name));
  return found;
}

}  // namespace heddle::cuda_on_cpu
