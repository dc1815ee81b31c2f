#pragma once

#include <heddle/error.hpp>

#include <string>

#include <dlfcn.h>

/// A library of the CUDA toolkit, loaded when the program runs: from where the system looks, or from the
/// toolkit that the benchmark was built with.
class toolkit_library {
 public:
  toolkit_library(const std::string& name, int major) : file_("lib" + name + ".so." + std::to_string(major)) {
    for (const std::string& path : {file_, std::string(HEDDLE_CUDA_LIBRARIES "/") + file_}) {
      handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
    throw heddle::error(dlerror() + std::string(": install it with the CUDA toolkit"));
  }

  /// The function of that name.
  template <class F>
  F* function(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) throw heddle::error(file_ + " has no function " + name);
    return reinterpret_cast<F*>(found);
  }

 private:
  std::string file_;
  void* handle_ = nullptr;
};
