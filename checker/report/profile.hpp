#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::checker {

/// What accesses to one kind of memory cost. A request is what a warp asks for by one instruction. Global
/// memory answers with sectors of 32 bytes; shared memory goes through its 32 banks, a word of 4 bytes a bank
/// at a time.
struct traffic {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;      ///< that lanes asked for
  std::uint64_t transfers = 0;  ///< sectors, or rounds through the banks
  std::uint64_t fewest = 0;     ///< that could have done
  std::uint64_t worst = 0;      ///< times the fewest, rounded up, that one request took

  traffic& operator+=(const traffic& other);
};

/// What the warps of a launch did at one instruction.
struct instruction_profile {
  std::uintptr_t pc = 0;  ///< after the call that the compiler put there
  traffic global, shared;
  bool begins_code = false;      ///< rather than an access
  std::uint64_t executions = 0;  ///< by warps
  std::uint64_t lanes = 0;       ///< of those warps that had not left the kernel
  std::uint64_t idle = 0;        ///< of those lanes, that did not take part
};

/// Adds what another launch did.
void add_instructions(std::vector<instruction_profile>& all, const std::vector<instruction_profile>& more);

/// What they did on a line of the source.
struct line_profile {
  std::string file, function;
  std::size_t line = 0;
  traffic global, shared;
  std::uint64_t executions = 0, lanes = 0, idle = 0;  ///< of what not all lanes took part in
};

/// The sectors that a request for `unit` bytes, a power of two up to 16, at each of some addresses takes.
traffic sectors_of(std::span<const std::uint64_t> addresses, std::size_t unit);

/// The rounds that it takes in shared memory. Lanes that name one word of a bank have it in one round, unless
/// they update it atomically. Requests of 8 and 16 bytes a lane go by halves and quarters of a warp.
/// `lanes` numbers those that ask, in order.
traffic rounds_of(std::span<const std::uint64_t> addresses, std::span<const std::uint32_t> lanes,
                  std::size_t unit, bool is_atomic);

/// What the lanes of a warp did and has not been put together yet.
struct warp_trace {
  struct event {
    std::uint64_t order;  // the deeper calls first, then the lower addresses
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint8_t kind;
  };
  struct lane {
    std::vector<event> events;
    std::size_t next = 0;
    bool has_left = false;
    bool is_done() const { return next == events.size(); }
  };
  std::vector<lane> lanes;
  std::size_t waiting = 0;  // events of all lanes
};

/// Puts together what the threads of each warp did one by one, as if they had gone on together.
///
/// A thread of the checker is a fiber, and leaves a trace: each piece of straight code that it comes to, and
/// each access. Of the lanes of a warp those go first that are in the deepest call, and among them those at
/// the lowest address: compilers lay code out such that what follows a branch or a loop comes behind it, so
/// that lanes which leave it early wait there for the others (S. Collange, Stack-less SIMT reconvergence at
/// low cost, 2011). Lanes at the same instruction execute it at once, and those that have not left the kernel
/// are idle meanwhile. A barrier, and a function of the warp that all lanes call, brings them together again.
class profiler {
 public:
  enum class access : std::uint8_t { reads, writes, atomic };

  /// `base` is where the module was loaded.
  explicit profiler(std::uintptr_t base) : base_(base) {}

  /// A thread of a warp came to code at `pc`, `depth` bytes of its stack being in use.
  void note_code(warp_trace& warp, std::uint32_t lane, std::uintptr_t pc, std::uintptr_t depth);
  void note_access(warp_trace& warp, std::uint32_t lane, std::uintptr_t pc, std::uintptr_t depth, bool shared,
                   access how, std::uintptr_t address, std::size_t bytes);
  void note_leaving(warp_trace& warp, std::uint32_t lane);
  /// All lanes are at one place, or end there.
  void bring_together(warp_trace& warp) { put_together(warp, true); }

  std::vector<instruction_profile> result() const;

 private:
  void note(warp_trace& warp, std::uint32_t lane, const warp_trace::event& event);
  void put_together(warp_trace& warp, bool all);
  void count(const warp_trace& warp, std::uint32_t members, std::uint32_t present);
  void count_access(instruction_profile& at, const warp_trace& warp, std::uint32_t members,
                    std::uint8_t kind);

  std::uintptr_t base_;
  std::unordered_map<std::uint64_t, instruction_profile> instructions_;
};

}  // namespace heddle::checker
