#pragma once

#include "jit/translation.hpp"

#include <map>
#include <string>
#include <vector>

namespace heddle::jit {

/// Source text behind that of a module: what the module exports of its kernels, those that are no templates
/// and the instances of those that are. `bounds` has the variables with what __launch_bounds__ says, by the
/// names of kernels with their namespaces. A heddle::error when an instance is of no kernel.
std::string kernel_table(const std::vector<kernel_declaration>& kernels,
                         const std::map<std::string, std::string>& bounds,
                         const translation_options& options);

/// Source text behind that of a program: what calls its main.
std::string main_entry();

}  // namespace heddle::jit
