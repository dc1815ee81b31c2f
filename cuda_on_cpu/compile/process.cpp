#include "cuda_on_cpu/compile/process.hpp"

#include "io/contents.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle {

namespace fs = std::filesystem;

namespace {

/// A file in memory for what a program reads or writes, so that no pipe can fill.
class stream_file {
 public:
  stream_file() {
    // Not one of the standard streams, which are replaced one after another.
    const int made = memfd_create("heddle", MFD_CLOEXEC);
    number_ = made < 0 ? made : fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int reason = errno;
    if (made >= 0) close(made);
    if (number_ < 0) throw error(fmt::format("no file in memory can be made: {}", std::strerror(reason)));
  }
  ~stream_file() { close(number_); }
  stream_file(const stream_file&) = delete;
  stream_file& operator=(const stream_file&) = delete;

  int number() const { return number_; }
  void fill(std::string_view text) const {
    if (write_bytes(number_, text.data(), text.size()) < text.size())
      throw error(fmt::format("a file in memory cannot be written: {}", std::strerror(errno)));
    lseek(number_, 0, SEEK_SET);
  }
  std::string text() const {
    lseek(number_, 0, SEEK_SET);
    return impl::contents(number_).value_or("");
  }

 private:
  int number_ = -1;
};

bool is_program(const fs::path& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> entries_of(const std::string& list) {
  std::vector<std::string> entries;
  std::stringstream text(list);
  for (std::string entry; std::getline(text, entry, ':');) {
    if (!entry.empty()) entries.push_back(entry);
  }
  return entries;
}

std::string list_of(const std::vector<std::string>& entries) {
  std::string list;
  for (const std::string& entry : entries) list += (list.empty() ? "" : ":") + entry;
  return list;
}

/// The folders of PATH. One that is relative holds programs of whoever wrote to the working directory.
std::vector<std::string> program_folders() {
  const char* const list = std::getenv("PATH");
  std::vector<std::string> folders = entries_of(list != nullptr ? list : "/usr/local/bin:/usr/bin:/bin");
  std::erase_if(folders, [](const std::string& folder) { return folder.front() != '/'; });
  return folders;
}

std::vector<std::string> environment_of_programs(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> changed = cuda_on_cpu::search_variables();
  changed.emplace_back("PATH", list_of(program_folders()));
  changed.emplace_back("TMPDIR", folder.string());
  // Messages are read for their lines.
  changed.emplace_back("LC_ALL", "C");
  std::vector<std::string> result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable), name = text.substr(0, text.find('='));
    if (std::none_of(changed.begin(), changed.end(), [&](const auto& c) { return c.first == name; }))
      result.emplace_back(text);
  }
  for (const auto& [name, value] : changed) {
    if (!value.empty()) result.push_back(fmt::format("{}={}", name, value));
  }
  return result;
}

/// What posix_spawn takes: pointers to texts, and null.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

process_result run_program(const std::vector<std::string>& words, const fs::path& folder,
                           std::string_view input) {
  const stream_file read, printed, errors;
  read.fill(input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::array streams{read.number(), printed.number(), errors.number()};
  for (std::size_t i = 0; i < streams.size(); ++i)
    posix_spawn_file_actions_adddup2(&actions, streams[i], static_cast<int>(i));
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const std::vector<std::string> variables = environment_of_programs(folder);
  pid_t child = 0;
  const int reason = posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers_to(words).data(),
                                 pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (reason != 0) throw error(fmt::format("{} cannot be started: {}", words[0], std::strerror(reason)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      throw error(fmt::format("how {} ended is not known: {}", words[0], std::strerror(errno)));
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), printed.text(), errors.text()};
}

std::vector<fs::path> find_programs(const std::string& name) {
  std::vector<fs::path> found;
  if (name.find('/') != std::string::npos) {
    found.push_back(fs::absolute(name));
  } else {
    for (const fs::path folder : program_folders()) found.push_back(folder / name);
  }
  std::erase_if(found, [](const fs::path& path) { return !is_program(path); });
  return found;
}

fs::path find_program(const std::string& name) {
  const std::vector<fs::path> found = find_programs(name);
  return found.empty() ? fs::path() : found.front();
}

std::vector<std::pair<std::string, std::string>> cuda_on_cpu::search_variables() {
  std::vector<std::pair<std::string, std::string>> result;
  for (const char* const name : {"COMPILER_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH",
                                 "LD_LIBRARY_PATH", "LD_RUN_PATH", "LIBRARY_PATH"}) {
    const char* const list = std::getenv(name);
    if (list == nullptr) continue;
    std::vector<std::string> folders = entries_of(list);
    for (std::string& folder : folders) folder = fs::absolute(folder).string();
    result.emplace_back(name, list_of(folders));
  }
  return result;
}

}  // namespace heddle
