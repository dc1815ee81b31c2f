#include "checker/engine/launch.hpp"

#include "checker/engine/engine.hpp"
#include "checker/engine/launch_memory.hpp"
#include "checker/engine/watchdog.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace heddle::checker {
namespace {

/// How many threads of the machine run blocks. Blocks that may wait for one another, or whose order can be
/// seen, take turns on one.
std::size_t engines_for(const kernel_call& kernel, const launch_options& options) {
  const std::uint64_t blocks = cuda_on_cpu::volume(options.grid);
  const std::uint64_t threads = cuda_on_cpu::volume(options.block) * blocks;
  // Few threads have ended before others of the machine have begun.
  if (!kernel.blocks_are_independent || threads < 4096) return 1;
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::max<std::size_t>(options.threads, 1), blocks));
}

kernel_call call_of(const module& compiled) {
  kernel_call result;
  result.name = compiled.declaration().name;
  result.call = [](const void* kernel, void* const* arguments) {
    static_cast<const heddle_device::kernel*>(kernel)->call(arguments);
  };
  result.function = &compiled.kernel();
  const auto bounds = heddle_device::kernel_bounds::of(compiled.kernel().bounds);
  result.most_threads = bounds.most_threads;
  if (cuda_on_cpu::volume(bounds.cluster) != 0) result.cluster = bounds.cluster;
  result.blocks_are_independent =
      compiled.declaration().blocks_are_independent && cuda_on_cpu::volume(result.cluster) == 1;
  return result;
}

/// False when blocks that ran at once on `count` threads of the machine raced: what they left, and what they
/// did then, need not be the same again.
bool run_on(std::size_t count, const module& compiled, kernel_call kernel, std::vector<argument>& arguments,
            const launch_options& options, launch_outcome& all) {
  launch_memory memory(compiled, arguments);
  kernel.arguments = memory.arguments();
  const std::uint64_t blocks = cuda_on_cpu::volume(options.grid);
  // Each has stacks and histories of its own.
  std::vector<std::unique_ptr<engine>> engines;
  std::vector<stack_pool> stacks(count);
  std::vector<std::vector<std::unique_ptr<region>>> regions(count);
  for (std::size_t i = 0; i < count; ++i) {
    regions[i] = memory.regions();
    std::vector<region*> reached;
    for (const auto& r : regions[i]) reached.push_back(r.get());
    engines.push_back(std::make_unique<engine>(compiled, kernel, std::move(reached), options, stacks[i],
                                               blocks * i / count, blocks * (i + 1) / count));
  }

  watchdog::start();
  std::vector<std::vector<std::byte>> left;
  std::size_t schedules = 0;
  bool goes_on = true;
  while (schedules < options.schedules && goes_on) {
    memory.reset();
    std::vector<std::exception_ptr> failures(count);
    const auto run_one = [&](std::size_t i) {
      try {
        engines[i]->run_schedule(schedules);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    others.reserve(count);
    try {
      while (others.size() + 1 < count) others.emplace_back(run_one, others.size() + 1);
    } catch (const std::system_error&) {
      // The system gives no more: this thread runs the rest.
    }
    run_one(0);
    for (std::size_t i = others.size() + 1; i < count; ++i) run_one(i);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    if (options.is_watched) {
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i + 1; j < count; ++j) {
          if (engines[i]->races_with(*engines[j])) return false;
        }
      }
    }
    for (const auto& e : engines) {
      const double all_schedules = static_cast<double>(options.schedules) * e->watched_seconds();
      goes_on &= !e->is_stopping() && !e->is_partial() &&
                 (schedules > 0 || all_schedules <= options.watched_seconds);
    }
    if (schedules++ == 0) left = memory.contents();
  }

  for (const auto& e : engines) {
    launch_outcome one = e->result();
    std::move(one.findings.begin(), one.findings.end(), std::back_inserter(all.findings));
    all.accesses += one.accesses;
    all.blocks += one.blocks;
    all.watched_blocks += one.watched_blocks;
    all.was_stopped |= one.was_stopped;
    all.printed += one.printed;
    all.instructions.insert(all.instructions.end(), one.instructions.begin(), one.instructions.end());
  }
  all.schedules = schedules;
  std::size_t at = 0;
  for (argument& a : arguments) {
    if (a.is_array) a.bytes = std::move(left[at++]);
  }
  return true;
}

}  // namespace

launch_outcome run(const module& compiled, std::vector<argument>& arguments, const launch_options& wanted) {
  const auto began = std::chrono::steady_clock::now();
  const kernel_call kernel = call_of(compiled);
  launch_options options = wanted;
  options.cluster = kernel.cluster;
  check_launch(kernel, options);
  launch_outcome all;
  if (!run_on(engines_for(kernel, options), compiled, kernel, arguments, options, all))
    run_on(1, compiled, kernel, arguments, options, all);
  all.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return all;
}

}  // namespace heddle::checker
