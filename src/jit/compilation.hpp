#pragma once

#include "jit/sealed_library.hpp"
#include "jit/translation.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::jit {

struct compile_options {
  std::vector<std::string> include_folders;  ///< -I
  std::vector<std::string> definitions;      ///< -D NAME or NAME=VALUE
  std::string standard = "c++20";
  std::vector<std::string> flags;            ///< more words for the compiler
  std::vector<std::string> forced_includes;  ///< -include: read before a file, behind CUDA's own headers
  std::vector<std::string> link_words;       ///< objects, -l and -L, for the linker
  std::vector<std::string> instances;        ///< of templates, such as sum<float>
  /// For the checker, which sees every access to memory; or as fast as it can be, for the processor at hand.
  bool is_watched = false;
  /// A whole program, whose main is run; of any other source only the kernels are.
  bool is_program = false;
  /// For the checker's profiles, too: which pieces of code run is seen.
  bool is_profiled = false;
  /// Code of the device may use that of other files, as by nvcc -rdc=true.
  bool is_relocatable = false;
};

enum class source_language : std::uint8_t { cuda, cpp, c };

/// A file of a program.
struct source_file {
  std::string path;
  source_language language = source_language::cuda;
  std::optional<compile_options> own;  ///< what it is compiled with, in place of the program's
};

/// By the ending of its name, as nvcc takes it; empty for no source.
std::optional<source_language> language_of(const std::string& path);

/// The kernels of a source, compiled for this machine, and what that took.
struct compilation {
  std::shared_ptr<const sealed_library> library;
  std::vector<kernel_declaration> kernels;
  std::vector<subscript> subscripts;  ///< in code of the device
  bool was_cached = false;
};

/// Compiles CUDA source with the system's C++ compiler: that of $CXX, which arguments may follow, or g++,
/// clang++ or c++, whichever is there. `name` is what the compiler's messages call the source. What it makes
/// is kept in the cache under a name that the source, the options, the compiler, the processor and all
/// headers that it read determine, so that the next call starts no compiler; two processes may do so at once.
/// The compiler reads nothing from the working directory but what relative paths of the options name. Where
/// there is no compiler, or it refuses the source, that is a heddle::error with the lines of the source.
compilation compile(const std::string& source, const std::string& name, const compile_options& options);

/// Paths that options of a compiler name from the working directory on, made absolute, and with them what the
/// options are kept under.
std::vector<std::string> with_absolute_paths(std::vector<std::string> options);

/// `#line 1 "name"`: what begins a source that messages call so.
std::string line_directive(std::string_view name);

/// What a compiler says, with each file as_named().
std::string messages_as_named(std::string messages);

/// A file of debug information or of a compiler's message as it was named: in the working directory by its
/// place there.
std::string as_named(std::string_view file);

/// The text of a file; heddle::error when it cannot be read.
std::string read_source(const std::string& path);

/// Where it is looked for what a file includes: its folder, or the current one for standard input.
std::string folder_of_source(const std::string& path);

/// The same of a file, whose folder is searched for what it includes.
compilation compile_file(const std::string& path, compile_options options);

/// The same of the files of a program, which are compiled one by one and linked. Files of C and C++ see CUDA
/// only where they include its headers.
compilation compile_files(const std::vector<source_file>& files, compile_options options);

/// One of them as an object, for link_objects(). Its section heddle_about says what compilation says.
struct object_file {
  std::string bytes;
  std::vector<std::string> files_read;
};
object_file compile_object(const source_file& file, compile_options options);

/// A program's module, of the objects and libraries among link_words.
std::string link_objects(const compile_options& options);

/// Such a module again, with the lines of its section heddle_about.
compilation linked_compilation(const std::string& library, std::string_view about);

}  // namespace heddle::jit
