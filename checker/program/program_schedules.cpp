#include "checker/engine/engine.hpp"
#include "checker/engine/watchdog.hpp"
#include "checker/program/program_runtime.hpp"
#include "checker/report/finding_message.hpp"
#include <heddle/error.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// The schedules of a launch with which the program does not go on.
namespace heddle::checker {

/// Whether they are worth processes of their own, which have the program's memory as it is: what a process
/// writes is copied.
bool program_runtime::takes_processes(double seconds) const {
  constexpr double least_seconds = 0.03;
  if (options_.threads < 2 || options_.profiles || seconds < least_seconds) return false;
  // It ends with the thread that has made it.
  if (std::this_thread::get_id() != main_thread_) return false;
  constexpr std::uint64_t with_histories = 5;
  const auto available = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return memory_->device_bytes() * with_histories * options_.threads < available / 2;
}

/// Until at most so many are unfinished.
void program_runtime::wait_for_processes(std::size_t most) noexcept {
  while (processes_.size() > most) {
    int status = 0;
    while (waitpid(processes_.front(), &status, 0) < 0 && errno == EINTR) {
    }
    processes_.pop_front();
  }
}

void program_runtime::run_other_schedules(const launch_call& launch, engine& runs, undo_log& first,
                                          const std::vector<region*>& regions) {
  const std::size_t schedules = runs.options().schedules;
  std::size_t next = 1;
  if (takes_processes(launch.seconds)) {
    for (; next < schedules; ++next) {
      wait_for_processes(options_.threads - 1);
      const pid_t made = fork();
      if (made == 0) be_schedule(launch, runs, first, next);
      if (made < 0) break;
      processes_.push_back(made);
    }
  }
  if (next == schedules) return;
  undo_log later;
  first.exchange();
  devices_.present().heap.set_aside();
  for (; next < schedules && !runs.is_stopping(); ++next) {
    later.begin(regions);
    run_schedule(runs, next);
    later.exchange();
    devices_.present().heap.take_back();
  }
  first.exchange();
  devices_.present().heap.put_back();
}

/// In a process of its own: runs one schedule, and tells what it adds to what the first has found.
void program_runtime::be_schedule(const launch_call& launch, engine& runs, undo_log& first,
                                  std::size_t schedule) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
  watchdog::begin_process();
  std::vector<std::size_t> known;
  for (const finding& f : runs.findings()) known.push_back(f.count);
  const std::uint64_t accesses = runs.accesses();
  try {
    first.exchange();
    devices_.present().heap.set_aside();
    run_schedule(runs, schedule);
    const bool is_stopped = runs.is_stopping();
    launch_outcome outcome = runs.result();
    nlohmann::json message = {{"launch", launches_},
                              {"schedule", schedule},
                              {"stopped", is_stopped},
                              {"more_accesses", outcome.accesses - accesses},
                              {"more", nlohmann::json::array()}};
    for (std::size_t i = 0; i < outcome.findings.size(); ++i) {
      finding& f = outcome.findings[i];
      f.count -= i < known.size() ? known[i] : 0;
      if (f.count == 0) continue;
      complete(f, launch);
      message["more"].push_back({{"key", key_of(f)}, {"finding", to_message(f, module_->base())}});
    }
    write(message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } catch (const heddle::error& wrong) {
    refuse(wrong.what());
  }
  std::_Exit(0);
}

}  // namespace heddle::checker
