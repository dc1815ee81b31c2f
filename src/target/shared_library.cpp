#include "shared_library.hpp"

#include <heddle/error.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

namespace heddle::impl {

shared_library::shared_library(const std::vector<std::string>& names, const char* remedy) {
  std::string reason;
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    name_ = name;
    if (handle_ != nullptr) return;
    if (reason.empty()) reason = dlerror();
  }
  fail(fmt::format("{}: {}", reason, remedy));
}

shared_library cuda_library(const std::string& name, int major, const char* remedy) {
  const std::string file = fmt::format("lib{}.so.{}", name, major);
  return {{file, fmt::format("{}/{}", HEDDLE_CUDA_LIBRARIES, file)}, remedy};
}

void* shared_library::optional_symbol(const char* name) const {
  return dlsym(handle_, name);
}

void* shared_library::symbol(const char* name) const {
  void* const found = optional_symbol(name);
  if (found == nullptr) fail(fmt::format("{} has no function {}", name_, name));
  return found;
}

}  // namespace heddle::impl
