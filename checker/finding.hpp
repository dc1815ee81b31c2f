#pragma once

#include "modules/device/heddle_device/abi.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::checker {

enum class finding_kind : std::uint8_t {
  data_race,
  divergent_barrier,
  mismatched_barriers,
  deadlock,
  out_of_bounds,
  uninitialised_read,
  misaligned_access,
  warp_mask,
  lock_without_fence,
  assertion,
  trap,
  crash,
};

/// As it is called in reports: "data-race", "out-of-bounds", …
const char* name(finding_kind kind) noexcept;

/// What a thread does in a place: "reads", "writes", "adds atomically to", "waits at the barrier", …
struct place {
  std::string what;
  std::uintptr_t pc = 0;  ///< in the module, after the call; 0 where the line is known by itself
  std::string file;
  std::size_t line = 0;
  std::string function;
  heddle_device::index3 thread{}, block{};
  bool has_thread = true;
};

/// A mistake, once, however often it was met.
struct finding {
  finding_kind kind;
  std::vector<place> places;
  /// The array or variable, its place ("global", "shared", "constant", …), and the element that was met
  /// first.
  std::string variable, space;
  std::int64_t index = 0;
  std::size_t extent = 0;
  std::string type;
  /// What else there is to say.
  std::string detail;
  std::size_t count = 1;
  std::size_t schedule = 0;
};

}  // namespace heddle::checker
