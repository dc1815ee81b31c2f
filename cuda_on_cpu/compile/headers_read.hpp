#pragma once

#include "cuda_on_cpu/compile/compiler_commands.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// The files of a rule of `make`, as compilers write it: "target: file file \" with spaces written as "\ ".
std::vector<std::string> dependencies_in(std::string_view rule);

/// Where a header would be read from in place of one that was, and is not there: in a folder that is searched
/// earlier, or beside another header.
std::vector<std::string> hidden_by(const std::vector<std::string>& files_read,
                                   const compile_options& options);

}  // namespace heddle::cuda_on_cpu
