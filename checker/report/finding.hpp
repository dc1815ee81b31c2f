#pragma once

#include "cuda_on_cpu/device/heddle_device/abi.hpp"

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
  no_end,
  out_of_bounds,
  uninitialised_read,
  misaligned_access,
  warp_mask,
  absent_lane,
  lock_without_fence,
  assertion,
  trap,
  crash,
  wide_shift,
  invalid_texture,
  incoherent_read,
  misuse,
  // Of whole programs.
  use_after_free,
  host_access,
  foreign_address,
  missing_synchronisation,
  peer_access,
  not_cooperative,
  invalid_copy,
  invalid_free,
  unchecked_error,
  invalid_capture,
  leak,
  failed_program,
};

/// How much a finding weighs: what is wrong, what may be meant so and depends on more than the code says, and
/// what is worth knowing.
enum class severity : std::uint8_t { note, warning, error };

/// "note", "warning", "error".
const char* name(severity level) noexcept;

/// As it is called in reports: "data-race", "out-of-bounds", …
const char* name(finding_kind kind) noexcept;

/// What a thread does in a place: "reads", "writes", "adds atomically to", "waits at the barrier", …
struct place {
  std::string what;
  std::uintptr_t pc = 0;  ///< in the module, after the call; 0 where the line is known by itself
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;  ///< in the text that the compiler read; 0 where it is not known
  std::string function;
  std::string source;     ///< the line; empty where it is not known
  std::size_t caret = 0;  ///< the byte of it where that happens
  heddle_device::index3 thread{}, block{};
  heddle_device::index3 grid{}, block_size{};  ///< of its launch; 0 where that is not known
  bool has_thread = true;                      ///< false: the host does it
  /// Of the host: where what is at `pc` was called from, innermost first.
  std::vector<std::uintptr_t> callers;
};

/// Of a data race, which threads met and what they did; of all times that it was met.
struct race_facts {
  enum class threads : std::uint8_t { of_a_warp, of_a_block, of_blocks };
  threads apart = threads::of_a_warp;  ///< the farthest
  bool reads_meet = false;             ///< a read and a write met; or
  bool writes_meet = false;            ///< two writes
  bool is_one_atomic = false;          ///< one by an atomic function
  bool is_volatile = false;            ///< one, or both, of a volatile variable
  bool is_scope_too_narrow = false;    ///< both atomic, at a scope that ends between them
  bool values_differ = false;          ///< of two writes that met; otherwise both left the same there
  bool is_before_exchange = false;     ///< the first read of a compare-and-swap loop
  bool lacks_acquire = false;  ///< the later one had seen what tells of the earlier, without a fence since
  bool is_told = false;  ///< the later one's block had seen an atomic or volatile write of the other's that
                         ///< came after it

  /// What is true of either.
  void join(const race_facts& other);
};

/// A mistake, once, however often it was met.
struct finding {
  finding_kind kind;
  severity level = severity::error;
  std::vector<place> places;
  /// The array or variable, its place ("global", "shared", "constant", …), and the element that was met
  /// first.
  std::string variable, space;
  std::string member;  ///< of an element that is a structure
  std::int64_t index = 0;
  std::size_t extent = 0;
  std::string type;
  /// The same axis by axis: of tile[3][8] of float[32][33] these are 3, 8 and 32, 33.
  std::vector<std::int64_t> subscripts;
  std::vector<std::size_t> lengths;
  std::uintptr_t about = 0;  ///< where that array or variable is
  race_facts race;
  /// What else there is to say.
  std::string detail;
  std::string fix;  ///< code that is likely to mend it; empty for none
  std::size_t count = 1;
  std::size_t schedule = 0;
};

/// Whether any of them weighs as much as `least`, or more.
bool any_as_severe(const std::vector<finding>& findings, severity least) noexcept;

/// "(x,y,z)".
std::string text(heddle_device::index3 i);

/// "tile[3][8]", and "float[32][33]".
std::string element_text(const finding& f);
std::string array_text(const finding& f);

/// "main.cu:12"; "an unknown line".
std::string line_of(const place& p);
/// Where the first of its places is, as "main.cu:12: "; empty where it has none.
std::string where(const finding& f);
/// "thread (1,0,0) of block (0,0,0)"; "the host".
std::string who(const place& p);
/// "data race on shared tile[3][8] (float[32][33])".
std::string headline(const finding& f);
/// What there is to say of it below its places, a line each.
std::vector<std::string> remarks(const finding& f);
/// For people: the headline, a line for each place, and the remarks.
std::string describe(const finding& f);

}  // namespace heddle::checker
