#include "checker/build/compile.hpp"

#include <utility>

namespace heddle::checker {

compiled_kernel compile_kernel(const std::string& path, compile_options options, const std::string& kernel) {
  options.is_watched = true;
  if (!cuda_on_cpu::parse_kernel_name(kernel).arguments.empty()) options.instances.push_back(kernel);
  compiled_kernel made{cuda_on_cpu::compile_file(path, options), nullptr};
  made.loaded = std::make_unique<module>(made.compiled.library->path(),
                                         cuda_on_cpu::find_kernel(made.compiled.kernels, kernel), kernel);
  return made;
}

compilation compile_program(const std::vector<cuda_on_cpu::source_file>& files, compile_options options) {
  options.is_watched = options.is_program = true;
  return cuda_on_cpu::compile_files(files, std::move(options));
}

}  // namespace heddle::checker
