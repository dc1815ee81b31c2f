#pragma once

#include "jit/compiler_commands.hpp"
#include "jit/sealed_library.hpp"
#include "jit/translation.hpp"

#include <memory>
#include <string>
#include <vector>

namespace heddle::jit {

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
compilation compile_file(const std::string& path, compile_options options);

}  // namespace heddle::jit
