#include "shared_library.hpp"

#include "dynamic_loader.hpp"
#include "target/gpu_devices.hpp"
#include <heddle/error.hpp>
#include <heddle/support/cuda_folders.hpp>
#include <heddle/support/fork.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>

namespace heddle {
namespace {

constinit fork_aware<std::vector<std::filesystem::path>> added_folders;

}  // namespace

void add_cuda_folder(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder);
  const auto added = added_folders.lock();
  if (std::find(added->begin(), added->end(), whole) == added->end()) added->push_back(whole);
}

}  // namespace heddle

namespace heddle::impl {

std::vector<std::filesystem::path> cuda_folders() {
  std::vector<std::filesystem::path> folders;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') folders.push_back(std::filesystem::absolute(value));
  }
  {
    const auto added = added_folders.lock();
    folders.insert(folders.end(), added->begin(), added->end());
  }
  if (*HEDDLE_CUDA_TOOLKIT != '\0') folders.emplace_back(HEDDLE_CUDA_TOOLKIT);
  folders.emplace_back("/usr/local/cuda");
  if (const int version = gpu::toolkit_version(); version != 0)
    folders.emplace_back(fmt::format("/usr/local/cuda-{}.{}", version / 1000, version % 1000 / 10));
  folders.emplace_back("/opt/cuda");
  return folders;
}

std::vector<std::string> cuda_files(const std::vector<std::string>& names) {
  std::vector<std::string> files = names;
  for (const std::filesystem::path& folder : cuda_folders()) {
    for (const char* const part : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
      for (const std::string& name : names) files.push_back((folder / part / name).string());
    }
  }
  return files;
}

shared_library::shared_library(const std::vector<std::string>& names, const char* remedy) {
  std::string reason;
  for (const std::string& name : names) {
    handle_ = load_library(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    name_ = name;
    if (handle_ != nullptr) return;
    if (reason.empty()) reason = dlerror();
  }
  fail(fmt::format("{}: {}", reason, remedy));
}

shared_library cuda_library(const std::string& name, int major, const char* remedy) {
  const std::string file = fmt::format("lib{}.so.{}", name, major);
  std::vector<std::string> files = cuda_files({file});
  files.push_back(fmt::format("{}/{}", HEDDLE_CUDA_LIBRARIES, file));
  return {files, remedy};
}

void* shared_library::optional_symbol(const char* name) const {
  return symbol_of_library(handle_, name);
}

void* shared_library::symbol(const char* name) const {
  void* const found = optional_symbol(name);
  if (found == nullptr) fail(fmt::format("{} has no function {}", name_, name));
  return found;
}

}  // namespace heddle::impl
