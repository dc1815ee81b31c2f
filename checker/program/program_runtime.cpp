#include "checker/program/program_runtime.hpp"

#include "checker/engine/engine.hpp"
#include "checker/engine/own_thread.hpp"
#include "checker/engine/watchdog.hpp"
#include "checker/program/unfinished_work.hpp"
#include "checker/report/finding_message.hpp"
#include "checker/report/profile_message.hpp"
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include <execinfo.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

namespace heddle::checker {

program_runtime* running_program = nullptr;

namespace {

constexpr int most_frames = 64;

/// Whatever bytes its texts have: names of files may be no UTF-8.
std::string message_text(const nlohmann::json& message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

program_runtime::program_runtime(const program_options& options, bool blocks_are_independent, int messages)
    : options_(options),
      blocks_are_independent_(blocks_are_independent),
      messages_(messages),
      devices_(*this, options.devices),
      order_(options.devices),
      kernel_filter_(options.kernel_filter.empty()
                         ? std::nullopt
                         : std::optional<std::regex>(std::in_place, options.kernel_filter)) {
  // The first call loads a library, which a signal's handler must not.
  void* frame = nullptr;
  backtrace(&frame, 1);
}

void program_runtime::begin(std::unique_ptr<const module> compiled) {
  module_ = std::move(compiled);
  memory_.emplace(*module_, options_.devices);
}

void program_runtime::begin_anew_with(const run_time_source& source) {
  wait_for_processes(0);
  write(message_text({{"source", to_message(source)}}));
  std::_Exit(0);
}

void program_runtime::know(const heddle_device::kernel_entry* kernels) {
  modules_.know(kernels);
  for (; kernels->name != nullptr; ++kernels) {
    const heddle_device::kernel_entry& k = *kernels;
    const auto call = [](const void* kernel, void* const* arguments) {
      static_cast<const heddle_device::kernel*>(kernel)->call(arguments);
    };
    kernels_[k.function] = {
        k.name, {k.kernel, call, k.kernel->parameters, k.kernel->parameter_count, k.kernel->bounds}};
  }
}

void program_runtime::end() {
  const auto lock = lock_unless_in_kernel();
  complete_all();
  has_begun_ = false;
  if (is_time_over_) {
    for (const pid_t process : processes_) kill(process, SIGKILL);
    write(nlohmann::json{{"time_is_over", true}}.dump());
  }
  wait_for_processes(0);
  if (options_.checks_leaks && !is_time_over_) {
    for (const allocation* const a : memory_->live()) {
      if (a->memory.name == heddle_device::memory_of_libraries) continue;
      finding f{};
      f.kind = finding_kind::leak;
      f.places.push_back(host_place("allocates it", a->made_at));
      name_element(f, a->memory, a->memory.begin);
      f.detail = fmt::format("{} bytes are not freed", a->memory.bytes);
      report(std::move(f));
    }
    mappings_.each_left([&](std::uint64_t bytes, const std::vector<std::uintptr_t>& made_at) {
      finding f{};
      f.kind = finding_kind::leak;
      f.places.push_back(host_place("creates it", made_at));
      f.variable = "memory of cuMemCreate";
      f.detail = fmt::format("{} bytes are not released, or still mapped", bytes);
      report(std::move(f));
    });
    report_leaks_of_heap();
  }
  for (const launch_profile& p : profiles_)
    write(message_text({{"profile", to_message(p, module_->base())}}));
  for (const auto& [key, r] : reported_) write_count(r);
  const nlohmann::json last = {{"launches", launches_}, {"operations", operations_},
                               {"accesses", accesses_}, {"watched_launches", watched_launches_},
                               {"blocks", blocks_},     {"watched_blocks", watched_blocks_}};
  write(last.dump());
}

void program_runtime::end_in_time() {
  become_own_thread();
  std::this_thread::sleep_for(std::chrono::duration<double>(options_.most_seconds));
  is_time_over_ = true;
  for (;;) {
    // The host's code does not have it, unless it calls the runtime.
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) end_now();
    watchdog::stop_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void program_runtime::end_now() {
  end();
  std::fflush(stdout);
  std::_Exit(0);
}

/// What kernels have not freed goes with the program, and is often meant to.
void program_runtime::report_leaks_of_heap() {
  for (program_device& d : devices_.all()) {
    for (const device_heap::block* const b : d.heap.live()) {
      finding f{};
      f.kind = finding_kind::leak;
      f.level = severity::note;
      f.places.push_back(b->made);
      f.variable = "the heap of kernels";
      f.detail = fmt::format("{} bytes are not freed", b->memory.bytes);
      // One for all threads that allocate there.
      f.places.front().thread = f.places.front().block = f.places.front().block_size = {};
      report(std::move(f));
    }
  }
}

// ------------------------------------------------------------------------------------------------ reports

void program_runtime::write(const std::string& line) const noexcept {
  const std::string text = line + "\n";
  write_bytes(messages_, text.data(), text.size());
}

void program_runtime::refuse(const std::string& why) {
  write(message_text({{"refused", why}}));
  std::fflush(stdout);
  std::_Exit(2);
}

std::unique_lock<std::recursive_mutex> program_runtime::lock_unless_in_kernel() {
  return now.thread != nullptr ? std::unique_lock<std::recursive_mutex>() : std::unique_lock(mutex_);
}

std::vector<std::uintptr_t> program_runtime::call_stack() const {
  void* frames[most_frames];
  const int count = backtrace(frames, most_frames);
  std::vector<std::uintptr_t> result;
  for (int i = 0; i < count; ++i) {
    const auto pc = reinterpret_cast<std::uintptr_t>(frames[i]);
    if (module_ != nullptr && pc >= module_->base() && pc < module_->end()) result.push_back(pc);
  }
  return result;
}

place program_runtime::host_place(std::string what, const std::vector<std::uintptr_t>& frames) {
  place p;
  p.what = std::move(what);
  p.has_thread = false;
  if (!frames.empty()) {
    p.pc = frames.front();
    p.callers.assign(frames.begin() + 1, frames.end());
  }
  return p;
}

void program_runtime::write_count(const reported& r) const {
  write(nlohmann::json{{"number", r.number}, {"count", r.count}}.dump());
}

void program_runtime::lower(std::size_t number, const char* why) const {
  nlohmann::json message{{"number", number}, {"level", static_cast<int>(severity::note)}};
  if (why != nullptr) message["detail"] = why;
  write(message_text(message));
}

void program_runtime::note_unwritten_read(std::size_t number, const finding& f, const std::string& kernel) {
  const allocation* const a = f.about == 0 ? nullptr : memory_->find(f.about);
  if (a == nullptr || f.index < 0) return;
  const std::uintptr_t address = f.about + static_cast<std::uint64_t>(f.index) * a->memory.element_bytes;
  unwritten_reads_.push_back({number, address, kernel, false});
}

void program_runtime::note_launch(const std::string& kernel) {
  std::erase_if(unwritten_reads_, [&](const unwritten_read& r) {
    const bool is_warm_up = r.is_filled_since && r.kernel == kernel;
    if (is_warm_up) lower(r.number);
    return is_warm_up;
  });
}

std::string program_runtime::key_of(const finding& f) {
  std::string key = fmt::format("{} {}", static_cast<int>(f.kind), f.variable);
  for (const place& p : f.places) {
    key += fmt::format(" {:x} {}:{}", p.pc, p.file, p.line);
    if (!p.has_thread)
      for (const std::uintptr_t c : p.callers) key += fmt::format(" {:x}", c);
  }
  return key;
}

void program_runtime::weigh(finding& f) const {
  // It is what the failed launch leads to.
  if (f.kind == finding_kind::uninitialised_read && has_launch_failed_ && !f.variable.empty())
    f.level = severity::note;
}

program_runtime::reported& program_runtime::report(finding f) {
  weigh(f);
  const std::string key = key_of(f);
  const auto [at, is_new] = reported_.try_emplace(key, reported{reported_.size(), f.count});
  reported& known = at->second;
  if (is_new) {
    write(message_text({{"finding", to_message(f, module_->base())},
                        {"number", known.number},
                        {"key", key},
                        {"launch", launches_}}));
  } else {
    known.count += f.count;
    // Taken back before, it is there again.
    if (known.count == f.count) write_count(known);
  }
  return known;
}

void program_runtime::add_places_of_memory(finding& f) {
  const allocation* const a = f.about == 0 ? nullptr : memory_->find(f.about);
  if (a == nullptr || a->memory.is_variable) return;
  f.places.push_back(host_place(fmt::format("allocates {}", f.variable), a->made_at));
  // What waits on a stream may be what frees it.
  const bool is_told = a->is_freed || f.kind == finding_kind::invalid_free;
  if (is_told && !a->freed_at.empty())
    f.places.push_back(host_place(fmt::format("frees {}", f.variable), a->freed_at));
}

void program_runtime::add_place_of_graph(finding& f) const {
  if (const work_origin* const origin = work_origin::present(); origin != nullptr && origin->graph != nullptr)
    f.places.push_back(host_place("launches the graph", origin->graph->at));
}

void program_runtime::report_capture(std::string why) {
  finding f{};
  f.kind = finding_kind::invalid_capture;
  f.places.push_back(host_place("breaks it"));
  f.detail = std::move(why);
  unasked_ = &report(std::move(f));
}

void program_runtime::report_api(finding_kind kind, const allocation* about, std::string what,
                                 std::string detail) {
  finding f{};
  f.kind = kind;
  f.places.push_back(host_place(std::move(what)));
  f.detail = std::move(detail);
  add_place_of_graph(f);
  if (about != nullptr) {
    name_element(f, about->memory, about->memory.begin);
    add_places_of_memory(f);
    // It is about the whole of it.
    f.variable.clear();
  }
  report(std::move(f));
}

void program_runtime::device_function_on_host(std::uintptr_t pc) {
  finding f{};
  f.kind = finding_kind::host_access;
  std::vector<std::uintptr_t> frames = call_stack();
  if (std::find(frames.begin(), frames.end(), pc) == frames.end()) frames.insert(frames.begin(), pc);
  f.places.push_back(host_place("calls a function of the device", frames));
  f.detail = "barriers, atomics, functions of warps and indices of threads are for kernels";
  report(std::move(f));
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

void program_runtime::report_signal(int signal, std::uintptr_t pc, std::uintptr_t address) noexcept {
  if (module_ == nullptr) return;
  const bool is_access = signal == SIGSEGV || signal == SIGBUS;
  const allocation* about =
      is_access && memory_ && memory_->is_in_device_half(address) ? memory_->find(address) : nullptr;
  // A handler may not allocate: the line is written in parts, of which the name is as long as it likes.
  constexpr std::size_t digits = std::numeric_limits<unsigned long long>::digits10 + 1;
  static constexpr char numbers_and_name[] =
      "{\"signal\":%d,\"launches\":%llu,\"accesses\":%llu,\"watched_launches\":%llu,\"blocks\":%llu,"
      "\"watched_blocks\":%llu,\"device\":%s,\"name\":\"";
  constexpr std::size_t numbers = 6;
  char head[512];
  static_assert(sizeof numbers_and_name + numbers * digits + sizeof "false" <= sizeof head);
  const int head_bytes = std::snprintf(
      head, sizeof head, numbers_and_name, signal, static_cast<unsigned long long>(launches_),
      static_cast<unsigned long long>(accesses_), static_cast<unsigned long long>(watched_launches_),
      static_cast<unsigned long long>(blocks_), static_cast<unsigned long long>(watched_blocks_),
      is_access && memory_ && memory_->is_in_device_half(address) ? "true" : "false");
  char list[(1 + most_frames) * (digits + 1)];  // the instruction and the frames, each with a comma
  char* end = list;
  const auto add = [&](std::uintptr_t frame) {
    if (frame < module_->base() || frame >= module_->end()) return;
    if (end != list) *end++ = ',';
    end = std::to_chars(end, std::end(list), frame - module_->base()).ptr;
  };
  // Of a call is known where it returns to, of the signal where it was.
  add(pc + 1);
  void* frames[most_frames];
  const int count = backtrace(frames, most_frames);
  for (int i = 0; i < count; ++i) {
    if (reinterpret_cast<std::uintptr_t>(frames[i]) != pc) add(reinterpret_cast<std::uintptr_t>(frames[i]));
  }
  char before_frames[] = "\",\"frames\":[", after_frames[] = "]}\n";
  char* const name = about != nullptr ? const_cast<char*>(about->memory.name.c_str()) : before_frames;
  const std::size_t name_bytes = about != nullptr ? about->memory.name.size() : 0;
  const iovec parts[] = {{head, static_cast<std::size_t>(head_bytes)},
                         {name, name_bytes},
                         {before_frames, sizeof before_frames - 1},
                         {list, static_cast<std::size_t>(end - list)},
                         {after_frames, sizeof after_frames - 1}};
  if (::writev(messages_, parts, static_cast<int>(std::size(parts))) < 0) return;
  wait_for_processes(0);
}

// ------------------------------------------------------------------------------------------------- errors

int program_runtime::fail(int error) {
  const auto lock = lock_unless_in_kernel();
  if (now.thread != nullptr) {
    if (error != 0) device_error_ = error;
    return error;
  }
  if (lasting_error_ != 0) return lasting_error_;
  if (error != 0) last_error_ = error;
  return error;
}

int program_runtime::last_error(bool forgets) {
  const auto lock = lock_unless_in_kernel();
  if (now.thread != nullptr) failed_child_.reset();
  if (now.thread != nullptr) return forgets ? std::exchange(device_error_, 0) : device_error_;
  if (unasked_ != nullptr) {
    // It was told where the launch failed, before what it leads to.
    --unasked_->count;
    write_count(*unasked_);
    unasked_ = nullptr;
  }
  if (lasting_error_ != 0) return lasting_error_;
  return forgets ? std::exchange(last_error_, 0) : last_error_;
}

void program_runtime::know_variable(const heddle_device::variable& v) {
  const auto lock = lock_unless_in_kernel();
  memory_->add_variable(v);
}

}  // namespace heddle::checker
