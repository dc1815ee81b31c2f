#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::checker {

/// A part of a vector clock: of some threads, and of all threads of some blocks, the time up to which what
/// they did comes before. Kept by those who learnt of others by atomics; it is shared and never changed.
///
/// Blocks are numbered over all launches of a checker, threads within their block.
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
  bool has(std::uint32_t block, std::uint32_t thread, std::uint32_t clock) const {
    return before(all_of(block)) > clock || before(one_of(block, thread)) > clock;
  }

  /// Entries in any order.
  static std::shared_ptr<const known_clocks> of(std::vector<entry> entries) {
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.who < b.who; });
    auto result = std::make_shared<known_clocks>();
    for (const entry& e : entries) {
      if (!result->entries_.empty() && result->entries_.back().who == e.who) {
        result->entries_.back().before = std::max(result->entries_.back().before, e.before);
      } else {
        result->entries_.push_back(e);
      }
    }
    return result;
  }

  /// What comes before by either: `a` itself when it says all that `b` does. Takes as long as both are.
  static std::shared_ptr<const known_clocks> joined(const std::shared_ptr<const known_clocks>& a,
                                                    const std::shared_ptr<const known_clocks>& b) {
    auto result = std::make_shared<known_clocks>();
    std::vector<entry>& entries = result->entries_;
    entries.reserve(a->entries_.size() + b->entries_.size());
    bool is_a = true;
    entry of_all{0, 0};
    for (auto i = a->entries_.begin(), j = b->entries_.begin();
         i != a->entries_.end() || j != b->entries_.end();) {
      entry next{};
      if (j == b->entries_.end() || (i != a->entries_.end() && i->who < j->who)) {
        next = *i++;
      } else if (i == a->entries_.end() || j->who < i->who) {
        next = *j++;
        is_a &= is_covered(next, of_all);
      } else {
        next = {i->who, std::max(i->before, j->before)};
        is_a &= j->before <= i->before;
        ++i, ++j;
      }
      // What is known of all threads of a block need not be said of one.
      if (is_covered(next, of_all)) continue;
      if (next.who % threads_of_a_block == 0) of_all = next;
      entries.push_back(next);
    }
    return is_a ? a : result;
  }

 private:
  static constexpr std::uint64_t threads_of_a_block = std::uint64_t{1} << 11;
  static bool is_covered(const entry& e, const entry& of_all) {
    return e.who != of_all.who && e.who / threads_of_a_block == of_all.who / threads_of_a_block &&
           e.before <= of_all.before;
  }

  std::uint32_t before(std::uint64_t who) const {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), who,
                                     [](const entry& e, std::uint64_t w) { return e.who < w; });
    return at != entries_.end() && at->who == who ? at->before : 0;
  }

  std::vector<entry> entries_;
};

using clocks = std::shared_ptr<const known_clocks>;

/// What comes before by either.
inline clocks joined(const clocks& a, const clocks& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  return known_clocks::joined(a, b);
}

}  // namespace heddle::checker
