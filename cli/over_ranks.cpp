#include "over_ranks.hpp"

#include "cli/files/interruption.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/options/file_options.hpp"
#include "commands.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

struct process_group {
  ranks all;
  std::vector<std::string> hosts;  // of each rank
  bool begun = false, stops_together = false;
};
std::optional<process_group> group;

/// The text of every rank, in the order of ranks.
std::vector<std::string> said_by_all(const ranks& all, const std::string& text) {
  const array<std::size_t> lengths = all.all_gather(text.size());
  const array<char> letters = all.all_gather(std::span<const char>(text));
  std::vector<std::string> texts;
  const char* at = letters.data();
  for (const std::size_t n : lengths) {
    texts.emplace_back(at, n);
    at += n;
  }
  return texts;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string rank_text(std::size_t rank) {
  return fmt::format("rank {} on {}", rank, group->hosts[rank]);
}

/// The first rank that says something else than rank 0; none where all say the same.
std::optional<std::size_t> first_other(const std::vector<std::string>& texts) {
  for (std::size_t r = 1; r < texts.size(); ++r)
    if (texts[r] != texts[0]) return r;
  return std::nullopt;
}

/// The build ID that the linker gave this program: the same of the same build, in any folder.
std::string build_id() {
  std::string id;
  ::dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* to) {
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& part = program->dlpi_phdr[i];
          if (part.p_type != PT_NOTE) continue;
          const auto* note = reinterpret_cast<const unsigned char*>(program->dlpi_addr + part.p_vaddr);
          const unsigned char* const end = note + part.p_memsz;
          while (note + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) header;
            std::memcpy(&header, note, sizeof header);
            const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
            const unsigned char* const content = note + sizeof header + padded(header.n_namesz);
            if (header.n_type == NT_GNU_BUILD_ID)
              static_cast<std::string*>(to)->assign(content, content + header.n_descsz);
            note = content + padded(header.n_descsz);
          }
        }
        return 1;  // the program is the first
      },
      &id);
  return id;
}

/// The view that a rank has of a file: why it cannot be read, or its size and how it begins.
std::string view_of(const std::string& path) {
  std::error_code status;
  const auto bytes = std::filesystem::file_size(path, status);
  if (status) return status.message();
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::generic_category().message(errno);
  std::array<char, 4096> first{};
  file.read(first.data(), first.size());
  return fmt::format("{} bytes, which begin {:016x}", bytes,
                     std::hash<std::string_view>()({first.data(), static_cast<std::size_t>(file.gcount())}));
}

/// The command that is linked to MPI takes the place of this one; returns where it is not there.
void start_with_mpi(char** argv) {
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  ::execv((self.parent_path() / "heddle-mpi").c_str(), argv);
}

}  // namespace

void join_ranks(int argc, char** argv) {
  if (ranks::launched() == 1) return;
  if (!ranks::has_mpi()) start_with_mpi(argv);
  ranks all = ranks::world();
  if (all.size() == 1) return;
  group.emplace(process_group{all, {}, false});
  group->hosts = said_by_all(all, host_name());
  if (all.rank() != 0) print_nothing();
  if (const auto other = first_other(said_by_all(all, HEDDLE_VERSION + build_id())))
    fail(
        fmt::format("{} runs another build of Heddle than rank 0 on {}", rank_text(*other), group->hosts[0]));
  const std::string words = fmt::format("{}", fmt::join(std::span(argv + 1, argv + argc), " "));
  const std::vector<std::string> all_words = said_by_all(all, words);
  if (const auto other = first_other(all_words))
    fail(fmt::format("ranks have different arguments: {} '{}', {} '{}'", rank_text(0), all_words[0],
                     rank_text(*other), all_words[*other]));
}

bool is_over_ranks() noexcept {
  return group.has_value();
}

const ranks& all_ranks() {
  return group->all;
}

ranks ranks_on(const std::string& text) {
  const ranks& all = group->all;
  if (text == "auto") return all;
  if (text == "gpu" && all.where().is_gpu()) return all;
  if (text == "parallel") {
    const auto on_host = std::count(group->hosts.begin(), group->hosts.end(),
                                    group->hosts[static_cast<std::size_t>(all.rank())]);
    const int share =
        all.where().is_gpu() ? available_cores() / static_cast<int>(on_host) : all.where().threads();
    return all.on(target::parallel(std::max(1, share)));
  }
  return all.on(target::parse(text));
}

void check_subcommand_over_ranks(CLI::App& command) {
  if (!group) return;
  static constexpr std::string_view for_ranks[] = {"bench",      "reduce", "scan",   "transform", "sort",
                                                   "histogram",  "matmul", "random", "life",      "laplace",
                                                   "mandelbrot", "lbm",    "pi",     "info"};
  const std::string name = command.get_name();
  if (std::find(std::begin(for_ranks), std::end(for_ranks), name) == std::end(for_ranks))
    throw CLI::ValidationError(
        name, fmt::format("it works in one process, and mpirun started {}: {} work over ranks",
                          group->all.size(), fmt::join(for_ranks, ", ")));
  for (const auto& [path, is_written] : files_named_by(command)) {
    if (is_written) continue;
    if (descriptor_in(path) == STDIN_FILENO)
      throw CLI::ValidationError(name, "standard input goes to one rank alone: name a file");
    const std::vector<std::string> views = said_by_all(group->all, view_of(path));
    if (const auto other = first_other(views))
      fail(fmt::format("{}: it is not the same file for all ranks: {}: {}; {}: {}", path, rank_text(0),
                       views[0], rank_text(*other), views[*other]));
  }
}

void refuse_over_ranks(bool is_given, const std::string& option, const std::string& why) {
  if (group && is_given) throw CLI::ValidationError(option, fmt::format("over ranks {}", why));
}

void begin_together() {
  if (!group || group->begun) return;
  std::string none;
  const std::vector<std::string> failures = said_by_all(group->all, none);
  group->begun = true;
  const auto failed =
      std::find_if(failures.begin(), failures.end(), [](const auto& text) { return !text.empty(); });
  if (failed == failures.end()) return;
  throw ended{1};  // the rank that failed has told why
}

void stop_together() {
  if (!group) return stop_if_interrupted();
  const array<int> signals = group->all.all_gather(signal_received());
  const auto first = std::find_if(signals.begin(), signals.end(), [](int signal) { return signal != 0; });
  if (first == signals.end()) return;
  group->stops_together = true;
  stop_if_interrupted();
  throw interrupted(*first);
}

std::vector<std::string> said_by_all(const std::string& text) {
  return said_by_all(group->all, text);
}
const std::vector<std::string>& hosts_of_ranks() {
  return group->hosts;
}

std::pair<std::size_t, std::size_t> part_of_rank(std::size_t things) {
  const std::vector<std::size_t> begins = even_rows(things, group->all.size());
  const auto me = static_cast<std::size_t>(group->all.rank());
  return {begins[me], begins[me + 1]};
}

double of_first_rank(double value) {
  if (group) group->all.broadcast(value);
  return value;
}

bool is_first_rank() noexcept {
  return !group || group->all.rank() == 0;
}

std::string written_by_first(const std::string& path) {
  return path.empty() || is_first_rank() ? path : "/dev/null";
}

std::string failure_of_any(const std::string& failure) {
  if (!group) return failure;
  const std::vector<std::string> all = said_by_all(group->all, failure);
  const auto first = std::find_if(all.begin(), all.end(), [](const auto& text) { return !text.empty(); });
  return first == all.end() ? "" : *first;
}

void end_where_interrupted_alone() {
  if (!group || group->stops_together || !group->begun) return;
  group->all.abort("interrupted");
}

bool prints_failure(std::string& message) {
  if (!group) return true;
  const ranks& all = group->all;
  const auto me = static_cast<std::size_t>(all.rank());
  if (!group->begun) {
    const std::vector<std::string> failures = said_by_all(all, message);
    group->begun = true;
    const auto first =
        std::find_if(failures.begin(), failures.end(), [](const auto& text) { return !text.empty(); });
    if (!first_other(failures)) return me == 0;
    message = fmt::format("{} ({})", message, rank_text(me));
    return first - failures.begin() == all.rank();
  }
  group->all.abort(message.starts_with("heddle ") ? message.substr(std::strlen("heddle ")) : message);
}

}  // namespace heddle::cli
