#pragma once

#include "cuda_on_cpu/compile/compiler_commands.hpp"
#include "cuda_on_cpu/compile/sealed_library.hpp"
#include "cuda_on_cpu/translate/translation.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// A file of a program.
struct source_file {
  std::string path;
  source_language language = source_language::cuda;
  std::optional<compile_options> own;    ///< what it is compiled with, in place of the program's
  std::optional<std::string> text = {};  ///< in place of a file of that name
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

/// The same of a file, whose folder is searched for what it includes.
compilation compile_file(const std::string& path, const compile_options& options);

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

}  // namespace heddle::cuda_on_cpu
