#include "chart.hpp"

#include "../interruption.hpp"
#include <heddle/error.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::cli::bench {
namespace {

[[noreturn]] void fail_call(const char* call, int reason) {
  detail::fail(fmt::format("gnuplot: {}: {}", call, std::generic_category().message(reason)));
}

/// A descriptor that is closed with its lifetime.
class descriptor {
 public:
  descriptor(int number, const char* call) : number_(number) {
    if (number < 0) fail_call(call, errno);
  }
  ~descriptor() { close(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  int number() const noexcept { return number_; }
  void close() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// A file in memory, for what a child process writes.
class captured : public descriptor {
 public:
  captured() : descriptor(::memfd_create("gnuplot", MFD_CLOEXEC), "memfd_create") {}

  std::string text() const {
    std::string all;
    char piece[1 << 16];
    for (off_t at = 0;;) {
      const ssize_t got = ::pread(number(), piece, sizeof piece, at);
      if (got < 0) fail_call("pread", errno);
      if (got == 0) return all;
      all.append(piece, static_cast<std::size_t>(got));
      at += got;
    }
  }
};

/// While it lives, writing to a pipe that nobody reads is an error and not the end of this process.
class without_sigpipe {
 public:
  without_sigpipe() {
    struct sigaction ignored = {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, &before_);
  }
  ~without_sigpipe() { ::sigaction(SIGPIPE, &before_, nullptr); }
  without_sigpipe(const without_sigpipe&) = delete;
  without_sigpipe& operator=(const without_sigpipe&) = delete;

 private:
  struct sigaction before_;
};

/// What gnuplot prints when it reads `script` from a pipe.
std::string run_gnuplot(std::string_view script) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_call("pipe2", errno);
  descriptor from(ends[0], "pipe2"), to(ends[1], "pipe2");
  const captured printed, errors;

  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, from.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, printed.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&streams, errors.number(), STDERR_FILENO);
  char name[] = "gnuplot";
  char* arguments[] = {name, nullptr};
  pid_t child = 0;
  const int status = ::posix_spawnp(&child, name, &streams, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&streams);
  if (status != 0) fail_call("cannot be started", status);
  from.close();

  {
    const without_sigpipe writing;
    while (!script.empty()) {
      const ssize_t written = ::write(to.number(), script.data(), script.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) break;  // it has ended, and its exit status says why
      script.remove_prefix(static_cast<std::size_t>(written));
    }
    to.close();
  }
  int ended = 0;
  while (::waitpid(child, &ended, 0) < 0) {
    if (errno != EINTR) fail_call("waitpid", errno);
  }
  stop_if_interrupted();
  std::string drawing = printed.text();
  if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0 || drawing.find("</svg>") == drawing.npos) {
    std::string said = errors.text();
    for (char& c : said) {
      if (c == '\n') c = ' ';
    }
    detail::fail(fmt::format("gnuplot drew no chart: {}", said));
  }
  return drawing;
}

/// As a string of gnuplot's, in which nothing has a meaning.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

}  // namespace

void require_gnuplot() {
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  for (;;) {
    const std::size_t colon = folders.find(':');
    const std::string program = fmt::format("{}/gnuplot", folders.substr(0, colon));
    if (::access(program.c_str(), X_OK) == 0) return;
    if (colon == folders.npos) break;
    folders.remove_prefix(colon + 1);
  }
  detail::fail("--plot needs gnuplot, which is not installed (Debian's package gnuplot-nox has it)");
}

std::string draw_chart(const std::vector<chart_panel>& panels) {
  constexpr int width = 960, height = 540;
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic background rgb 'white' font 'sans-serif,14'\n"
      "set logscale x 2\n"
      "set format x '2^{{%L}}'\n"
      "set yrange [0:*]\n"
      "set xlabel 'elements'\n"
      "set ylabel 'GB/s'\n"
      "set grid\n"
      "set key outside right top\n"
      "set multiplot layout {},1\n",
      width, height * static_cast<int>(panels.size()), panels.size());
  for (const chart_panel& panel : panels) {
    script += fmt::format("set title {} noenhanced\n", quoted(panel.title));
    std::string plots;
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
      const chart_line& line = panel.lines[i];
      script += fmt::format("$line{} << end_of_points\n", i);
      for (const auto& [n, rate] : line.points) script += fmt::format("{} {}\n", n, rate);
      script += "end_of_points\n";
      plots += fmt::format("{}$line{} using 1:2 with {} title {} noenhanced", i == 0 ? "" : ", ", i,
                           line.is_ceiling ? "linespoints lw 2 dt 2 pt 1 ps 0.5 lc rgb 'gray40'"
                                           : fmt::format("linespoints lw 2 pt 7 ps 0.5 lc {}", i + 1),
                           quoted(line.name));
    }
    script += fmt::format("plot {}\n", plots);
  }
  script += "unset multiplot\n";
  return run_gnuplot(script);
}

}  // namespace heddle::cli::bench
