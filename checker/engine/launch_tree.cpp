#include "checker/engine/launch_tree.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace heddle::checker {

void kept_arguments::keep(const heddle_device::launch_request& q, kernel_call& kernel, bool with_references) {
  if (q.function_bytes != 0) {
    const auto* const from = static_cast<const std::byte*>(q.function);
    function.assign(from, from + q.function_bytes);
    kernel.function = function.data();
  }
  constexpr std::size_t alignment = 16;
  const auto is_left = [&](std::uint32_t i) {
    return !with_references && q.kernel.parameters[i].kind == heddle_device::parameter_kind::reference;
  };
  std::vector<std::size_t> offsets(q.kernel.parameter_count);
  for (std::uint32_t i = 0; i < q.kernel.parameter_count; ++i) {
    if (is_left(i)) continue;
    const heddle_device::parameter& p = q.kernel.parameters[i];
    const std::size_t size = p.kind == heddle_device::parameter_kind::pointer ? sizeof(void*) : p.size;
    offsets[i] = bytes.size();
    bytes.resize(bytes.size() + (size + alignment - 1) / alignment * alignment);
    std::memcpy(bytes.data() + offsets[i], q.arguments[i], size);
  }
  for (std::uint32_t i = 0; i < q.kernel.parameter_count; ++i)
    pointers.push_back(is_left(i) ? q.arguments[i] : bytes.data() + offsets[i]);
  pointers.push_back(nullptr);
  kernel.arguments = pointers.data();
  kernel.first_argument = reinterpret_cast<std::uintptr_t>(bytes.data());
  kernel.last_argument = kernel.first_argument + bytes.size();
}

std::size_t launch_tree::add(std::size_t parent, const child_launch* of, const launch_options& options,
                             std::uint32_t first_serial, std::uint32_t last_serial) {
  node n;
  n.parent = parent;
  n.depth = parent == none ? 0 : nodes_[parent].depth + 1;
  n.work.first_serial = first_serial;
  n.work.last_serial = last_serial;
  n.work.grid = options.grid;
  n.work.block = options.block;
  n.work.why = launched_meanwhile;
  if (of != nullptr) {
    n.when = of->when;
    n.queue = of->queue;
    n.before = of->before;
    n.before_grid = of->before_grid;
    n.work.by = of->by;
  }
  nodes_.push_back(std::move(n));
  return nodes_.size() - 1;
}

const concurrent_work* launch_tree::beside(std::size_t present, const record& r) {
  const auto after =
      std::upper_bound(nodes_.begin(), nodes_.end(), r.block,
                       [](std::uint32_t serial, const node& n) { return serial < n.work.first_serial; });
  if (after == nodes_.begin()) return nullptr;
  const auto made_by = static_cast<std::size_t>(std::distance(nodes_.begin(), after) - 1);
  if (r.block >= nodes_[made_by].work.last_serial || made_by == present) return nullptr;
  // The two that have one parent, or the record's launch itself and what it launched.
  std::size_t earlier = made_by, later = present;
  while (nodes_[earlier].depth > nodes_[later].depth) earlier = nodes_[earlier].parent;
  while (nodes_[later].depth > nodes_[earlier].depth + 1) later = nodes_[later].parent;
  const auto tells = [&] {
    concurrent_work& work = nodes_[made_by].work;
    if (made_by == 0) work.by = nodes_[later].work.by;
    return &work;
  };
  if (nodes_[later].depth == nodes_[earlier].depth + 1) {
    if (nodes_[later].parent == earlier) {
      const node& n = nodes_[later];
      // What a launch's own children do is another's record.
      if (n.when == child_launch::order::at_end || r.clock < n.before_grid ||
          (n.before && n.before->has(r.block, r.thread, r.clock)))
        return nullptr;
      return tells();
    }
    later = nodes_[later].parent;
  }
  while (nodes_[earlier].parent != nodes_[later].parent) {
    earlier = nodes_[earlier].parent;
    later = nodes_[later].parent;
  }
  const node &a = nodes_[earlier], &b = nodes_[later];
  if (earlier == later || b.when == child_launch::order::at_end) return nullptr;
  const bool are_in_turn = a.when == child_launch::order::in_stream &&
                           b.when == child_launch::order::in_stream && a.queue == b.queue;
  return are_in_turn ? nullptr : tells();
}

}  // namespace heddle::checker
