#pragma once

#include <heddle/compiler.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Running other programs.
namespace heddle {

struct process_result {
  int status = 0;  ///< what it exited with, or 128 + the signal that ended it
  std::string out, err;
};

/// Runs a program in a folder, which also takes its temporary files, and waits until it ends. Does not fork:
/// fork handlers of libraries, such as OpenBLAS, which waits for its threads, could wait for ever for a
/// caller that waits here.
/// \param words  the program's absolute path, and its arguments.
/// \param input  what it reads.
/// \throws heddle::error when it cannot be started.
process_result run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                           std::string_view input = {});

/// The paths of a program in the absolute folders of PATH, in their order. A name with a slash is a path.
std::vector<std::filesystem::path> find_programs(const std::string& name);

/// The first of them; empty if there is none.
std::filesystem::path find_program(const std::string& name);

}  // namespace heddle
