#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// The system's C++ compiler, and how it is called.
namespace heddle::cuda_on_cpu {

struct compile_options {
  std::vector<std::string> include_folders;  ///< -I
  std::vector<std::string> definitions;      ///< -D NAME or NAME=VALUE
  std::string standard = "c++20";
  std::vector<std::string> flags;            ///< more words for the compiler
  std::vector<std::string> forced_includes;  ///< -include: read before a file, behind CUDA's own headers
  std::vector<std::string> link_words;       ///< objects, -l and -L, for the linker
  std::vector<std::string> instances;        ///< of templates, such as sum<float>
  /// Code tells what runs it of every access to memory. Other code is as fast as it can be, for the processor
  /// at hand.
  bool is_watched = false;
  /// A whole program, whose main is run; of any other source only the kernels are.
  bool is_program = false;
  /// Watched code tells also which pieces of it run.
  bool is_profiled = false;
  /// Code of the device may use that of other files, as by nvcc -rdc=true.
  bool is_relocatable = false;
};

/// C with headers of CUDA is compiled as C++.
enum class source_language : std::uint8_t { cuda, cpp, c, c_with_cuda };

struct host_compiler {
  std::vector<std::string> words;  ///< the program and its first arguments
  bool is_clang = false;
  std::string identity;  ///< changes when another compiler is at its path
};

/// That of $CXX, which arguments may follow, or g++, clang++ or c++, whichever is there. A heddle::error
/// where there is none.
host_compiler find_compiler();

/// The names and flags of the processor: what code for "the processor at hand" depends on.
std::string processor();

/// Files beside a source in its folder, which has nothing else.
inline constexpr const char* folder_of_libraries = "libraries";
inline constexpr const char* file_of_definitions = "definitions";

/// What the definitions that the device language must not see become, once it has been read.
std::string definitions_after_headers(const compile_options& options);

/// Preprocesses a source, and writes the files that were read to `dependencies`.
std::vector<std::string> preprocess_command(const host_compiler& with, const std::filesystem::path& source,
                                            source_language language, const compile_options& options,
                                            const std::filesystem::path& headers,
                                            const std::filesystem::path& dependencies);

/// Compiles a translated source. With `instruments` accesses to memory call functions.
std::vector<std::string> compile_command(const host_compiler& with, source_language language,
                                         const compile_options& options, bool instruments,
                                         const std::filesystem::path& text,
                                         const std::filesystem::path& object);

/// Makes a shared library of objects, without the compiler's own runtimes: what runs the module has the
/// functions that are called.
std::vector<std::string> link_command(const host_compiler& with, const compile_options& options,
                                      const std::vector<std::filesystem::path>& objects,
                                      const std::filesystem::path& library);

/// Paths that options of a compiler name from the working directory on, made absolute, and with them what the
/// options are kept under.
std::vector<std::string> with_absolute_paths(std::vector<std::string> options);

/// Without the folders of a CUDA toolkit's headers, which are for its compiler.
std::vector<std::string> without_toolkits(std::vector<std::string> options);

}  // namespace heddle::cuda_on_cpu
