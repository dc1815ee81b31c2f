#include "modules/process.hpp"

#include <heddle/error.hpp>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::modules {

namespace fs = std::filesystem;

// Its output goes through files without names, so that neither pipe can fill.
process_result run_program(const std::vector<std::string>& words) {
  std::array<int, 2> files{};
  for (int& file : files) {
    std::string name = (fs::temp_directory_path() / "heddle-XXXXXX").string();
    file = mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) throw error(fmt::format("{} cannot be made: {}", name, std::strerror(errno)));
    unlink(name.c_str());
  }
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw error(fmt::format("{} cannot be started: {}", words[0], std::strerror(errno)));
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(files[0], 1);
    dup2(files[1], 2);
    // Messages are read for their lines.
    setenv("LC_ALL", "C", 1);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  process_result result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  for (const auto& [file, text] :
       {std::pair<int, std::string*>{files[0], &result.out}, {files[1], &result.err}}) {
    lseek(file, 0, SEEK_SET);
    char buffer[65536];
    for (ssize_t n = 0; (n = read(file, buffer, sizeof buffer)) > 0;)
      text->append(buffer, static_cast<std::size_t>(n));
    close(file);
  }
  return result;
}

namespace {

bool is_program(const fs::path& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::path(name) : fs::path();
  const char* const folders = std::getenv("PATH");
  std::stringstream list(folders != nullptr ? folders : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(list, folder, ':');) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(path)) return path;
  }
  return {};
}

}  // namespace heddle::modules
