#pragma once

#include "module.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::checker {

struct compile_options {
  std::vector<std::string> include_folders;  ///< -I
  std::vector<std::string> definitions;      ///< -D NAME or NAME=VALUE
  std::string standard = "c++20";
  bool is_watched = true;
};

/// A kernel of a file, compiled for this machine, and what that took.
struct compilation {
  std::filesystem::path library;
  kernel_declaration declaration;
  bool was_cached = false;
};

/// Compiles the kernel of a CUDA source with the system's C++ compiler: that of $CXX, or g++ or clang++,
/// whichever is there. What it makes is kept in the user's cache folder under a name that the source, the
/// options, the compiler and all headers that it read determine, so that the next call starts no compiler;
/// two processes may do so at once. Where there is no compiler, or it refuses the source, that is a
/// heddle::error with the lines of the source.
compilation compile(const std::string& source, const std::string& kernel, const compile_options& options);

/// $XDG_CACHE_HOME/heddle/kernels or ~/.cache/heddle/kernels; a folder in the system's temporary one where
/// neither is known.
std::filesystem::path cache_folder();

}  // namespace heddle::checker
