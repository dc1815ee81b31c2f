#include "checker/engine/engine.hpp"
#include "checker/engine/launch_tree.hpp"
#include "checker/program/program_runtime.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

/// Kernels that kernels launch.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

namespace {

// cudaStreamTailLaunch and cudaStreamFireAndForget.
void* const tail = reinterpret_cast<void*>(3);
void* const fire_and_forget = reinterpret_cast<void*>(4);

struct copy_by_thread {
  heddle_device::copy_request what;
  std::uintptr_t pc;
  static void run(const void* self, void* const*) {
    const auto& [q, pc] = *static_cast<const copy_by_thread*>(self);
    for (std::uint64_t z = 0; z < q.depth; ++z) {
      for (std::uint64_t y = 0; y < q.height; ++y) {
        char* const to = static_cast<char*>(q.to) + z * q.to_slice + y * q.to_pitch;
        const char* const from = static_cast<const char*>(q.from) + z * q.from_slice + y * q.from_pitch;
        now.by->copy(*now.thread, to, from, q.width, pc);
        std::memmove(to, from, q.width);
      }
    }
  }
};

struct fill_by_thread {
  heddle_device::fill_request what;
  std::uintptr_t pc;
  static void run(const void* self, void* const*) {
    const auto& [q, pc] = *static_cast<const fill_by_thread*>(self);
    for (std::uint64_t z = 0; z < q.depth; ++z) {
      for (std::uint64_t y = 0; y < q.height; ++y) {
        char* const to = static_cast<char*>(q.to) + z * q.slice + y * q.pitch;
        now.by->set(*now.thread, to, q.value, q.width, pc);
        std::memset(to, q.value, q.width);
      }
    }
  }
};

/// A launch of one thread that does what a function of the runtime's is asked for.
template <class F>
heddle_device::launch_request launch_of(const F& f) {
  static constexpr heddle_device::parameter none[1] = {};
  heddle_device::launch_request request{};
  request.name = f.what.function;
  request.function = &f;
  request.function_bytes = sizeof f;
  request.kernel = {nullptr, &F::run, none, 0, 0};
  request.grid = request.block = {1, 1, 1};
  request.stream = f.what.stream;
  return request;
}

}  // namespace

int program_runtime::copy_by_kernel(const heddle_device::copy_request& q) {
  const std::vector<std::uintptr_t> at = call_stack();
  return launch_from_kernel(launch_of(copy_by_thread{q, at.empty() ? 0 : at.front()}));
}

int program_runtime::fill_by_kernel(const heddle_device::fill_request& q) {
  const std::vector<std::uintptr_t> at = call_stack();
  return launch_from_kernel(launch_of(fill_by_thread{q, at.empty() ? 0 : at.front()}));
}

/// The fault of the pointers that a thread gives to a kernel; null if there is none.
const char* program_runtime::memory_of_thread(const heddle_device::launch_request& q) {
  const thread_state& t = *now.thread;
  for (std::uint32_t i = 0; i < q.kernel.parameter_count; ++i) {
    if (q.kernel.parameters[i].kind != heddle_device::parameter_kind::pointer) continue;
    const auto address = *static_cast<const std::uintptr_t*>(q.arguments[i]);
    if (address - t.stack_low < stack_pool::stack_bytes)
      return "a pointer leads to local memory of the thread, which the kernel that it launches does not "
             "reach: "
             "memory of cudaMalloc or malloc does, and so does a __device__ variable";
    if (t.block->shared->has(address))
      return "a pointer leads to shared memory of the block, which the kernel that it launches does not "
             "reach: "
             "memory of cudaMalloc or malloc does, and so does a __device__ variable";
  }
  return nullptr;
}

int program_runtime::launch_from_kernel(const heddle_device::launch_request& q) {
  const auto lock = lock_unless_in_kernel();
  engine& by = *now.by;
  thread_state& t = *now.thread;
  auto made = std::make_unique<child_launch>();
  heddle_device::launch_request complete = q;
  std::string why;
  const bool is_known = q.stream == tail || q.stream == fire_and_forget || order_.is_stream(q.stream);
  const int error = is_known ? resolve(complete, made->kernel, why) : errors::invalid_resource_handle;
  made->kernel.is_cooperative = false;
  const std::string written = "launches " + launch_text(made->kernel, q);
  if (error != 0) {
    failed_child_ = {by.place_of_call(t, written, call_stack()), why.empty() ? "the stream is none" : why};
    return device_error_ = error;
  }
  if (const char* const own = memory_of_thread(complete); own != nullptr) {
    by.report_launch(finding_kind::foreign_address, by.place_of_call(t, written, call_stack()), own);
    return device_error_ = 0;
  }
  made->kept.keep(complete, made->kernel, true);
  made->options = by.options();
  made->options.grid = q.grid;
  made->options.block = q.block;
  made->options.cluster = made->kernel.cluster;
  made->options.shared_bytes = q.shared_bytes;
  made->options.schedules = 1;
  made->options.profiles = false;
  made->when = q.stream == tail              ? child_launch::order::at_end
               : q.stream == fire_and_forget ? child_launch::order::at_once
                                             : child_launch::order::in_stream;
  made->queue = (std::uint64_t{t.block->serial} << 32) ^ reinterpret_cast<std::uintptr_t>(q.stream);
  by.add_child(t, std::move(made), written, call_stack());
  return device_error_ = 0;
}

std::uint32_t program_runtime::take_serials(std::uint64_t count, const std::string& kernel) {
  if (count > most_serials - next_serial_)
    refuse(fmt::format("{}: kernels that kernels launch have more blocks than can be checked", kernel));
  return std::exchange(next_serial_, next_serial_ + static_cast<std::uint32_t>(count));
}

/// A launch by a kernel failed, and no thread has asked.
void program_runtime::tell_failed_child(engine& by) {
  if (!failed_child_) return;
  by.report_launch(finding_kind::unchecked_error, failed_child_->by, failed_child_->why);
  failed_child_.reset();
}

void program_runtime::run_schedule(engine& runs, std::size_t schedule) {
  const std::uint64_t blocks = cuda_on_cpu::volume(runs.options().grid);
  // What children of earlier schedules did has higher numbers than those that were meant for this one.
  if (have_children_) runs.number_from(take_serials(blocks, runs.kernel().name), schedule);
  tree_.clear();
  device_error_ = 0;
  runs.run_schedule(schedule);
  if (!runs.is_waiting()) run_launched(runs, schedule);
}

/// What the kernel's threads have launched.
void program_runtime::run_launched(engine& runs, std::size_t schedule) {
  tell_failed_child(runs);
  if (!runs.has_children()) return;
  have_children_ = true;
  tree_.clear();
  const std::uint64_t blocks = cuda_on_cpu::volume(runs.options().grid);
  const std::size_t root = tree_.add(launch_tree::none, nullptr, runs.options(), runs.first_serial(),
                                     runs.first_serial() + static_cast<std::uint32_t>(blocks));
  run_children(runs, runs.kernel(), root, schedule);
}

/// A launch is over when all that it has launched are.
void program_runtime::run_children(engine& parent, const kernel_call& of_host, std::size_t node,
                                   std::size_t schedule) {
  std::vector<std::unique_ptr<child_launch>> children = parent.take_children();
  std::stable_partition(children.begin(), children.end(),
                        [](const auto& c) { return c->when != child_launch::order::at_end; });
  for (const std::unique_ptr<child_launch>& c : children) {
    if (parent.is_stopping()) return;
    const std::uint64_t blocks = cuda_on_cpu::volume(c->options.grid);
    const std::uint32_t first = take_serials(blocks, c->kernel.name);
    const std::size_t own =
        tree_.add(node, c.get(), c->options, first, first + static_cast<std::uint32_t>(blocks));
    c->kernel.beside = of_host.beside;
    c->kernel.heap = of_host.heap;
    c->kernel.has_other_streams = of_host.has_other_streams;
    c->kernel.explain_address = of_host.explain_address;
    c->kernel.beyond_reach = of_host.beyond_reach;
    c->kernel.blocks_are_independent =
        of_host.blocks_are_independent && cuda_on_cpu::volume(c->options.cluster) == 1;
    c->kernel.beside_in_tree = [this, own](const struct record& r) { return tree_.beside(own, r); };
    engine runs(*module_, c->kernel, regions_in_reach(), c->options, stacks_, 0, blocks,
                first - static_cast<std::uint32_t>(schedule * blocks));
    runs.run_schedule(schedule);
    tell_failed_child(runs);
    run_children(runs, of_host, own, schedule);
    parent.adopt(runs, c->by);
  }
}

}  // namespace heddle::checker
