#pragma once

#include <heddle/ranks.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

/// The command as one of several that mpirun started. All have the same arguments and do the same; the first
/// prints. What is wrong before they begin together is told once; later a rank that fails ends all.
namespace heddle::cli {

/// Joins the other processes, if there are any, or throws where they were started with other arguments or are
/// of another build. Called before the arguments are read. The command that is linked to MPI is a file beside
/// this one, so that this one starts where there is no MPI: it takes the place of this process.
void join_ranks(int argc, char** argv);

/// Whether there are other processes.
bool is_over_ranks() noexcept;

/// The processes; only where there are others.
const ranks& all_ranks();

/// On the target that --target names: for `auto`, `gpu` and `parallel` without numbers the one that this rank
/// has on its host.
ranks ranks_on(const std::string& target);

/// Throws where the subcommand is not one for several ranks, or reads a file that is not the same for all.
void check_subcommand_over_ranks(CLI::App& command);

/// Throws wrong usage where an option that means nothing over ranks is given.
void refuse_over_ranks(bool is_given, const std::string& option, const std::string& why);

/// Returns once every rank has called it: from here on they work together. Where one throws before, all end.
void begin_together();

/// Between two pieces of work that ranks do together: throws `interrupted` on all where one was asked to
/// stop.
void stop_together();

/// The part of so many things that this rank does, from the first to after the last; only where there are
/// others.
std::pair<std::size_t, std::size_t> part_of_rank(std::size_t things);

/// The text of every rank, in the order of ranks; only if there are several.
std::vector<std::string> said_by_all(const std::string& text);
/// The hosts of the ranks.
const std::vector<std::string>& hosts_of_ranks();

/// The number that the first rank has, for what ranks decide by the time: they are to decide alike.
double of_first_rank(double value);

/// Whether this process is the only one, or the first rank.
bool is_first_rank() noexcept;

/// The file that this process writes: of ranks the first writes `path`, and what others write is lost, so
/// that all make the same calls. An empty path stays so.
std::string written_by_first(const std::string& path);

/// The failure of the first rank on which something failed, on every rank; empty if
/// nothing has.
std::string failure_of_any(const std::string& failure);

/// Ends all ranks where one was asked to stop, and the others were not, or may not see it; returns where they
/// stop together.
void end_where_interrupted_alone();

/// Ends this process because of what it threw: all ranks agree where they have not begun together, and
/// otherwise one that failed ends them. Returns whether this rank is the one to print `message`, which then
/// names the rank where only some failed.
bool prints_failure(std::string& message);

}  // namespace heddle::cli
