#include "checker/engine/engine.hpp"

#include "array/counted.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace heddle::checker {

using cuda_on_cpu::most_static_shared;
using cuda_on_cpu::volume;
using heddle_device::scalar;

constinit thread_local running now;

namespace {

constexpr const char* unnamed_dynamic_memory = "dynamic shared memory";

}  // namespace

std::string too_many_blocks(std::uint64_t blocks, std::size_t schedules) {
  // Not as a product, which may exceed 64 bits.
  const std::uint64_t most = most_serials / schedules;
  if (blocks <= most) return "";
  return fmt::format("{} blocks under {} are more than can be checked: at most {}", blocks,
                     counted(schedules, "schedule"), most);
}

void check_launch(const kernel_call& kernel, const launch_options& options) {
  const dimensions grid = cuda_on_cpu::dimensions_of(options.grid),
                   block = cuda_on_cpu::dimensions_of(options.block);
  for (const std::string& why :
       {cuda_on_cpu::wrong_shape(grid, block), cuda_on_cpu::wrong_bound(block, kernel.most_threads),
        cuda_on_cpu::wrong_cluster(grid, cuda_on_cpu::dimensions_of(options.cluster),
                                   cuda_on_cpu::most_blocks_a_cluster),
        cuda_on_cpu::wrong_shared_bytes(options.shared_bytes),
        too_many_blocks(grid.count(), options.schedules)}) {
    if (!why.empty()) throw error(why);
  }
}

engine::engine(const module& compiled, kernel_call kernel, std::vector<region*> regions,
               const launch_options& options, stack_pool& stacks, std::uint64_t first_block,
               std::uint64_t last_block, std::uint32_t first_serial)
    : module_(compiled),
      kernel_(std::move(kernel)),
      options_(options),
      regions_(std::move(regions)),
      stacks_(stacks),
      first_block_(first_block),
      all_blocks_(volume(options.grid)),
      blocks_a_cluster_(volume(options.cluster)),
      count_((last_block - first_block) / blocks_a_cluster_),
      threads_a_block_(static_cast<std::uint32_t>(volume(options.block))),
      first_serial_of_all_(first_serial),
      profiler_(compiled.base()) {
  std::sort(regions_.begin(), regions_.end(), [](const region* a, const region* b) {
    return std::tie(a->low, a->high) < std::tie(b->low, b->high);
  });
  are_copies_beside_ = std::any_of(kernel_.beside.begin(), kernel_.beside.end(),
                                   [](const concurrent_work& other) { return other.first_serial == 0; });
  is_alone_ = kernel_.beside.empty() && !kernel_.beside_in_tree;
  heap_ = kernel_.heap;
  dynamic_ = {unnamed_dynamic_memory,
              heddle_device::shared_variable::dynamic,
              256,
              {scalar::u8, 1, nullptr, nullptr}};
  layout_.add(dynamic_, options.shared_bytes);
}

launch_outcome engine::result() {
  if (!failure_.empty()) throw error(failure_);
  outcome_.was_stopped = is_stopping_;
  mark_reads_before_exchange();
  outcome_.accesses = watched_;
  if (options_.profiles) outcome_.instructions = profiler_.result();
  return std::move(outcome_);
}

/// What blocks of this engine and of another did under the last schedule to the same words is ordered by
/// nothing.
bool engine::races_with(const engine& other) const {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const region &mine = *regions_[i], &its = *other.regions_[i];
    const std::size_t words = (mine.bytes + (std::size_t{1} << mine.shift) - 1) >> mine.shift;
    for (std::size_t w = 0; w < words; ++w) {
      if (mine.last[w].block < first_serial_ || its.last[w].block < first_serial_) continue;
      bool is_race = false;
      mine.for_each_record(w, grid_base_, [&](const record& r) {
        its.for_each_record(w, grid_base_, [&](const record& s) {
          is_race |= r.block >= first_serial_ && s.block >= first_serial_ && (r.mask & s.mask) != 0 &&
                     ((r.kind() | s.kind()) & record::write) != 0;
        });
      });
      if (is_race) return true;
    }
  }
  return false;
}

void engine::trust_memory() {
  for (region* const r : regions_) r->set_written(true);
  if (heap_ != nullptr) heap_->set_written();
}

void engine::add_beside(const concurrent_work& work) {
  kernel_.beside.push_back(work);
  is_alone_ = false;
  are_copies_beside_ |= work.first_serial == 0;
}

void* engine::shared(heddle_device::shared_variable& which) {
  if (which.size == heddle_device::shared_variable::dynamic) {
    // All dynamic ones are the same memory, and are called as the first is.
    if (dynamic_.name == unnamed_dynamic_memory && *which.name != '\0') {
      dynamic_.name = which.name;
      dynamic_.element = which.element;
    }
    return now.thread->block->shared->memory.data() + layout_.variables[0].offset;
  }
  for (std::size_t i = 1; i < layout_.variables.size(); ++i) {
    if (layout_.variables[i].what == &which) {
      return now.thread->block->shared->memory.data() + layout_.variables[i].offset;
    }
  }
  // What functions of the device keep has no name.
  if (*which.name != '\0') layout_.static_bytes += which.size;
  if (layout_.static_bytes > most_static_shared || !layout_.add(which, which.size)) {
    failure_ = fmt::format("{} uses {} bytes of static shared memory: a block can have at most {}",
                           kernel_.name, layout_.static_bytes, most_static_shared);
    stop(*now.thread);
  }
  return now.thread->block->shared->memory.data() + layout_.variables.back().offset;
}

}  // namespace heddle::checker
