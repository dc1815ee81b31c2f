#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::impl {

/// A shared library that is loaded when it is first needed, and stays: a program that needs it never does not
/// pay its start. heddle::error tells what is to be installed.
class shared_library {
 public:
  /// The first of the names that can be loaded.
  shared_library(const std::vector<std::string>& names, const char* remedy);

  /// The function of that name.
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(symbol(name));
  }

  /// The same; null where the library has none.
  template <class F>
  F* optional_function(const char* name) const {
    return reinterpret_cast<F*>(optional_symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  void* optional_symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

/// Where CUDA toolkits are found on this machine, and what is like one: of CUDA_HOME and CUDA_PATH, those
/// that were added, and the usual places.
std::vector<std::filesystem::path> cuda_folders();

/// Where a library of CUDA that has one of the names may be: where the system looks, and in these folders.
std::vector<std::string> cuda_files(const std::vector<std::string>& names);

/// A library of the CUDA toolkit that Heddle was built with, of its major version: from where the system
/// looks, or from a toolkit.
shared_library cuda_library(const std::string& name, int major, const char* remedy);

}  // namespace heddle::impl
