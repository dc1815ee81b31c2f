#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::checker {

/// A launch of a graph: where the host launched it, and where its nodes were made.
struct graph_launch {
  std::vector<std::uintptr_t> at;     // calls, innermost first
  std::vector<std::uintptr_t> nodes;  // the innermost call of each
};

/// Where work was asked for that the host is not calling for just now: of a node of a graph where that was
/// made.
struct work_origin {
  std::vector<std::uintptr_t> at;             ///< calls, innermost first
  std::shared_ptr<const graph_launch> graph;  ///< null for work of no graph

  /// Of what this thread does now; null for what its own code calls.
  static const work_origin* present();
};

/// While it lives, what this thread does was asked for there; null: by its own code.
class origin_scope {
 public:
  explicit origin_scope(const work_origin* of);
  ~origin_scope();
  origin_scope(const origin_scope&) = delete;
  origin_scope& operator=(const origin_scope&) = delete;

 private:
  const work_origin* before_;
};

}  // namespace heddle::checker
