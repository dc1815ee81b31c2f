#include "checker/program/program_graphs.hpp"

#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::checker {

namespace errors = heddle_device::cuda_error;
using heddle_device::node_kind;
using heddle_device::node_request;
using heddle_device::u64;

namespace {

/// Writes handles of as many as there is room for, and how many there are.
template <class Nodes>
void write_list(const Nodes& nodes, void** into, u64* count) {
  const u64 room = into == nullptr ? 0 : *count;
  for (u64 i = 0; i < room && i < nodes.size(); ++i) into[i] = nodes[i];
  *count = into == nullptr ? nodes.size() : std::min<u64>(room, nodes.size());
}

}  // namespace

void program_graphs::tell_nodes(finding& f, const place& other) {
  const work_origin* const origin = work_origin::present();
  if (origin == nullptr || origin->graph == nullptr) return;
  if (f.detail != different_streams && f.detail != different_devices) return;
  const std::vector<std::uintptr_t>& nodes = origin->graph->nodes;
  if (std::find(nodes.begin(), nodes.end(), other.pc) != nodes.end()) f.detail = different_nodes;
}

// ------------------------------------------------------------------------------------------------- handles

graph* program_graphs::graph_of(void* handle) {
  const auto found = all_graphs_.find(handle);
  return found == all_graphs_.end() ? nullptr : found->second;
}

graph_node* program_graphs::node_of(void* handle) {
  const auto found = nodes_.find(handle);
  return found == nodes_.end() ? nullptr : found->second;
}

program_graphs::made_executable* program_graphs::executable_of(void* handle) {
  const auto found = executables_.find(handle);
  return found == executables_.end() ? nullptr : found->second.get();
}

bool program_graphs::nodes_of(void* const* handles, u64 count, std::vector<graph_node*>& nodes) {
  for (u64 i = 0; i < count; ++i) {
    graph_node* const node = handles == nullptr ? nullptr : node_of(handles[i]);
    if (node == nullptr) return false;
    nodes.push_back(node);
  }
  return true;
}

void program_graphs::know(const graph& g) {
  all_graphs_[const_cast<graph*>(&g)] = const_cast<graph*>(&g);
  for (const auto& n : g.nodes()) {
    nodes_[n.get()] = n.get();
    if (n->child != nullptr) know(*n->child);
  }
}

void program_graphs::forget(const graph& g) {
  all_graphs_.erase(const_cast<graph*>(&g));
  for (const auto& n : g.nodes()) {
    nodes_.erase(n.get());
    if (n->child != nullptr) forget(*n->child);
  }
}

// -------------------------------------------------------------------------------------------------- graphs

int program_graphs::make_graph(void** made) {
  const std::lock_guard lock(program_.mutex_);
  auto g = std::make_unique<graph>();
  *made = g.get();
  know(*g);
  graphs_[g.get()] = std::move(g);
  return program_.fail(0);
}

int program_graphs::end_graph(void* handle) {
  const std::lock_guard lock(program_.mutex_);
  const auto found = graphs_.find(handle);
  if (found == graphs_.end()) return program_.fail(errors::invalid_value);
  forget(*found->second);
  graphs_.erase(found);
  return program_.fail(0);
}

int program_graphs::clone_graph(void** made, void* handle) {
  const std::lock_guard lock(program_.mutex_);
  const graph* const g = graph_of(handle);
  if (g == nullptr) return program_.fail(errors::invalid_value);
  std::unique_ptr<graph> copy = g->clone();
  *made = copy.get();
  know(*copy);
  graphs_[copy.get()] = std::move(copy);
  return program_.fail(0);
}

int program_graphs::node_of_clone(void** found, void* node, void* clone) {
  const std::lock_guard lock(program_.mutex_);
  const graph* const g = graph_of(clone);
  if (g == nullptr) return program_.fail(errors::invalid_value);
  const auto copy =
      std::find_if(g->nodes().begin(), g->nodes().end(), [&](const auto& n) { return n->original == node; });
  if (copy == g->nodes().end()) return program_.fail(errors::invalid_value);
  *found = copy->get();
  return program_.fail(0);
}

int program_graphs::prepare(const node_request& what, node_work& work, std::unique_ptr<graph>& child) {
  node_request complete = what;
  kernel_call kernel;
  std::string written;
  if (what.kind == node_kind::kernel) {
    std::string why;
    if (what.launch.arguments == nullptr && what.launch.function == nullptr) return errors::invalid_value;
    if (const int error = program_.resolve(complete.launch, kernel, why); error != 0) return error;
    if (complete.launch.kernel.parameter_count != 0 && complete.launch.arguments == nullptr)
      return errors::invalid_value;
    program_.learn_types(complete.launch);
    written = fmt::format("adds {} to a graph", program_runtime::launch_text(kernel, complete.launch));
  } else if (what.kind == node_kind::child) {
    const graph* const of = graph_of(what.child);
    if (of == nullptr) return errors::invalid_value;
    child = of->clone();
  } else if (what.kind == node_kind::wait || what.kind == node_kind::record) {
    if (!program_.order_.is_event(what.event)) return errors::invalid_resource_handle;
  } else if (what.kind == node_kind::allocation) {
    const allocation* const a = program_.pools_.reserve(what);
    if (a == nullptr) return errors::memory_allocation;
    complete.accesses = nullptr;
    complete.access_count = 0;
    complete.data = reinterpret_cast<void*>(a->memory.begin);
  } else if (what.kind == node_kind::host && what.function == nullptr) {
    return errors::invalid_value;
  }
  work = node_work(complete, present_device());
  work.kernel = std::move(kernel);
  work.written = std::move(written);
  work.at = program_.call_stack();
  return 0;
}

int program_graphs::add_node(void** made, void* handle, void* const* after, u64 count,
                             const node_request& what) {
  const std::lock_guard lock(program_.mutex_);
  graph* const g = graph_of(handle);
  std::vector<graph_node*> before;
  if (g == nullptr || made == nullptr || !nodes_of(after, count, before))
    return program_.fail(errors::invalid_value);
  const bool are_its_own =
      std::all_of(before.begin(), before.end(), [&](const graph_node* n) { return n->of == g; });
  if (!are_its_own) return program_.fail(errors::invalid_value);
  node_work work;
  std::unique_ptr<graph> child;
  if (const int error = prepare(what, work, child); error != 0) return program_.fail(error);
  graph_node& node = g->add(work, before);
  node.child = std::move(child);
  if (node.child != nullptr) know(*node.child);
  nodes_[&node] = &node;
  *made = &node;
  return program_.fail(0);
}

int program_graphs::change_node(void* handle, void* node_handle, const node_request& what) {
  const std::lock_guard lock(program_.mutex_);
  graph_node* const node = node_of(node_handle);
  made_executable* const executable = handle == nullptr ? nullptr : executable_of(handle);
  if (node == nullptr || (handle != nullptr && executable == nullptr))
    return program_.fail(errors::invalid_value);
  if (node->work.request().kind != what.kind) return program_.fail(errors::invalid_value);
  node_work work;
  std::unique_ptr<graph> child;
  if (const int error = prepare(what, work, child); error != 0) return program_.fail(error);
  work.device = node->work.device;
  if (executable == nullptr) {
    work.request().launch.attributes.is_cooperative |= node->work.request().launch.attributes.is_cooperative;
    node->work = work;
    if (child != nullptr) {
      forget(*node->child);
      node->child = std::move(child);
      know(*node->child);
    }
    return program_.fail(0);
  }
  if (child != nullptr)
    return program_.fail(executable->of.change_child(*node, *child) ? 0 : errors::graph_update_failure);
  executable_graph::step* const step = executable->of.find(node);
  if (step == nullptr) return program_.fail(errors::invalid_value);
  work.request().launch.attributes.is_cooperative |= step->work.request().launch.attributes.is_cooperative;
  step->work = work;
  return program_.fail(0);
}

int program_graphs::make_cooperative(void* handle, bool is_cooperative) {
  const std::lock_guard lock(program_.mutex_);
  graph_node* const node = node_of(handle);
  if (node == nullptr || node->work.request().kind != node_kind::kernel)
    return program_.fail(errors::invalid_value);
  node->work.request().launch.attributes.is_cooperative = is_cooperative;
  node->work.kernel.is_cooperative = is_cooperative;
  return program_.fail(0);
}

int program_graphs::end_node(void* handle) {
  const std::lock_guard lock(program_.mutex_);
  graph_node* const node = node_of(handle);
  if (node == nullptr) return program_.fail(errors::invalid_value);
  if (node->child != nullptr) forget(*node->child);
  nodes_.erase(node);
  node->of->remove(*node);
  return program_.fail(0);
}

int program_graphs::add_edges(void* const* from, void* const* to, u64 count) {
  const std::lock_guard lock(program_.mutex_);
  std::vector<graph_node*> first, second;
  if (!nodes_of(from, count, first) || !nodes_of(to, count, second))
    return program_.fail(errors::invalid_value);
  for (std::size_t i = 0; i < first.size(); ++i) {
    auto& after = second[i]->after;
    const bool is_there = std::find(after.begin(), after.end(), first[i]) != after.end();
    if (first[i]->of != second[i]->of || is_there) return program_.fail(errors::invalid_value);
    after.push_back(first[i]);
  }
  return program_.fail(0);
}

int program_graphs::remove_edges(void* const* from, void* const* to, u64 count) {
  const std::lock_guard lock(program_.mutex_);
  std::vector<graph_node*> first, second;
  if (!nodes_of(from, count, first) || !nodes_of(to, count, second))
    return program_.fail(errors::invalid_value);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::erase(second[i]->after, first[i]) == 0) return program_.fail(errors::invalid_value);
  }
  return program_.fail(0);
}

int program_graphs::describe_node(void* handle, heddle_device::node_facts* facts) {
  const std::lock_guard lock(program_.mutex_);
  graph_node* const node = node_of(handle);
  if (node == nullptr) return program_.fail(errors::invalid_value);
  const node_request& what = node->work.request();
  *facts = {what.kind,  what.parameters,   const_cast<void**>(node->work.arguments().data()),
            what.event, node->child.get(), what.launch.attributes.is_cooperative,
            what.data};
  return program_.fail(0);
}

int program_graphs::list_nodes(void* handle, bool only_roots, void** nodes, u64* count) {
  const std::lock_guard lock(program_.mutex_);
  const graph* const g = graph_of(handle);
  if (g == nullptr) return program_.fail(errors::invalid_value);
  std::vector<graph_node*> wanted;
  for (const auto& n : g->nodes()) {
    if (!only_roots || n->after.empty()) wanted.push_back(n.get());
  }
  write_list(wanted, nodes, count);
  return program_.fail(0);
}

int program_graphs::list_edges(void* handle, void** from, void** to, u64* count) {
  const std::lock_guard lock(program_.mutex_);
  const graph* const g = graph_of(handle);
  if (g == nullptr) return program_.fail(errors::invalid_value);
  std::vector<graph_node*> first, second;
  for (const auto& n : g->nodes()) {
    for (graph_node* const before : n->after) {
      first.push_back(before);
      second.push_back(n.get());
    }
  }
  u64 same = *count;
  write_list(first, from, count);
  write_list(second, to, &same);
  return program_.fail(0);
}

int program_graphs::list_neighbours(void* handle, bool before, void** nodes, u64* count) {
  const std::lock_guard lock(program_.mutex_);
  graph_node* const node = node_of(handle);
  if (node == nullptr) return program_.fail(errors::invalid_value);
  std::vector<graph_node*> wanted = node->after;
  if (!before) {
    wanted.clear();
    for (const auto& n : node->of->nodes()) {
      if (std::find(n->after.begin(), n->after.end(), node) != n->after.end()) wanted.push_back(n.get());
    }
  }
  write_list(wanted, nodes, count);
  return program_.fail(0);
}

// ----------------------------------------------------------------------------------------- what is launched

int program_graphs::instantiate(void** made, void* handle, bool frees_on_launch) {
  const std::lock_guard lock(program_.mutex_);
  const graph* const g = graph_of(handle);
  if (g == nullptr || made == nullptr) return program_.fail(errors::invalid_value);
  auto executable = std::make_unique<made_executable>();
  executable->frees_on_launch = frees_on_launch;
  if (!executable->of.make(*g)) return program_.fail(errors::invalid_value);
  executable->lanes.resize(executable->of.lanes);
  for (const executable_graph::step& s : executable->of.steps) {
    void*& lane = executable->lanes[s.lane];
    if (lane == nullptr) lane = program_.order_.make_stream(false, s.work.device);
  }
  *made = executable.get();
  executables_[executable.get()] = std::move(executable);
  return program_.fail(0);
}

int program_graphs::end_executable(void* handle) {
  const std::lock_guard lock(program_.mutex_);
  made_executable* const executable = executable_of(handle);
  if (executable == nullptr) return program_.fail(errors::invalid_value);
  for (void* const lane : executable->lanes) program_.order_.end_stream(lane);
  executables_.erase(handle);
  return program_.fail(0);
}

int program_graphs::update(void* handle, void* from, heddle_device::update_facts* facts) {
  const std::lock_guard lock(program_.mutex_);
  made_executable* const executable = executable_of(handle);
  const graph* const g = graph_of(from);
  if (executable == nullptr || g == nullptr) return program_.fail(errors::invalid_value);
  *facts = executable->of.update(*g);
  return program_.fail(facts->result == 0 ? 0 : errors::graph_update_failure);
}

int program_graphs::enable_node(void* handle, void* node, bool is_enabled) {
  const std::lock_guard lock(program_.mutex_);
  made_executable* const executable = executable_of(handle);
  executable_graph::step* const step = executable == nullptr ? nullptr : executable->of.find(node_of(node));
  if (step == nullptr) return program_.fail(errors::invalid_value);
  step->is_enabled = is_enabled;
  return program_.fail(0);
}

int program_graphs::is_node_enabled(void* handle, void* node, bool* is_enabled) {
  const std::lock_guard lock(program_.mutex_);
  made_executable* const executable = executable_of(handle);
  executable_graph::step* const step = executable == nullptr ? nullptr : executable->of.find(node_of(node));
  if (step == nullptr) return program_.fail(errors::invalid_value);
  *is_enabled = step->is_enabled;
  return program_.fail(0);
}

void program_graphs::perform(const node_work& work, void* stream) {
  const node_request& what = work.request();
  switch (what.kind) {
    case node_kind::kernel: {
      heddle_device::launch_request launch = what.launch;
      launch.stream = stream;
      program_.run(launch, work.kernel, work.at, work.written);
      break;
    }
    case node_kind::copy: {
      heddle_device::copy_request copy = what.copy;
      copy.stream = stream;
      program_.copy_now(copy, false);
      break;
    }
    case node_kind::fill: {
      heddle_device::fill_request fill = what.fill;
      fill.stream = stream;
      program_.fill_now(fill, false);
      break;
    }
    case node_kind::allocation:
      program_.pools_.allocate_reserved(what.data, stream);
      break;
    case node_kind::release:
      program_.pools_.release_on(what.data, stream);
      break;
    case node_kind::record:
      if (program_.order_.is_event(what.event)) program_.order_.record(what.event, stream);
      break;
    case node_kind::wait:
      if (program_.order_.is_event(what.event)) program_.order_.make_wait(stream, what.event);
      break;
    default:
      program_.order_.enqueue(stream);
      break;
  }
}

int program_graphs::launch_graph(void* handle, void* stream) {
  made_executable* executable = nullptr;
  std::shared_ptr<const graph_launch> launched;
  stream_order::times begin;
  {
    const std::lock_guard lock(program_.mutex_);
    if (program_.lasting_error_ != 0) return program_.lasting_error_;
    executable = executable_of(handle);
    if (executable == nullptr) return program_.fail(errors::invalid_value);
    if (!program_.order_.is_stream(stream)) return program_.fail(errors::invalid_resource_handle);
    if (const auto refused = refuse_on(stream)) return *refused;
    program_.go_on_with_all();
    if (captures::captured_stream* const on = captures_.of_stream(stream)) {
      // Its nodes become nodes of the graph that is captured.
      std::vector<graph_node*> made;
      std::vector<bool> is_followed(executable->of.steps.size());
      for (const executable_graph::step& s : executable->of.steps) {
        std::vector<graph_node*> after = s.after.empty() ? on->after : std::vector<graph_node*>();
        for (const std::size_t i : s.after) {
          after.push_back(made[i]);
          is_followed[i] = true;
        }
        graph_node& node = on->of->into->add(s.work, after);
        nodes_[&node] = &node;
        made.push_back(&node);
      }
      std::vector<graph_node*> last;
      for (std::size_t i = 0; i < made.size(); ++i) {
        if (!is_followed[i]) last.push_back(made[i]);
      }
      if (!last.empty()) on->after = std::move(last);
      return program_.fail(0);
    }
    const bool holds_memory =
        std::any_of(executable->of.steps.begin(), executable->of.steps.end(), [&](const auto& s) {
          return s.work.request().kind == node_kind::allocation &&
                 program_.pools_.is_held(
                     *program_.memory_->find(reinterpret_cast<std::uintptr_t>(s.work.request().data)));
        });
    if (holds_memory && !executable->frees_on_launch) return program_.fail(errors::invalid_value);
    auto made = std::make_shared<graph_launch>();
    made->at = program_.call_stack();
    for (const executable_graph::step& s : executable->of.steps) {
      if (!s.work.at.empty()) made->nodes.push_back(s.work.at.front());
    }
    launched = std::move(made);
    program_.order_.enqueue(stream);
    begin = program_.order_.known(stream);
    stream_order::join(begin, executable->after);
  }
  std::vector<stream_order::times> done;
  for (const executable_graph::step& s : executable->of.steps) {
    void* const lane = executable->lanes[s.lane];
    const node_request& what = s.work.request();
    const bool calls_host = s.is_enabled && what.kind == node_kind::host;
    {
      const std::lock_guard lock(program_.mutex_);
      program_.order_.follow(lane, begin);
      for (const std::size_t i : s.after) program_.order_.follow(lane, done[i]);
      const work_origin origin{s.work.at, launched};
      const origin_scope scope(&origin);
      const device_scope on(s.work.device);
      if (s.is_enabled && !calls_host) perform(s.work, lane);
    }
    if (calls_host) program_.call_host_now(lane, what.function, what.data);
    const std::lock_guard lock(program_.mutex_);
    done.push_back(program_.order_.known(lane));
    program_.order_.follow(stream, done.back());
    stream_order::join(executable->after, done.back());
  }
  return program_.fail(0);
}

}  // namespace heddle::checker
