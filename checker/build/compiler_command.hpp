#pragma once

#include "checker/build/compile.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::checker {

/// What a command line of nvcc, g++ or clang++ asks for, as far as a check depends on it.
struct compiler_command {
  enum class action : std::uint8_t { link, compile, preprocess, archive, link_device, dependencies, version };

  action does = action::link;
  std::vector<cuda_on_cpu::source_file> sources;
  std::vector<std::string> linked;  ///< objects and libraries, in their order
  compile_options options;          ///< for all sources
  std::string output;
  std::string dependencies;         ///< -MF
  std::string dependencies_target;  ///< -MT
  bool writes_dependencies = false;
};

/// Reads the words behind the compiler's name. Options that say how code is made for a GPU, what is warned of
/// and how fast it is to be are left out; libraries of CUDA are, too.
/// \throws heddle::error for an option that is not known, and for one that asks for PTX or code of a GPU.
compiler_command read_compiler_command(std::vector<std::string> words);

/// The language again; C++17 for those before it, which what kernels include is not written in.
std::string newer_standard(const std::string& text);

/// "cublas" and the like, which Heddle has itself or refuses by name.
bool is_library_of_cuda(std::string_view name);
/// Those that a toolkit has.
std::span<const std::string_view> libraries_of_toolkit();

/// The parts of a text between commas and blanks.
std::vector<std::string> split_at_commas(std::string_view text);

/// The words of a command as a shell splits them.
std::vector<std::string> split_as_shell(std::string_view text);

}  // namespace heddle::checker
