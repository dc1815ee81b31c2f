#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::modules {

struct process_result {
  int status = 0;  ///< 127 when it could not be started
  std::string out, err;
};

/// Runs a program to its end, with nothing to read.
process_result run_program(const std::vector<std::string>& words);

/// Where a program is, by the folders of PATH; empty when it is nowhere.
std::filesystem::path find_program(const std::string& name);

}  // namespace heddle::modules
