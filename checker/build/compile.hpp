#pragma once

#include "checker/engine/module.hpp"
#include "cuda_on_cpu/compile/compilation.hpp"

#include <memory>
#include <string>

/// Compiling what is checked.
namespace heddle::checker {

using cuda_on_cpu::compilation;
using cuda_on_cpu::compile_options;

/// A source that was compiled, and one of its kernels, loaded.
struct compiled_kernel {
  compilation compiled;
  std::unique_ptr<const module> loaded;
};

/// Compiles a file so that the checker sees every access to memory. `kernel` names one of its kernels, or an
/// instance of a template. \throws heddle::error with the compiler's messages, or when there is no such
/// kernel.
compiled_kernel compile_kernel(const std::string& path, compile_options options, const std::string& kernel);

/// The same of a whole program, whose main is run.
compilation compile_program(const std::vector<cuda_on_cpu::source_file>& files, compile_options options);

}  // namespace heddle::checker
