#pragma once

#include "checker/engine/module.hpp"
#include "checker/report/finding.hpp"
#include "checker/report/profile.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace heddle::checker {

class device_heap;
struct region;
struct record;

/// An array, a number, or a structure of numbers that a kernel is called with.
struct argument {
  heddle_device::scalar type = heddle_device::scalar::other;  ///< `other` for members of several types
  bool is_array = false;
  std::size_t elements = 1;      ///< of an array; or the members of a structure
  bool is_written = true;        ///< false: memory that nothing was ever written to
  std::vector<std::byte> bytes;  ///< the elements, or the number; after a launch, what the kernel left
  std::string output;            ///< where an array goes afterwards; empty for nowhere
};

struct launch_options {
  heddle_device::index3 grid{1, 1, 1}, block{1, 1, 1};
  heddle_device::index3 cluster{1, 1, 1};  ///< of blocks
  std::size_t shared_bytes = 0;
  std::uint64_t seed = 0;
  std::size_t schedules = 1;
  bool legacy_warps = false;       ///< the threads of a warp move together
  bool volatile_is_plain = false;  ///< volatile accesses race as others do
  bool is_watched = true;
  /// Of accesses that are watched, under all schedules; blocks beyond run unwatched, which some are of all
  /// parts of the grid, and no schedule but the first follows then. Infinite for no limit.
  double watched_seconds = std::numeric_limits<double>::infinity();
  std::size_t threads = 1;          ///< of the machine that run blocks at once, where the kernel allows
  double seconds_without_end = 60;  ///< of processor time, since a thread last ended
  bool profiles = false;            ///< what warps do, under the first schedule
};

/// Of a race of two pieces of work on different streams.
constexpr const char* different_streams =
    "they are on different streams, and nothing orders them: an event that one records and the other waits "
    "for "
    "does, or a wait of the host between them";

/// Of a race of two pieces of work on different devices; of atomics, too.
constexpr const char* different_devices =
    "they are on different devices, and nothing orders them: an event that a stream of one records and a "
    "stream "
    "of the other waits for does, or a wait of the host between them";
constexpr const char* atomics_of_devices =
    "they are on different devices, where an atomic orders its own device's threads alone: atomicAdd_system "
    "and "
    "its like do, cuda::thread_scope_system, or an event between the launches";

/// Of one of two nodes of a graph.
constexpr const char* different_nodes =
    "they are nodes of one graph, and no way of dependencies leads from one to the other: an edge between "
    "them, or an event that one captured stream records and the other waits for, orders them";

/// What may still run on another stream beside a kernel: a launch, or a copy or a fill.
struct concurrent_work {
  place by;                                         ///< what the host called, and where
  std::uint32_t first_serial = 0, last_serial = 0;  ///< of a launch's blocks in histories; or
  std::uintptr_t first = 0, last = 0;               ///< of what is copied or filled
  bool writes = false;
  heddle_device::index3 grid{}, block{};  ///< of a launch
  const char* why = different_streams;    ///< nothing orders it
  bool is_on_other_device = false;
};

/// Memory of another device that the device of a kernel may not use, and why.
struct memory_beyond_reach {
  const region* of;
  std::string why;
};

/// A kernel, what it is called with, and what is known of it.
struct kernel_call {
  std::string name;
  void (*call)(const void* function, void* const* arguments) = nullptr;
  const void* function = nullptr;
  void* const* arguments = nullptr;        ///< a pointer to each
  std::uint64_t most_threads = 0;          ///< of a block, by __launch_bounds__; 0 when it is not there
  heddle_device::index3 cluster{1, 1, 1};  ///< of blocks, which the launch or the kernel says
  bool blocks_are_independent = false;
  bool is_cooperative = true;  ///< its blocks may meet at a barrier of the grid
  /// Where the arguments themselves are; threads may read them there.
  std::uintptr_t first_argument = 0, last_argument = 0;
  /// Says what is at an address that belongs to no array; where it is null there is no more to say.
  std::function<std::string(std::uintptr_t)> explain_address;
  /// Says whose memory is there that another device has; where it is null there is no other.
  std::function<std::optional<memory_beyond_reach>(std::uintptr_t)> beyond_reach;
  std::deque<concurrent_work> beside;  ///< that nothing orders with it
  /// Of a launch by a kernel: the launch that made a record and that nothing orders with it; null for none.
  std::function<const concurrent_work*(const record&)> beside_in_tree;
  device_heap* heap = nullptr;     ///< that a program's kernels allocate in; null: one of its own
  bool has_other_streams = false;  ///< on which a GPU may run other launches meanwhile
};

struct launch_outcome {
  std::vector<finding> findings;  ///< with lines; empty when it was not watched
  std::uint64_t accesses = 0;     ///< that were watched, over all schedules
  double seconds = 0;
  std::size_t schedules = 0;
  std::uint64_t blocks = 0, watched_blocks = 0;  ///< under the first schedule
  double watched_seconds = 0;
  bool was_stopped = false;  ///< before its end: nothing could go on, or going on would have harmed
  std::string printed;       ///< by the kernel, under the first schedule
  std::vector<instruction_profile> instructions;  ///< that were profiled
  std::vector<line_profile> profile;              ///< the same by lines, once they are known
};

/// Runs a kernel, once a schedule. The arguments are given back as the first schedule
/// left them. Arguments that do not fit the kernel's parameters, and what a launch cannot have, are a
/// heddle::error.
launch_outcome run(const module& compiled, std::vector<argument>& arguments, const launch_options& options);

/// Of a number; 0 for `other`.
std::size_t bytes_of(heddle_device::scalar type) noexcept;
/// As an argument spells it: "f32", "u8", …
const char* short_name(heddle_device::scalar type) noexcept;

}  // namespace heddle::checker
