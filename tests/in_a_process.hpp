#pragma once

#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace heddle::tests {

/// What f says in a process of its own, which limits do not outlive.
template <class F>
std::string in_a_process(const F& f) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = f();
    const auto written = write(pipe_ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(pipe_ends[1]);
  std::string text;
  char piece[512];
  for (ssize_t read_now; (read_now = read(pipe_ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(read_now));
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "ended by itself: " + text;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace heddle::tests
