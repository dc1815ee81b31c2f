#include "checker/program/graph.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

namespace heddle::checker {

using heddle_device::node_kind;
using heddle_device::node_request;

namespace {

// cudaGraphExecUpdateResult.
constexpr int topology_changed = 2, type_changed = 3, parameters_changed = 5;

std::size_t bytes_of(const heddle_device::parameter& p) {
  return p.kind == heddle_device::parameter_kind::pointer ? sizeof(void*) : p.size;
}

template <class Line>
void copy_into(std::vector<Line>& lines, const void* from, std::size_t bytes) {
  lines.resize((bytes + sizeof(Line) - 1) / sizeof(Line));
  if (bytes != 0) std::memcpy(lines.data(), from, bytes);
}

}  // namespace

node_work::node_work(const node_request& what, int on) : device(on), request_(what) {
  copy_what_it_points_to();
}

node_work& node_work::operator=(const node_work& other) {
  if (this == &other) return *this;
  device = other.device;
  kernel = other.kernel;
  written = other.written;
  at = other.at;
  request_ = other.request_;
  copy_what_it_points_to();
  return *this;
}

void node_work::copy_what_it_points_to() {
  copy_into(parameters_, request_.parameters, request_.parameter_bytes);
  request_.parameters = request_.parameter_bytes == 0 ? nullptr : parameters_.data();
  if (request_.kind != node_kind::kernel) return;
  heddle_device::launch_request& launch = request_.launch;
  if (launch.function_bytes != 0) {
    copy_into(function_, launch.function, launch.function_bytes);
    launch.function = function_.data();
  }
  const std::uint32_t count = launch.kernel.parameter_count;
  std::vector<std::size_t> first(count);
  std::size_t lines = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    first[i] = lines;
    lines += (bytes_of(launch.kernel.parameters[i]) + sizeof(line) - 1) / sizeof(line);
  }
  std::vector<line> bytes(lines);
  std::vector<void*> arguments(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const heddle_device::parameter& p = launch.kernel.parameters[i];
    // What a reference is to stays where it is.
    const bool is_copied = p.kind != heddle_device::parameter_kind::reference;
    arguments[i] = is_copied ? &bytes[first[i]] : launch.arguments[i];
    if (is_copied) std::memcpy(arguments[i], launch.arguments[i], bytes_of(p));
  }
  argument_bytes_ = std::move(bytes);
  arguments_ = std::move(arguments);
  launch.arguments = arguments_.data();
}

graph_node& graph::add(const node_work& work, const std::vector<graph_node*>& after) {
  nodes_.push_back(std::make_unique<graph_node>());
  graph_node& made = *nodes_.back();
  made.of = this;
  made.work = work;
  for (graph_node* const before : after) {
    if (std::find(made.after.begin(), made.after.end(), before) == made.after.end())
      made.after.push_back(before);
  }
  return made;
}

void graph::remove(graph_node& node) {
  for (const auto& other : nodes_) std::erase(other->after, &node);
  std::erase_if(nodes_, [&](const auto& n) { return n.get() == &node; });
}

std::unique_ptr<graph> graph::clone() const {
  auto result = std::make_unique<graph>();
  std::map<const graph_node*, graph_node*> copies;
  for (const auto& n : nodes_) {
    graph_node& copy = result->add(n->work, {});
    copy.original = n.get();
    if (n->child != nullptr) copy.child = n->child->clone();
    copies[n.get()] = &copy;
  }
  for (const auto& n : nodes_) {
    for (const graph_node* const before : n->after) copies[n.get()]->after.push_back(copies.at(before));
  }
  return result;
}

std::vector<graph_node*> graph::ordered() const {
  std::vector<graph_node*> result;
  std::set<const graph_node*> done;
  std::map<const graph_node*, std::size_t> waits_for;
  std::map<const graph_node*, std::vector<std::size_t>> behind;
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    waits_for[nodes_[i].get()] = nodes_[i]->after.size();
    for (const graph_node* const before : nodes_[i]->after) behind[before].push_back(i);
    if (nodes_[i]->after.empty()) ready.insert(i);
  }
  while (!ready.empty()) {
    graph_node* const next = nodes_[*ready.begin()].get();
    ready.erase(ready.begin());
    result.push_back(next);
    for (const std::size_t i : behind[next]) {
      if (--waits_for[nodes_[i].get()] == 0) ready.insert(i);
    }
  }
  if (result.size() != nodes_.size()) result.clear();
  return result;
}

bool graph::leads_to(const graph_node& from, const graph_node& to) {
  std::set<const graph_node*> seen;
  std::vector<const graph_node*> next{&to};
  while (!next.empty()) {
    const graph_node* const n = next.back();
    next.pop_back();
    if (n == &from) return true;
    for (const graph_node* const before : n->after) {
      if (seen.insert(before).second) next.push_back(before);
    }
  }
  return false;
}

bool executable_graph::add(const graph& from, const std::vector<std::size_t>& before,
                           std::vector<std::size_t>& last) {
  const std::vector<graph_node*> order = from.ordered();
  if (order.size() != from.nodes().size()) return false;
  // A child's node stands for the last of its steps.
  std::map<const graph_node*, std::vector<std::size_t>> ends;
  std::set<const graph_node*> followed;
  for (graph_node* const n : order) {
    std::vector<std::size_t> after = n->after.empty() ? before : std::vector<std::size_t>();
    for (const graph_node* const other : n->after) {
      after.insert(after.end(), ends[other].begin(), ends[other].end());
      followed.insert(other);
    }
    if (n->child != nullptr) {
      if (!add(*n->child, after, ends[n])) return false;
      if (ends[n].empty()) ends[n] = after;
    } else {
      steps.push_back({n->work, n, std::move(after), 0, true});
      ends[n] = {steps.size() - 1};
    }
  }
  for (const graph_node* const n : order) {
    if (followed.count(n) == 0) last.insert(last.end(), ends[n].begin(), ends[n].end());
  }
  return true;
}

bool executable_graph::make(const graph& from) {
  std::vector<std::size_t> last;
  if (!add(from, {}, last)) return false;
  // Steps that follow one another share a lane, so that there are no more of them than steps side by side.
  std::vector<std::size_t> end_of_lane;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& after = steps[i].after;
    const auto continued = std::find_if(after.begin(), after.end(), [&](std::size_t before) {
      return end_of_lane[steps[before].lane] == before && steps[before].work.device == steps[i].work.device;
    });
    steps[i].lane = continued == after.end() ? end_of_lane.size() : steps[*continued].lane;
    if (continued == after.end()) end_of_lane.push_back(i);
    end_of_lane[steps[i].lane] = i;
  }
  lanes = end_of_lane.size();
  return true;
}

heddle_device::update_facts executable_graph::update(const graph& from) {
  executable_graph other;
  if (!other.make(from) || other.steps.size() != steps.size()) return {topology_changed, nullptr};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    graph_node* const node = other.steps[i].original;
    if (other.steps[i].work.request().kind != steps[i].work.request().kind) return {type_changed, node};
    if (other.steps[i].after != steps[i].after) return {topology_changed, node};
    if (other.steps[i].work.device != steps[i].work.device) return {parameters_changed, node};
  }
  // It is still asked for by the nodes that it was made of.
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].work = other.steps[i].work;
  return {0, nullptr};
}

executable_graph::step* executable_graph::find(const graph_node* node) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const step& s) { return s.original == node; });
  return found == steps.end() ? nullptr : &*found;
}

bool executable_graph::change_child(const graph_node& node, const graph& child) {
  if (node.child == nullptr) return false;
  executable_graph known, other;
  if (!known.make(*node.child) || !other.make(child) || known.steps.size() != other.steps.size())
    return false;
  for (std::size_t i = 0; i < known.steps.size(); ++i) {
    step* const own = find(known.steps[i].original);
    if (own == nullptr || own->work.request().kind != other.steps[i].work.request().kind ||
        known.steps[i].after != other.steps[i].after)
      return false;
    own->work = other.steps[i].work;
  }
  return true;
}

}  // namespace heddle::checker
