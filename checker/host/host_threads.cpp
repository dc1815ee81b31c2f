#include "checker/host/host_threads.hpp"

#include "checker/engine/own_thread.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::checker {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}

/// The system call that a thread is in, by its number and its arguments, as /proc has it.
other_threads state_of(const std::string& call) {
  // Nothing is known where the system does not tell.
  if (call.empty()) return other_threads::waiting;
  if (call.starts_with("running")) return other_threads::running;
  long number = -1;
  unsigned long long place = 0, operation = 0, value = 0, timeout = 0;
  const int known =
      std::sscanf(call.c_str(), "%ld %llx %llx %llx %llx", &number, &place, &operation, &value, &timeout);
  // Until another thread wakes it, which has to run for that.
  const bool is_for_thread = known == 5 && number == SYS_futex && timeout == 0;
  return is_for_thread ? other_threads::blocked : other_threads::waiting;
}

}  // namespace

other_threads look_at_other_threads() {
  other_threads result = other_threads::absent;
  const std::string self = std::to_string(syscall(SYS_gettid));
  std::error_code none;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", none)) {
    if (thread.path().filename() == self || first_line(thread.path() / "comm") == name_of_own_thread)
      continue;
    result = std::max(result, state_of(first_line(thread.path() / "syscall")));
  }
  return none ? other_threads::waiting : result;
}

}  // namespace heddle::checker
