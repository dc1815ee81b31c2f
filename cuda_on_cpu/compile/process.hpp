#pragma once

#include <heddle/support/process.hpp>

#include <string>
#include <utility>
#include <vector>

namespace heddle::cuda_on_cpu {

/// Environment variables that list folders in which compilers and linkers search, as programs are run with
/// them: folders are absolute, and empty entries, which stand for the working directory, are left out.
std::vector<std::pair<std::string, std::string>> search_variables();

}  // namespace heddle::cuda_on_cpu
