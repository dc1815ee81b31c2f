#pragma once

#include "checker/engine/known_clocks.hpp"
#include "checker/engine/launch.hpp"
#include "checker/engine/regions.hpp"
#include "cuda_on_cpu/device/heddle_device/runtime.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::checker {

/// Of a race of a kernel and of one that it has launched, or of two that it has.
constexpr const char* launched_meanwhile =
    "what a kernel launches comes after what its thread did before, and after earlier launches of the block "
    "into "
    "one stream; nothing orders it with the rest of the kernel, or with other launches";

/// What a launch is given, which outlives who launches.
struct kept_arguments {
  std::vector<std::byte> function, bytes;
  std::vector<void*> pointers;

  /// Makes the kernel's function and arguments those that are kept; what references are to only where that is
  /// asked for.
  void keep(const heddle_device::launch_request& what, kernel_call& kernel, bool with_references);
};

/// A launch by a thread of a kernel. It runs once that kernel's own threads have ended: nothing that a kernel
/// may do needs it before.
struct child_launch {
  enum class order : std::uint8_t { in_stream, at_once, at_end };

  kernel_call kernel;
  kept_arguments kept;  ///< of it
  launch_options options;
  order when = order::in_stream;
  std::uint64_t queue = 0;  ///< the block and the stream: one of them runs its launches one by one
  std::shared_ptr<const known_clocks> before;  ///< what comes before the launch
  std::uint32_t before_grid = 1;               ///< by barriers of the grid
  place by;
};

/// A launch of the host's, and all that come of it under the present schedule, in the order in which they
/// run.
class launch_tree {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  void clear() { nodes_.clear(); }
  /// Blocks from first_serial to before last_serial; `of` is null for the host's launch.
  std::size_t add(std::size_t parent, const child_launch* of, const launch_options& options,
                  std::uint32_t first_serial, std::uint32_t last_serial);
  /// The launch that made a record, where nothing orders it with what node `present` does; null for none.
  const concurrent_work* beside(std::size_t present, const record& r);

 private:
  struct node {
    std::size_t parent = none, depth = 0;
    child_launch::order when = child_launch::order::in_stream;
    std::uint64_t queue = 0;
    std::shared_ptr<const known_clocks> before;
    std::uint32_t before_grid = 1;
    concurrent_work work;
  };
  std::vector<node> nodes_;
};

}  // namespace heddle::checker
