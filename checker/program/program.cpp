#include "checker/program/program.hpp"

#include "checker/build/call_main.hpp"
#include "checker/build/run_time_source.hpp"
#include "checker/engine/signal_context.hpp"
#include "checker/program/program_runtime.hpp"
#include "checker/report/finding_message.hpp"
#include "checker/report/lines.hpp"
#include "checker/report/profile_message.hpp"
#include "io/cache.hpp"
#include "io/contents.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>
#include <heddle/support/temporary_folder.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::checker {
namespace {

// ---------------------------------------------------------------------------- the process of the program

std::string path_of_module;

/// Files in memory of a run: what is found, and what the program writes where that is kept.
struct program_files {
  int messages = make(), output = make(), error = make();

  program_files() = default;
  ~program_files() {
    for (const int file : {messages, output, error}) close(file);
  }
  program_files(const program_files&) = delete;
  program_files& operator=(const program_files&) = delete;

  static int make() {
    const int file = memfd_create("heddle", MFD_CLOEXEC);
    if (file < 0) throw heddle::error(fmt::format("no file for what is found: {}", std::strerror(errno)));
    return file;
  }
  static std::string contents(int file) {
    lseek(file, 0, SEEK_SET);
    return impl::contents(file).value_or("");
  }
};

void handle(int signal, siginfo_t* information, void* context_of_signal) {
  const std::uintptr_t pc = instruction_of(*static_cast<const ucontext_t*>(context_of_signal));
  running_program->report_signal(signal, pc, reinterpret_cast<std::uintptr_t>(information->si_addr));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void handle_signals() {
  // The stack of the program may be what is full.
  static std::byte signal_stack[65536];
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

/// The whole of a thread: no exception leaves it.
void end_in_time() {
  try {
    running_program->end_in_time();
  } catch (...) {
    std::_Exit(2);
  }
}

void end_in_time_on_own_thread() {
  try {
    std::thread(end_in_time).detach();
  } catch (const std::system_error& refused) {
    running_program->refuse(fmt::format("the system gives no thread that ends the program in time: {}",
                                        refused.code().message()));
  }
}

[[noreturn]] void be_program(const cuda_on_cpu::compilation& compiled, const std::vector<std::string>& words,
                             const program_options& options, const program_files& files,
                             const std::vector<run_time_source>& sources) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (options.prints_to_error) dup2(STDERR_FILENO, STDOUT_FILENO);
  const int messages = files.messages;
  const bool independent = compiled.kernels.empty() || compiled.kernels.front().blocks_are_independent;
  // It outlives what the program does at its exit.
  running_program = new program_runtime(options, independent, messages);
  running_program->know(sources);
  path_of_module = compiled.library->path();
  handle_signals();
  // What it has printed is there when a signal ends it.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::atexit([] { running_program->end(); });
  void* const loaded = dlopen(path_of_module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) running_program->refuse(fmt::format("the program cannot be loaded: {}", dlerror()));
  // What a program writes that may be begun anew is kept until it has come to its end.
  if (dlsym(loaded, "heddle_module_compiles_sources") != nullptr) {
    dup2(files.output, STDOUT_FILENO);
    dup2(files.error, STDERR_FILENO);
  }
  const auto main = reinterpret_cast<int (*)(int, char**, char**)>(dlsym(loaded, "heddle_module_main"));
  std::vector<std::string> own = words;
  std::vector<char*> pointers;
  for (std::string& w : own) pointers.push_back(w.data());
  pointers.push_back(nullptr);
  running_program->begin_main();
  if (!std::isinf(options.most_seconds)) end_in_time_on_own_thread();
  std::exit(call_main(main, static_cast<int>(pointers.size()) - 1, pointers.data()));
}

// --------------------------------------------------------------------------- the process that reports on it

/// Where a signal ended the program, as its handler wrote it.
finding finding_of_signal(const nlohmann::json& message) {
  finding f{};
  const int signal = message.at("signal");
  const bool is_device = message.at("device");
  const auto frames = message.at("frames").get<std::vector<std::uintptr_t>>();
  place p;
  p.has_thread = false;
  if (!frames.empty()) {
    p.pc = frames.front();
    p.callers.assign(frames.begin() + 1, frames.end());
  }
  const std::string name = message.at("name");
  f.kind = is_device ? finding_kind::host_access : finding_kind::failed_program;
  p.what = is_device ? "uses it" : "stops";
  f.detail = is_device ? fmt::format("{} of the device, which the host cannot reach: cudaMemcpy brings it",
                                     name.empty() ? "memory" : name + " is memory")
             : signal == SIGFPE ? "an integer is divided by 0"
             : signal == SIGABRT
                 ? "it ends itself: a failed assertion, an exception that nothing catches, or abort()"
             : signal == SIGILL ? "it does what has no meaning"
                                : "it uses memory that it does not have";
  f.places.push_back(std::move(p));
  return f;
}

void take_counts(const nlohmann::json& message, program_outcome& outcome) {
  outcome.launches = message.at("launches");
  outcome.accesses = message.at("accesses");
  outcome.watched_launches = message.at("watched_launches");
  outcome.operations = message.value("operations", std::uint64_t{0});
  outcome.blocks = message.at("blocks");
  outcome.watched_blocks = message.at("watched_blocks");
}

/// A finding as it was told, and by which launch.
struct told_finding {
  finding what;
  std::string key;
  std::size_t number, launch;
};

/// What schedules in processes of their own have found, which ended in any order. What comes after a schedule
/// that stopped would not have run.
void add_other_schedules(std::vector<nlohmann::json> messages, std::vector<told_finding>& told,
                         program_outcome& outcome) {
  const auto order = [](const nlohmann::json& m) {
    return std::pair(m.at("launch").get<std::uint64_t>(), m.at("schedule").get<std::uint64_t>());
  };
  std::sort(messages.begin(), messages.end(),
            [&](const nlohmann::json& a, const nlohmann::json& b) { return order(a) < order(b); });
  std::uint64_t stopped = 0;  // the launch
  for (const nlohmann::json& m : messages) {
    if (order(m).first == stopped) continue;
    if (m.at("stopped").get<bool>()) stopped = order(m).first;
    outcome.accesses += m.at("more_accesses").get<std::uint64_t>();
    for (const nlohmann::json& more : m.at("more")) {
      finding f = from_message(more.at("finding"));
      const std::string key = more.at("key");
      const auto known =
          std::find_if(told.begin(), told.end(), [&](const told_finding& t) { return t.key == key; });
      if (known == told.end()) {
        told.push_back({std::move(f), key, 0, order(m).first});
        continue;
      }
      finding& all = known->what;
      // Told are those that are farthest apart.
      if (f.race.apart > all.race.apart) {
        const std::size_t count = all.count;
        const race_facts facts = all.race;
        std::swap(all, f);
        all.count = count;
        all.race.join(facts);
      } else {
        all.race.join(f.race);
      }
      all.count += f.count;
    }
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const told_finding& a, const told_finding& b) { return a.launch < b.launch; });
}

/// A source that the program was ended for.
std::optional<run_time_source> source_wanted(const std::string& text) {
  const std::size_t last = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  const std::string line = text.substr(last == std::string::npos ? 0 : last + 1);
  if (!line.starts_with("{\"source\"")) return std::nullopt;
  return source_from_message(nlohmann::json::parse(line).at("source"));
}

program_outcome read_messages(const std::string& text, const cuda_on_cpu::compilation& compiled) {
  program_outcome outcome;
  std::vector<told_finding> told;
  std::vector<nlohmann::json> others;
  std::optional<finding> last;
  const auto numbered = [&](const nlohmann::json& message) {
    const std::size_t number = message.at("number");
    return std::find_if(told.begin(), told.end(), [&](const told_finding& t) { return t.number == number; });
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    nlohmann::json message = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                   text.begin() + static_cast<std::ptrdiff_t>(end));
    at = end + 1;
    if (message.contains("refused")) throw error(message.at("refused").get<std::string>());
    if (message.contains("finding")) {
      told.push_back({from_message(message.at("finding")), message.at("key"), message.at("number"),
                      message.at("launch")});
    } else if (message.contains("more")) {
      others.push_back(std::move(message));
    } else if (message.contains("time_is_over")) {
      outcome.was_stopped = true;
    } else if (message.contains("profile")) {
      outcome.profiles.push_back(profile_from_message(message.at("profile")));
    } else if (message.contains("frames")) {
      last = finding_of_signal(message);
      take_counts(message, outcome);
    } else if (message.contains("level")) {
      const auto known = numbered(message);
      if (known == told.end()) continue;
      known->what.level = static_cast<severity>(message.at("level").get<int>());
      if (message.contains("detail")) known->what.detail = message.at("detail");
    } else if (message.contains("count")) {
      // A finding that could not be written is not there.
      const auto known = numbered(message);
      if (known != told.end()) known->what.count = message.at("count");
    } else {
      take_counts(message, outcome);
    }
  }
  add_other_schedules(std::move(others), told, outcome);
  for (told_finding& t : told) outcome.findings.push_back(std::move(t.what));
  if (last) outcome.findings.push_back(*std::move(last));
  // What was taken back.
  std::erase_if(outcome.findings, [](const finding& f) { return f.count == 0; });
  find_lines(compiled, 0, outcome.findings);
  find_lines(compiled.library->path(), 0, outcome.profiles);
  return outcome;
}

}  // namespace

program_outcome run_program(
    const cuda_on_cpu::compilation& compiled, const std::vector<std::string>& words,
    const program_options& options,
    const std::function<cuda_on_cpu::compilation(const std::vector<cuda_on_cpu::source_file>&)>&
        compile_with) {
  const auto began = std::chrono::steady_clock::now();
  cuda_on_cpu::compilation present = compiled;
  std::vector<run_time_source> sources;
  std::unique_ptr<temporary_folder> headers;
  std::vector<cuda_on_cpu::source_file> more;
  int status = 0;
  std::string text;
  const off_t read = lseek(STDIN_FILENO, 0, SEEK_CUR);  // nowhere where it is no file
  for (bool is_complete = false; !is_complete;) {
    const program_files files;
    std::fflush(nullptr);
    if (read >= 0) lseek(STDIN_FILENO, read, SEEK_SET);
    const pid_t child = fork();
    if (child < 0) throw error(fmt::format("the program cannot be started: {}", std::strerror(errno)));
    if (child == 0) be_program(present, words, options, files, sources);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    text = program_files::contents(files.messages);
    std::optional<run_time_source> wanted = source_wanted(text);
    is_complete = !wanted;
    if (!wanted) {
      const std::string output = program_files::contents(files.output),
                        said = program_files::contents(files.error);
      write_bytes(options.prints_to_error ? STDERR_FILENO : STDOUT_FILENO, output.data(), output.size());
      write_bytes(STDERR_FILENO, said.data(), said.size());
      continue;
    }
    if (!compile_with)
      throw error(
          "the program compiles a source while it runs, which a program that heddle-nvcc has built cannot: "
          "give its files to heddle check");
    // NOLINTNEXTLINE(modernize-make-unique): it cannot be moved into one
    if (!headers) headers.reset(new temporary_folder(cache::folder_for_making()));
    more.push_back(wanted->as_file((headers->path() / wanted->id()).string()));
    try {
      present = compile_with(more);
    } catch (const heddle::error& wrong) {
      more.pop_back();
      wanted->is_refused = true;
      wanted->log = wrong.what();
    }
    sources.push_back(*std::move(wanted));
  }
  program_outcome outcome = read_messages(text, present);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const bool is_signal = WIFSIGNALED(status);
  outcome.signal = is_signal ? WTERMSIG(status) : 0;
  outcome.status = is_signal ? 0 : WEXITSTATUS(status);
  if (outcome.signal == SIGKILL || outcome.signal == SIGINT || outcome.signal == SIGTERM)
    throw error(fmt::format("the program was ended from outside: {}", strsignal(outcome.signal)));
  const bool is_told = std::any_of(outcome.findings.begin(), outcome.findings.end(), [](const finding& f) {
    return f.kind == finding_kind::failed_program || f.kind == finding_kind::host_access;
  });
  if (outcome.was_stopped) outcome.status = 0;
  if ((is_signal && !is_told) || outcome.status != 0) {
    finding f{};
    f.kind = finding_kind::failed_program;
    // A status may be meant: the command has it, too.
    if (!is_signal) f.level = severity::note;
    f.detail = is_signal ? fmt::format("it is ended by a signal: {}", strsignal(outcome.signal))
                         : fmt::format("its exit status is {}", outcome.status);
    outcome.findings.push_back(std::move(f));
  }
  return outcome;
}

}  // namespace heddle::checker

/// From each file of a program's module, before it initialises its variables.
extern "C" __attribute__((visibility("default"), used)) void heddle_begin_program(
    void** slots, const heddle_device::kernel_entry* kernels, const heddle_device::variable* const* variables,
    const heddle_device::member* const* members, heddle_device::runtime** runtime) {
  using namespace heddle::checker;
  if (running_program == nullptr) return;
  if (*runtime == nullptr)
    running_program->begin(
        std::make_unique<const module>(path_of_module, module_tables{slots, kernels, variables, members}));
  running_program->know(kernels);
  *runtime = running_program;
}
