#include "checker/engine/engine.hpp"
#include "checker/program/unfinished_work.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

/// Launches from their beginning to their end.
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

program_runtime::~program_runtime() = default;

int program_runtime::run(const heddle_device::launch_request& q, const kernel_call& wanted,
                         const std::vector<std::uintptr_t>& at, const std::string& written) {
  go_on_with_all();
  auto made = std::make_unique<unfinished_launch>();
  unfinished_launch& l = *made;
  l.request = q;
  l.kernel = wanted;
  l.at = at;
  l.written = written;
  l.device = present_device();
  l.when = order_.enqueue(q.stream);
  kernel_call& kernel = l.kernel;
  for (const pending_operation& p : work_beside(q.stream)) l.add_beside(p);
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
  options.schedules = unfinished_.empty() ? options_.schedules : 1;
  options.legacy_warps = options_.legacy_warps;
  options.volatile_is_plain = options_.volatile_is_plain;
  options.seconds_without_end = options_.seconds_without_end;
  options.profiles = options_.profiles;
  choose_watched(kernel.name, options);
  const std::uint64_t blocks = cuda_on_cpu::volume(q.grid);
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
  ++launches_;
  note_launch(kernel.name);
  note_writer({l.first_serial, host_place(written, at), kernel.name, q.grid, q.block});
  std::fflush(stdout);
  std::vector<std::uint64_t> before = work_before(q.stream);
  if (before.empty() && begin(l)) {
    finish(l);
  } else {
    note_launched(l, before);
    put_off(l.when, std::move(before)).launch = std::move(made);
  }
  go_on_with_all();
  return 0;
}

/// What others are to know of it, and it of those that are unfinished and that it does not wait for.
void program_runtime::note_launched(unfinished_launch& l, const std::vector<std::uint64_t>& before) {
  pending_operation made{l.when,
                         {host_place(l.written, l.at), l.first_serial, next_serial_, 0, 0, false,
                          l.request.grid, l.request.block}};
  for (const auto& other : unfinished_) {
    const bool is_before = std::find(before.begin(), before.end(), other->number) != before.end();
    if (other->launch == nullptr || is_before) continue;
    other->launch->add_beside(seen_from(other->device, made));
  }
  pending_.push_back(std::move(made));
  l.was_noted = true;
}

/// Runs it under its schedules; false where its threads wait for others.
bool program_runtime::begin(unfinished_launch& l) {
  const device_scope present(l.device);
  program_device& own = devices_.present();
  // What the host has waited for meanwhile comes before what it then let begin.
  l.forget_beside([&](const stream_order::operation& when) { return order_.is_done(when); });
  const allocations::launch_on_device on(*memory_, l.device);
  const arguments_in_code arguments(memory_->instances(), l.request, l.device);
  const std::vector<region*> regions = regions_in_reach();
  l.runs = std::make_unique<engine>(*module_, l.kernel, regions, l.options, stacks_, 0,
                                    cuda_on_cpu::volume(l.options.grid), l.first_serial);
  engine& runs = *l.runs;
  if (!l.kernel.blocks_are_independent) runs.may_wait_for_others();
  for (const auto& other : unfinished_) {
    if (other->launch && other->launch->runs && other->launch.get() != &l)
      runs.share_synchronisation(*other->launch->runs);
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
bool program_runtime::go_on(unfinished_launch& l) {
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
void program_runtime::finish(unfinished_launch& l) {
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
  if (!l.was_noted) note_launched(l, {});
  if (is_time_over_) end_now();
  // As on a device, what went wrong in a kernel is known to calls that come later.
  if (error != 0) lasting_error_ = last_error_ = error;
}

}  // namespace heddle::checker
