#include "engine.hpp"
#include "jit/grid_shape.hpp"
#include "program_runtime.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/format.h>

/// Launches from their beginning to their end. Most run at once. One whose threads wait for what the host or
/// another launch may do stays under way meanwhile, and what is launched behind it begins later.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

namespace {

/// Of a launch that was stopped by what was found last.
int error_after(finding_kind kind) {
  switch (kind) {
    case finding_kind::assertion:
      return errors::assertion;
    case finding_kind::out_of_bounds:
    case finding_kind::peer_access:
      return errors::illegal_address;
    case finding_kind::misaligned_access:
      return errors::misaligned_address;
    case finding_kind::deadlock:
    case finding_kind::no_end:
      return errors::launch_timeout;
    default:
      return errors::launch_failure;
  }
}

/// While it lives, the pointers among a launch's arguments that lead to the device's own variables lead to
/// where code has them.
class arguments_in_code {
 public:
  arguments_in_code(const variable_instances& variables, const heddle_device::launch_request& q, int device) {
    for (std::uint32_t i = 0; i < q.kernel.parameter_count; ++i) {
      if (q.kernel.parameters[i].kind != heddle_device::parameter_kind::pointer) continue;
      auto& pointer = *static_cast<std::uintptr_t*>(q.arguments[i]);
      const std::uintptr_t in_code = variables.in_code(pointer, device);
      if (in_code == pointer) continue;
      changed_.emplace_back(&pointer, pointer);
      pointer = in_code;
    }
  }
  ~arguments_in_code() {
    for (const auto& [pointer, before] : changed_) *pointer = before;
  }
  arguments_in_code(const arguments_in_code&) = delete;
  arguments_in_code& operator=(const arguments_in_code&) = delete;

 private:
  std::vector<std::pair<std::uintptr_t*, std::uintptr_t>> changed_;
};

}  // namespace

/// A launch of the host's.
struct program_runtime::launch_under_way {
  stream_order::operation when;
  int device = 0;
  heddle_device::launch_request request;
  kept_arguments kept;
  kernel_call kernel;
  launch_options options;
  std::vector<std::uintptr_t> at;
  std::string written;
  std::uint32_t first_serial = 0;
  std::uint64_t number = 0;          // of all launches
  std::vector<std::uint64_t> after;  // that end before it begins
  std::unique_ptr<engine> runs;      // null before it begins
  bool was_noted = false;            // among what is pending

  launch_call call() const { return {written, at, 0}; }
};

program_runtime::~program_runtime() = default;

bool program_runtime::is_after(const launch_under_way& l, const launch_under_way& other) {
  return std::find(l.after.begin(), l.after.end(), other.number) != l.after.end();
}

int program_runtime::run(const heddle_device::launch_request& q, const kernel_call& wanted,
                         const std::vector<std::uintptr_t>& at, const std::string& written) {
  go_on_with_all();
  auto made = std::make_unique<launch_under_way>();
  launch_under_way& l = *made;
  l.request = q;
  l.kernel = wanted;
  l.at = at;
  l.written = written;
  l.device = present_device();
  l.when = order_.enqueue(q.stream);
  for (const auto& other : under_way_) {
    if (order_.comes_before(other->when, q.stream)) l.after.push_back(other->number);
  }
  kernel_call& kernel = l.kernel;
  kernel.beside = work_beside(q.stream);
  const int device = l.device;
  kernel.heap = &devices_.present().heap;
  kernel.has_other_streams = order_.has_other_streams();
  kernel.beyond_reach = [this, device](std::uintptr_t address) { return beyond_reach(device, address); };
  kernel.explain_address = [this](std::uintptr_t address) { return explain_address(address); };
  l.kept.keep(q, kernel, false);
  l.request.arguments = kernel.arguments;

  launch_options& options = l.options;
  options.grid = q.grid;
  options.block = q.block;
  options.cluster = kernel.cluster;
  options.shared_bytes = q.shared_bytes;
  options.seed = options_.seed;
  options.schedules = under_way_.empty() ? options_.schedules : 1;
  options.legacy_warps = options_.legacy_warps;
  options.seconds_without_end = options_.seconds_without_end;
  options.profiles = options_.profiles;
  choose_watched(kernel.name, options);
  const std::uint64_t blocks = jit::volume(q.grid);
  const std::string why = too_many_blocks(blocks, options.schedules);
  if (!why.empty()) refuse(fmt::format("{}: {}", kernel.name, why));
  const std::uint64_t serials = blocks * options.schedules;
  if (serials > most_serials - next_serial_) {
    // What is known of the past goes with its numbers.
    memory_->forget_histories();
    for (program_device& d : devices_.all()) d.heap.forget_histories();
    pending_.clear();
    next_serial_ = 1;
  }
  l.first_serial = next_serial_;
  next_serial_ += static_cast<std::uint32_t>(serials);
  l.number = ++launches_;
  note_launch(kernel.name);
  std::fflush(stdout);
  if (l.after.empty() && begin(l)) {
    finish(l);
    go_on_with_all();
  } else {
    note_launched(l);
    under_way_.push_back(std::move(made));
    go_on_with_all();
  }
  return 0;
}

/// What others are to know of it, and it of those that are under way.
void program_runtime::note_launched(launch_under_way& l) {
  concurrent_work work{host_place(l.written, l.at),
                       l.first_serial,
                       next_serial_,
                       0,
                       0,
                       false,
                       l.request.grid,
                       l.request.block};
  for (const auto& other : under_way_) {
    if (other.get() == &l || is_after(l, *other) || is_after(*other, l)) continue;
    concurrent_work beside = work;
    if (other->device != l.device) {
      beside.is_on_other_device = true;
      beside.why = different_devices;
    }
    if (other->runs) {
      other->runs->add_beside(beside);
    } else {
      other->kernel.beside.push_back(beside);
    }
  }
  note_pending(l.when, std::move(work));
  l.was_noted = true;
}

/// Runs it under its schedules; false where its threads wait for others.
bool program_runtime::begin(launch_under_way& l) {
  const device_scope present(l.device);
  program_device& own = devices_.present();
  const allocations::launch_on_device on(*memory_, l.device);
  const arguments_in_code arguments(memory_->instances(), l.request, l.device);
  const std::vector<region*> regions = regions_in_reach();
  l.runs = std::make_unique<engine>(*module_, l.kernel, regions, l.options, stacks_, 0,
                                    jit::volume(l.options.grid), l.first_serial);
  engine& runs = *l.runs;
  // Nodes of a graph follow one another without the host.
  if (!l.kernel.blocks_are_independent && program_graphs::graph_at() == nullptr) runs.may_wait_for_others();
  for (const auto& other : under_way_) {
    if (other->runs && other.get() != &l) runs.share_synchronisation(*other->runs);
  }
  undo_log first;
  const bool repeats = l.options.schedules > 1;
  std::vector<region*> kept = regions;
  const std::vector<region*> of_heap = own.heap.regions();
  kept.insert(kept.end(), of_heap.begin(), of_heap.end());
  own.heap.begin_launch();
  if (!l.options.is_watched) runs.trust_memory();
  try {
    if (repeats) first.begin(kept);
    const auto began = std::chrono::steady_clock::now();
    have_children_ = false;
    run_schedule(runs, 0);
    launch_call call = l.call();
    call.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    // What the first leaves is what the program goes on with; the others begin where it began.
    const bool has_time =
        !runs.is_partial() &&
        static_cast<double>(l.options.schedules) * runs.watched_seconds() <= l.options.watched_seconds;
    if (repeats && !runs.is_waiting() && !runs.is_stopping() && has_time)
      run_other_schedules(call, runs, first, kept);
    first.end();
  } catch (const heddle::error& wrong) {
    refuse(wrong.what());
  }
  return !runs.is_waiting();
}

/// After others have gone on; says whether it has got on.
bool program_runtime::go_on(launch_under_way& l) {
  const device_scope present(l.device);
  const allocations::launch_on_device on(*memory_, l.device);
  const arguments_in_code arguments(memory_->instances(), l.request, l.device);
  engine& runs = *l.runs;
  // Going on counts as a change by itself.
  const std::uint64_t changes = runs.changes() + 1, ended = runs.ended();
  try {
    runs.go_on();
    if (!runs.is_waiting()) run_launched(runs, 0);
  } catch (const heddle::error& wrong) {
    refuse(wrong.what());
  }
  return !runs.is_waiting() || runs.changes() != changes || runs.ended() != ended;
}

/// Tells what was found of one that is over.
void program_runtime::finish(launch_under_way& l) {
  const launch_call call = l.call();
  launch_outcome outcome;
  const bool was_stopped = l.runs->is_stopping();
  watched_seconds_ += l.runs->watched_seconds();
  try {
    outcome = l.runs->result();
  } catch (const heddle::error& wrong) {
    refuse(wrong.what());
  }
  if (options_.profiles) add_profile(host_place(l.written, l.at), outcome.instructions);
  std::fwrite(outcome.printed.data(), 1, outcome.printed.size(), stdout);
  accesses_ += outcome.accesses;
  blocks_ += outcome.blocks;
  watched_blocks_ += outcome.watched_blocks;
  watched_launches_ += outcome.watched_blocks != 0 ? 1 : 0;
  int error = 0;
  if (was_stopped)
    error = error_after(outcome.findings.empty() ? finding_kind::crash : outcome.findings.back().kind);
  for (finding& f : outcome.findings) {
    complete(f, call);
    const finding told = f;
    const reported& r = report(std::move(f));
    if (told.kind == finding_kind::uninitialised_read && r.count == told.count)
      note_unwritten_read(r.number, told, l.kernel.name);
  }
  if (!l.was_noted) note_launched(l);
  if (is_time_over_) end_now();
  // As on a device, what went wrong in a kernel is known to calls that come later.
  if (error != 0) lasting_error_ = last_error_ = error;
}

/// Lets all that is under way go on for as long as any of it gets on.
void program_runtime::go_on_with_all() {
  const auto seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double last_end = seconds();
  for (bool get_on = !under_way_.empty(); get_on;) {
    get_on = false;
    for (std::size_t i = 0; i < under_way_.size();) {
      launch_under_way& l = *under_way_[i++];
      const bool is_held_up = std::any_of(under_way_.begin(), under_way_.end(),
                                          [&](const auto& other) { return is_after(l, *other); });
      if (is_held_up) continue;
      if (!l.runs) {
        begin(l);
        get_on = true;
      } else {
        const std::uint64_t ended = l.runs->ended();
        if (seconds() - last_end > options_.seconds_without_end) l.runs->end_hang(engine::hang::nothing_ends);
        get_on |= go_on(l);
        if (l.runs->ended() != ended) last_end = seconds();
      }
      if (l.runs->is_waiting()) continue;
      finish(l);
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(--i));
      get_on = true;
    }
  }
}

namespace {

/// Whether the process has threads beside so many.
bool has_threads_beside(std::ptrdiff_t known) {
  std::error_code none;
  const std::filesystem::directory_iterator all("/proc/self/task", none);
  return none || std::distance(begin(all), end(all)) > known;
}

}  // namespace

/// The host waits for what it knows to be done then. Where nobody is left who could end that, it is told.
void program_runtime::complete_done() {
  const auto is_waited_for = [&](const auto& l) { return order_.is_done(l->when); };
  const auto waits = [&] {
    go_on_with_all();
    return std::any_of(under_way_.begin(), under_way_.end(), is_waited_for);
  };
  // Another thread of the host may do it, for which it needs the lock.
  constexpr std::chrono::milliseconds each(10), longest(3000);
  std::chrono::milliseconds waited(0);
  // The first, the one that looks after kernels, and the one that ends the program in time.
  const std::ptrdiff_t known = std::isinf(options_.most_seconds) ? 2 : 3;
  while (waits() && waited < longest && has_threads_beside(known)) {
    mutex_.unlock();
    std::this_thread::sleep_for(each);
    mutex_.lock();
    waited += each;
  }
  while (waits()) {
    const auto first = std::find_if(under_way_.begin(), under_way_.end(), is_waited_for);
    const std::unique_ptr<launch_under_way> l = std::move(*first);
    under_way_.erase(first);
    // One failure ends them all.
    if (!l->runs || lasting_error_ != 0) continue;
    l->runs->give_up();
    finish(*l);
  }
}

/// Before memory goes that they may still use.
void program_runtime::complete_all() {
  if (under_way_.empty()) return;
  order_.wait_for_all();
  complete_done();
}

template <class F>
bool program_runtime::is_any_under_way(F precedes) {
  go_on_with_all();
  return std::any_of(under_way_.begin(), under_way_.end(), [&](const auto& l) { return precedes(l->when); });
}

int program_runtime::ask_stream(void* stream) {
  {
    const auto lock = lock_unless_in_kernel();
    const auto precedes = [&](const auto& when) { return order_.comes_before(when, stream); };
    if (!under_way_.empty() && order_.is_stream(stream) && is_any_under_way(precedes))
      return errors::not_ready;
  }
  return wait_for_stream(stream);
}

int program_runtime::ask_event(void* event) {
  {
    const auto lock = lock_unless_in_kernel();
    const auto precedes = [&](const auto& when) { return order_.comes_before_event(when, event); };
    if (!under_way_.empty() && order_.is_event(event) && is_any_under_way(precedes)) return errors::not_ready;
  }
  return wait_for_event(event);
}

/// Before something is done on a stream that comes after what is on it.
void program_runtime::complete_before(void* stream, const char* function) {
  if (under_way_.empty()) return;
  order_.enqueue(stream);
  go_on_with_all();
  for (const auto& l : under_way_) {
    if (!order_.comes_before(l->when, stream)) continue;
    refuse(fmt::format(
        "{} waits for what the host, or a launch beside it, may do after it has called {}: whether "
        "that ends it cannot be judged, because launches alone wait behind such a kernel here",
        l->kernel.name, function));
  }
}

}  // namespace heddle::checker
