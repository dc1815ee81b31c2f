#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <unordered_set>
#include <utility>
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
  bool has(std::uint32_t block, std::uint32_t thread, std::uint32_t clock) const {
    put_together();
    return before(all_of(block)) > clock || before(one_of(block, thread)) > clock;
  }

  /// Entries in any order.
  static std::shared_ptr<const known_clocks> of(std::vector<entry> entries) {
    auto result = std::make_shared<known_clocks>();
    result->entries_ = sorted(std::move(entries));
    return result;
  }

  /// What comes before by either: one of them itself when it is easy to see that it says all that the other
  /// does.
  static std::shared_ptr<const known_clocks> joined(const std::shared_ptr<const known_clocks>& a,
                                                    const std::shared_ptr<const known_clocks>& b) {
    if (a->first_ == nullptr && b->first_ == nullptr && a->entries_.size() + b->entries_.size() <= few) {
      bool is_a = false;
      std::vector<entry> entries = merged(a->entries_, b->entries_, is_a);
      if (is_a) return a;
      auto result = std::make_shared<known_clocks>();
      result->entries_ = std::move(entries);
      return result;
    }
    if (a->was_made_of(*b)) return a;
    if (b->was_made_of(*a)) return b;
    auto result = std::make_shared<known_clocks>();
    result->first_ = a;
    result->second_ = b;
    result->depth_ = std::max(a->depth_, b->depth_) + 1;
    result->parts_ = a->parts_ + b->parts_ + 1;
    if (result->depth_ > deepest || result->parts_ > most_parts) {
      result->put_together();
      // The one that all others follow may have said all of it.
      if (a->first_ == nullptr && a->entries_.size() == result->entries_.size() && result->is_in(*a))
        return a;
    }
    return result;
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

  static std::vector<entry> sorted(std::vector<entry> entries) {
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.who < b.who; });
    std::size_t count = 0;
    for (const entry& e : entries) {
      if (count != 0 && entries[count - 1].who == e.who) {
        entries[count - 1].before = std::max(entries[count - 1].before, e.before);
      } else {
        entries[count++] = e;
      }
    }
    entries.resize(count);
    return entries;
  }

  /// Whether `other` was put to it as one of the last.
  bool was_made_of(const known_clocks& other) const {
    const known_clocks* recent = this;
    for (int i = 0; i < 4 && recent->first_ != nullptr; ++i, recent = recent->first_.get()) {
      if (recent->second_.get() == &other || recent->first_.get() == &other) return true;
    }
    return false;
  }

  /// Takes as long as both are.
  static std::vector<entry> merged(const std::vector<entry>& a, const std::vector<entry>& b, bool& is_a) {
    std::vector<entry> entries;
    entries.reserve(a.size() + b.size());
    is_a = true;
    entry of_all{0, 0};
    for (auto i = a.begin(), j = b.begin(); i != a.end() || j != b.end();) {
      entry next{};
      if (j == b.end() || (i != a.end() && i->who < j->who)) {
        next = *i++;
      } else if (i == a.end() || j->who < i->who) {
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
    return entries;
  }

  /// What any of them says. Those that learnt of one another say much of the same, which merging leaves out
  /// as early as it can: the shortest come first.
  static std::vector<entry> merged(const std::vector<const known_clocks*>& all) {
    std::vector<entry> short_ones;
    std::deque<std::vector<entry>> made;
    const auto is_longer = [](const auto* a, const auto* b) { return a->size() > b->size(); };
    std::priority_queue<const std::vector<entry>*, std::vector<const std::vector<entry>*>,
                        decltype(is_longer)>
        lists(is_longer);
    for (const known_clocks* const one : all) {
      const std::vector<entry>& list = one->entries_;
      if (list.size() <= few) {
        short_ones.insert(short_ones.end(), list.begin(), list.end());
      } else {
        lists.push(&list);
      }
    }
    made.push_back(sorted(std::move(short_ones)));
    lists.push(&made.back());
    while (lists.size() > 1) {
      const std::vector<entry>* const a = lists.top();
      lists.pop();
      const std::vector<entry>* const b = lists.top();
      lists.pop();
      bool is_a = false;
      made.push_back(merged(*a, *b, is_a));
      lists.push(&made.back());
    }
    return std::move(made.back());
  }

  /// Makes entries of what this and those that it was made of say.
  void put_together() const {
    if (first_ == nullptr) return;
    std::vector<const known_clocks*> open{this}, whole;
    std::unordered_set<const known_clocks*> seen;
    while (!open.empty()) {
      const known_clocks* const one = open.back();
      open.pop_back();
      if (!seen.insert(one).second) continue;
      if (one->first_ == nullptr) {
        whole.push_back(one);
      } else {
        open.push_back(one->first_.get());
        open.push_back(one->second_.get());
      }
    }
    entries_ = merged(whole);
    first_ = second_ = nullptr;
    depth_ = parts_ = 0;
  }

  bool is_in(const known_clocks& other) const {
    return std::equal(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(),
                      [](const entry& a, const entry& b) { return a.who == b.who && a.before == b.before; });
  }

  static constexpr std::size_t few = 32;    // entries that are put together at once
  static constexpr unsigned deepest = 128;  // of what is kept apart, since each frees what it is made of
  static constexpr std::uint64_t most_parts = 512;

  mutable std::vector<entry> entries_;
  mutable std::shared_ptr<const known_clocks> first_,
      second_;  // what it consists of, until it is put together
  mutable unsigned depth_ = 0;
  mutable std::uint64_t parts_ = 0;
};

using clocks = std::shared_ptr<const known_clocks>;

/// What comes before by either.
inline clocks joined(const clocks& a, const clocks& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  return known_clocks::joined(a, b);
}

}  // namespace heddle::checker
