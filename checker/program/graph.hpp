#pragma once

#include "checker/engine/launch.hpp"
#include "cuda_on_cpu/device/heddle_device/runtime.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::checker {

class graph;

/// What a node does, with copies of all that the program described it by.
class node_work {
 public:
  node_work() = default;
  /// On a device.
  node_work(const heddle_device::node_request& what, int on);
  node_work(const node_work& other) { *this = other; }
  node_work& operator=(const node_work& other);

  const heddle_device::node_request& request() const { return request_; }
  heddle_device::node_request& request() { return request_; }
  const std::vector<void*>& arguments() const { return arguments_; }

  int device = 0;
  kernel_call kernel;   ///< of a kernel, without its arguments
  std::string written;  ///< of a kernel: "adds k<<<1, 32>>> to a graph"
  std::vector<std::uintptr_t> at;

 private:
  struct alignas(64) line {
    std::byte bytes[64];
  };
  void copy_what_it_points_to();

  heddle_device::node_request request_{};
  std::vector<line> argument_bytes_, function_, parameters_;
  std::vector<void*> arguments_;
};

struct graph_node {
  graph* of = nullptr;
  node_work work;
  std::vector<graph_node*> after;
  std::unique_ptr<graph> child;
  const graph_node* original = nullptr;  ///< that it is a copy of
};

/// Nodes, and which come after which.
class graph {
 public:
  graph() = default;
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  graph_node& add(const node_work& work, const std::vector<graph_node*>& after);
  void remove(graph_node& node);
  /// With copies of its children.
  std::unique_ptr<graph> clone() const;
  const std::vector<std::unique_ptr<graph_node>>& nodes() const { return nodes_; }
  /// The nodes in an order in which each follows those that it comes after; of two that may swap, the one
  /// that was added first comes first. Empty where the edges lead in a circle.
  std::vector<graph_node*> ordered() const;
  /// Whether a way of edges leads from one to the other, or they are one.
  static bool leads_to(const graph_node& from, const graph_node& to);

 private:
  std::vector<std::unique_ptr<graph_node>> nodes_;
};

/// A graph that can be launched: its nodes, with those of its children, one after another.
class executable_graph {
 public:
  struct step {
    node_work work;
    graph_node* original = nullptr;  ///< in the graph that it was made of
    std::vector<std::size_t> after;  ///< numbers of earlier ones
    std::size_t lane = 0;            ///< that it shares with steps which follow one another
    bool is_enabled = true;
  };
  /// False where the edges of it or a child lead in a circle.
  bool make(const graph& from);
  /// Takes over what the nodes of a graph of the same form do. Says the first node that does not fit.
  heddle_device::update_facts update(const graph& from);
  /// Null for a node that is not in it.
  step* find(const graph_node* node);
  /// The steps of a child's node take over those of another graph; false where it has another form.
  bool change_child(const graph_node& node, const graph& child);

  std::vector<step> steps;
  std::size_t lanes = 0;

 private:
  bool add(const graph& from, const std::vector<std::size_t>& before, std::vector<std::size_t>& last);
};

}  // namespace heddle::checker
