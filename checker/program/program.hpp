#pragma once

#include "checker/report/finding.hpp"
#include "checker/report/profile.hpp"
#include "cuda_on_cpu/compile/compilation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace heddle::checker {

/// How a program is run.
struct program_options {
  std::uint64_t seed = 0;
  std::size_t schedules = 1;  ///< of each launch
  std::size_t threads = 1;    ///< cores; schedules of a launch may run at once
  bool legacy_warps = false, volatile_is_plain = false;
  double seconds_without_end = 60;
  bool checks_leaks = false;
  bool tells_unwritten_copies = false;  ///< where they are made, rather than where the host reads of them
  int devices = 1;                      ///< that the program finds
  bool profiles = false;
  /// Of watched accesses; what goes beyond runs unwatched, and the outcome says how much was watched.
  /// Infinite for no limit.
  double budget = std::numeric_limits<double>::infinity();
  double most_seconds = std::numeric_limits<double>::infinity();  ///< after which it is ended, and what was
                                                                  ///< found until then told
  std::string
      kernel_filter;  ///< a regular expression; launches of other kernels run unwatched; empty for none
  std::uint64_t watched_launches = std::numeric_limits<std::uint64_t>::max();  ///< of each kernel, the first
  bool prints_to_error = false;  ///< what it writes to standard output goes to standard error
};

/// What the launches of one place in a program did that were written alike.
struct launch_profile {
  place by;  ///< the host's call, with its line
  std::uint64_t launches = 0;
  std::vector<instruction_profile> instructions;
  std::vector<line_profile> lines;
};

struct program_outcome {
  std::vector<finding> findings;         ///< with lines
  std::vector<launch_profile> profiles;  ///< in the order of the first launches
  bool was_stopped = false;              ///< after most_seconds
  int status = 0;                        ///< of the program; or
  int signal = 0;                        ///< what ended it
  std::uint64_t launches = 0, accesses = 0;
  /// Launches of which anything was watched; blocks of all launches, and those that were watched.
  std::uint64_t watched_launches = 0, blocks = 0, watched_blocks = 0;
  std::uint64_t operations = 0;  ///< copies and fills
  double seconds = 0;

  /// Whether the program has left the device alone, so that being clean says nothing.
  bool has_checked_nothing() const { return launches == 0 && operations == 0; }
};

/// Runs the main of a program that was compiled as one, with these words (the program's name first), in a
/// process of its own, whose launches run under the checker: each under several schedules, and the program
/// goes on with what the first left. It has the standard input, output and error of this process. A status
/// other than 0 and a signal that ends it are findings, too. A program that cannot be run is a heddle::error.
///
/// A program that compiles sources while it runs is begun anew with each of them, which `compile_with` has
/// made files of it; what it writes appears when it has come to its end. Where `compile_with` is empty such a
/// program cannot be run.
program_outcome run_program(
    const cuda_on_cpu::compilation& compiled, const std::vector<std::string>& words,
    const program_options& options,
    const std::function<cuda_on_cpu::compilation(const std::vector<cuda_on_cpu::source_file>&)>&
        compile_with);

}  // namespace heddle::checker
