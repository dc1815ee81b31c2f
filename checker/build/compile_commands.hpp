#pragma once

#include "checker/build/compile.hpp"

#include <string>
#include <vector>

namespace heddle::checker {

/// The sources that a build of CMake compiles for targets, from the list of its commands, each with its own
/// options.
/// \param targets  names of targets, with commas between them.
std::vector<cuda_on_cpu::source_file> sources_of_targets(const std::string& compile_commands,
                                                         const std::string& targets);

}  // namespace heddle::checker
