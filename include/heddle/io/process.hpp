#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Programs that are run to their end.
namespace heddle {

struct process_result {
  int status = 0;  ///< 128 and the number of the signal that ended it
  std::string out, err;
};

/// Runs a program to its end in a folder, which also takes its temporary files. No fork: what libraries do
/// before one, such as OpenBLAS, which waits for its threads, may wait for a caller that waits for this one.
/// \param words  the program's absolute path, and its arguments.
/// \param input  what it reads.
/// \throws heddle::error when it cannot be started.
process_result run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                           std::string_view input = {});

/// Where a program is: in each of the folders of PATH that are absolute. A name with a slash is a path.
std::vector<std::filesystem::path> find_programs(const std::string& name);

/// The first of them; empty when it is nowhere.
std::filesystem::path find_program(const std::string& name);

}  // namespace heddle
