#include "checker/engine/engine.hpp"
#include "checker/program/program_runtime.hpp"
#include "cuda_on_cpu/run/grid_shape.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

/// What a program launches.
namespace heddle::checker {

namespace errors = heddle_device::cuda_error;

namespace {

using heddle_device::index3;

std::string size_text(index3 i) {
  return i.z != 1   ? fmt::format("({}, {}, {})", i.x, i.y, i.z)
         : i.y != 1 ? fmt::format("({}, {})", i.x, i.y)
                    : fmt::format("{}", i.x);
}

}  // namespace

void program_runtime::know(const heddle_device::known_kernel& kernel) {
  const auto lock = lock_unless_in_kernel();
  const auto [at, is_new] = kernels_.try_emplace(kernel.address, kernel_known{"", kernel});
  if (!is_new && at->second.how.bounds == 0) at->second.how.bounds = kernel.bounds;
}

int program_runtime::describe_kernel(const void* address, heddle_device::kernel_facts* facts) {
  const auto lock = lock_unless_in_kernel();
  const auto known = kernels_.find(address);
  const auto limit = shared_limits_.find(address);
  const auto bounds =
      heddle_device::kernel_bounds::of(known == kernels_.end() ? 0 : known->second.how.bounds);
  *facts = {bounds.most_threads == 0 ? 1024 : std::min<std::uint64_t>(bounds.most_threads, 1024),
            limit == shared_limits_.end() ? heddle_device::device_facts::shared_a_block : limit->second,
            bounds.cluster, with_large_clusters_.count(address) != 0};
  return fail(0);
}

int program_runtime::allow_large_clusters(const void* address, bool are_allowed) {
  const auto lock = lock_unless_in_kernel();
  if (are_allowed) {
    with_large_clusters_.insert(address);
  } else {
    with_large_clusters_.erase(address);
  }
  return fail(0);
}

int program_runtime::limit_shared(const void* address, heddle_device::u64 bytes) {
  const auto lock = lock_unless_in_kernel();
  if (bytes > heddle_device::device_facts::most_shared_a_block) return fail(errors::invalid_value);
  shared_limits_[address] = bytes;
  return fail(0);
}

int program_runtime::check(const heddle_device::launch_request& q, const kernel_call& kernel,
                           std::string& why) const {
  using facts = heddle_device::device_facts;
  std::uint64_t limit = facts::shared_a_block;
  for (const auto& [address, bytes] : shared_limits_) {
    if (!q.is_address || address == q.function) limit = std::max(limit, bytes);
  }
  const dimensions grid = cuda_on_cpu::dimensions_of(q.grid), block = cuda_on_cpu::dimensions_of(q.block);
  why = cuda_on_cpu::wrong_shape(grid, block);
  if (!why.empty()) return errors::invalid_configuration;
  why = cuda_on_cpu::wrong_bound(block, kernel.most_threads);
  if (!why.empty()) return errors::launch_out_of_resources;
  if (q.shared_bytes > limit) {
    why = fmt::format(
        "{} bytes of dynamic shared memory: a block has {} unless cudaFuncSetAttribute allows more, up to {}",
        q.shared_bytes, limit, std::uint64_t{facts::most_shared_a_block});
    return errors::invalid_value;
  }
  const auto resident =
      static_cast<std::uint64_t>(heddle_device::resident_blocks(block.count(), q.shared_bytes)) *
      facts::multiprocessors;
  if (q.attributes.is_cooperative && grid.count() > resident) {
    why = fmt::format("{} blocks that wait for one another: the device has {} of them at once", grid.count(),
                      resident);
    return errors::cooperative_launch_too_large;
  }
  return 0;
}

int program_runtime::choose_cluster(const heddle_device::launch_request& q, heddle_device::index3 own,
                                    kernel_call& kernel, std::string& why) const {
  using facts = heddle_device::device_facts;
  const bool has_own = cuda_on_cpu::volume(own) != 0;
  if (has_own) kernel.cluster = own;
  if (q.attributes.has_cluster) kernel.cluster = q.attributes.cluster;
  if (cuda_on_cpu::volume(kernel.cluster) == 1 && !has_own) return 0;
  kernel.blocks_are_independent = false;
  const index3 chosen = kernel.cluster;
  if (has_own && (chosen.x != own.x || chosen.y != own.y || chosen.z != own.z)) {
    why = fmt::format("clusters of {}: its __cluster_dims__ say {}", size_text(chosen), size_text(own));
    return errors::invalid_cluster_size;
  }
  const bool are_large = with_large_clusters_.count(q.function) != 0;
  why = cuda_on_cpu::wrong_cluster(cuda_on_cpu::dimensions_of(q.grid), cuda_on_cpu::dimensions_of(chosen),
                                   are_large ? facts::most_blocks_a_cluster : facts::blocks_a_cluster);
  if (!why.empty() && !are_large && cuda_on_cpu::volume(chosen) > facts::blocks_a_cluster)
    why +=
        fmt::format(" unless cudaFuncSetAttribute allows more, up to {}", int{facts::most_blocks_a_cluster});
  return why.empty() ? 0 : errors::invalid_cluster_size;
}

std::string program_runtime::launch_text(const kernel_call& kernel, const heddle_device::launch_request& q) {
  return fmt::format("{}<<<{}, {}>>>", kernel.name, size_text(q.grid), size_text(q.block));
}

int program_runtime::resolve(heddle_device::launch_request& q, kernel_call& kernel, std::string& why) const {
  const bool is_statement = q.name != nullptr;
  heddle_device::known_kernel how = q.kernel;
  kernel.name = is_statement ? q.name : "a kernel";
  if (q.is_address) {
    const auto known = kernels_.find(q.function);
    if (how.call == nullptr && known == kernels_.end()) return errors::invalid_device_function;
    if (known != kernels_.end()) {
      if (!is_statement && !known->second.name.empty()) kernel.name = known->second.name;
      if (how.bounds == 0) how.bounds = known->second.how.bounds;
      if (how.call == nullptr) how = known->second.how;
    }
  }
  kernel.call = how.call;
  // What a table of the module knows of it has what it calls in the place of its address.
  kernel.function = q.kernel.call == nullptr && q.is_address ? how.address : q.function;
  const auto bounds = heddle_device::kernel_bounds::of(how.bounds);
  kernel.most_threads = bounds.most_threads;
  kernel.is_cooperative = q.attributes.is_cooperative;
  kernel.blocks_are_independent = blocks_are_independent_;
  int error = check(q, kernel, why);
  if (error == 0) error = choose_cluster(q, bounds.cluster, kernel, why);
  q.kernel = how;
  return error;
}

int program_runtime::launch(const heddle_device::launch_request& q) {
  if (now.thread != nullptr) return launch_from_kernel(q);
  const auto lock = lock_unless_in_kernel();
  if (lasting_error_ != 0) return lasting_error_;
  if (!order_.is_stream(q.stream)) return fail(errors::invalid_resource_handle);
  const bool is_statement = q.name != nullptr;
  heddle_device::launch_request complete = q;
  kernel_call kernel;
  std::string why;
  int error = resolve(complete, kernel, why);
  if (const int on = order_.device_of(q.stream); error == 0 && on != present_device()) {
    error = errors::invalid_resource_handle;
    why = fmt::format("its stream is of device {} and device {} is present: call cudaSetDevice({}) before",
                      on, present_device(), on);
  }
  const std::vector<std::uintptr_t> at = call_stack();
  const std::string text = launch_text(kernel, q);
  if (error != 0) {
    if (why.empty()) return fail(error);
    has_launch_failed_ = true;
    if (is_statement) {
      finding f{};
      f.kind = finding_kind::unchecked_error;
      f.places.push_back(host_place("launches " + text, at));
      f.detail = std::move(why);
      unasked_ = &report(std::move(f));
    }
    return fail(error);
  }
  learn_types(complete);
  if (graphs_.is_any_captured()) {
    heddle_device::node_request node{};
    node.kind = heddle_device::node_kind::kernel;
    node.launch = complete;
    node_work work(node, present_device());
    work.kernel = kernel;
    work.written = fmt::format("launches {} into a graph", text);
    work.at = at;
    if (const auto taken = graphs_.take_launch(work)) return *taken;
  }
  return run(complete, kernel, at, "launches " + text);
}

/// An allocation whose type a cast has hidden is of the type of the parameter that it first goes to.
void program_runtime::learn_types(const heddle_device::launch_request& q) {
  for (std::uint32_t i = 0; i < q.kernel.parameter_count; ++i) {
    const heddle_device::parameter& p = q.kernel.parameters[i];
    if (p.kind != heddle_device::parameter_kind::pointer || p.size == 0) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(*static_cast<void* const*>(q.arguments[i]));
    allocation* const a = memory_->find(address);
    if (a == nullptr || a->is_freed || a->memory.is_variable || a->memory.element_bytes != 1 ||
        a->memory.last != nullptr || a->memory.begin != address ||
        a->memory.type != heddle_device::scalar::other)
      continue;
    a->memory.consist_of(p.element);
    a->memory.shift = word_shift(p.element);
  }
}

/// Launches that are written alike, at one place that was come to in one way, are profiled together.
void program_runtime::add_profile(const place& by, const std::vector<instruction_profile>& instructions) {
  const auto known = std::find_if(profiles_.begin(), profiles_.end(), [&](const launch_profile& p) {
    return p.by.what == by.what && p.by.pc == by.pc && p.by.callers == by.callers;
  });
  launch_profile& all = known != profiles_.end() ? *known : profiles_.emplace_back();
  all.by = by;
  ++all.launches;
  add_instructions(all.instructions, instructions);
}

void program_runtime::choose_watched(const std::string& kernel, launch_options& options) {
  const std::uint64_t before = launches_of_[kernel]++;
  options.is_watched =
      before < options_.watched_launches && (!kernel_filter_ || std::regex_search(kernel, *kernel_filter_));
  if (!options.is_watched) options.schedules = 1;
  if (!options.is_watched || std::isinf(options_.budget)) return;
  // Half of the time goes to whatever comes first. Of what is left each launch has a part: new kernels, and
  // of the others fewer and fewer.
  const double left = options_.budget - watched_seconds_, half = options_.budget / 2 - watched_seconds_;
  options.watched_seconds = half > options_.budget / 8 ? half : std::max(left / 4, 0.0);
  if (half > 0 || before == 0) return;
  options.is_watched = left > 0 && (before & (before - 1)) == 0;
  if (!options.is_watched) options.schedules = 1;
}

void program_runtime::complete(finding& f, const launch_call& launch) {
  if (!f.places.empty()) program_graphs::tell_nodes(f, f.places.back());
  f.places.push_back(host_place(launch.written, launch.at));
  add_place_of_graph(f);
  add_places_of_memory(f);
  weigh(f);
}

std::vector<region*> program_runtime::regions_in_reach() {
  return memory_->regions([this](const allocation& a) { return devices_.reaches(present_device(), a); });
}

std::optional<memory_beyond_reach> program_runtime::beyond_reach(int device, std::uintptr_t address) {
  const allocation* const a = memory_->find(address);
  if (a == nullptr || !a->memory.has(address, 1) || devices_.reaches(device, *a)) return std::nullopt;
  return memory_beyond_reach{&a->memory, program_devices::why_beyond_reach(device, *a, address)};
}

}  // namespace heddle::checker
