#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::checker {

/// A part of a vector clock: of some threads, and of all threads of some blocks, the time up to which what
/// they did comes before. Kept by those who learnt of others by atomics; it is shared and what it says never
/// changes.
///
/// Blocks are numbered over all launches of a checker, threads within their block. What two of many entries
/// say is put together when it is first asked for: most of what is learnt never is.
class known_clocks {
 public:
  struct entry {
    std::uint64_t who;  // block · 2048, + 1 + thread for one of it
    std::uint32_t before;
  };

  static std::uint64_t all_of(std::uint32_t block) { return std::uint64_t{block} << 11; }
  static std::uint64_t one_of(std::uint32_t block, std::uint32_t thread) {
    return all_of(block) + 1 + thread;
  }

  /// Whether what the thread did at `clock` comes before.
  bool has(std::uint32_t block, std::uint32_t thread, std::uint32_t clock) const;

  /// Entries in any order.
  static std::shared_ptr<const known_clocks> of(std::vector<entry> entries);

  /// What comes before by either: one of them itself when it is easy to see that it says all that the other
  /// does.
  static std::shared_ptr<const known_clocks> joined(const std::shared_ptr<const known_clocks>& a,
                                                    const std::shared_ptr<const known_clocks>& b);

 private:
  std::uint32_t before(std::uint64_t who) const;
  bool was_made_of(const known_clocks& other) const;
  static std::vector<entry> merged(const std::vector<const known_clocks*>& all);
  void put_together() const;
  bool is_in(const known_clocks& other) const;

  mutable std::vector<entry> entries_;
  mutable std::shared_ptr<const known_clocks> first_,
      second_;  // what it consists of, until it is put together
  mutable unsigned depth_ = 0;
  mutable std::uint64_t parts_ = 0;
};

using clocks = std::shared_ptr<const known_clocks>;

/// What comes before by either.
clocks joined(const clocks& a, const clocks& b);

}  // namespace heddle::checker
