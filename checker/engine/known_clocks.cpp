#include "checker/engine/known_clocks.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_set>
#include <utility>

namespace heddle::checker {
namespace {

using entry = known_clocks::entry;

constexpr std::size_t few = 32;    // entries that are put together at once
constexpr unsigned deepest = 128;  // of what is kept apart, since each frees what it is made of
constexpr std::uint64_t most_parts = 512;

constexpr std::uint64_t threads_of_a_block = std::uint64_t{1} << 11;
bool is_covered(const entry& e, const entry& of_all) {
  return e.who != of_all.who && e.who / threads_of_a_block == of_all.who / threads_of_a_block &&
         e.before <= of_all.before;
}

std::vector<entry> sorted(std::vector<entry> entries) {
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

/// Takes as long as both are.
std::vector<entry> merged(const std::vector<entry>& a, const std::vector<entry>& b, bool& is_a) {
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

}  // namespace

bool known_clocks::has(std::uint32_t block, std::uint32_t thread, std::uint32_t clock) const {
  put_together();
  return before(all_of(block)) > clock || before(one_of(block, thread)) > clock;
}

clocks known_clocks::of(std::vector<entry> entries) {
  auto result = std::make_shared<known_clocks>();
  result->entries_ = sorted(std::move(entries));
  return result;
}

clocks known_clocks::joined(const clocks& a, const clocks& b) {
  if (a->first_ == nullptr && b->first_ == nullptr && a->entries_.size() + b->entries_.size() <= few) {
    bool is_a = false;
    std::vector<entry> entries = checker::merged(a->entries_, b->entries_, is_a);
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
    if (a->first_ == nullptr && a->entries_.size() == result->entries_.size() && result->is_in(*a)) return a;
  }
  return result;
}

std::uint32_t known_clocks::before(std::uint64_t who) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), who,
                                   [](const entry& e, std::uint64_t w) { return e.who < w; });
  return at != entries_.end() && at->who == who ? at->before : 0;
}

/// Whether `other` was put to it as one of the last.
bool known_clocks::was_made_of(const known_clocks& other) const {
  const known_clocks* recent = this;
  for (int i = 0; i < 4 && recent->first_ != nullptr; ++i, recent = recent->first_.get()) {
    if (recent->second_.get() == &other || recent->first_.get() == &other) return true;
  }
  return false;
}

/// What any of them says. Those that learnt of one another say much of the same, which merging leaves out
/// as early as it can: the shortest come first.
std::vector<entry> known_clocks::merged(const std::vector<const known_clocks*>& all) {
  std::vector<entry> short_ones;
  std::deque<std::vector<entry>> made;
  const auto is_longer = [](const auto* a, const auto* b) { return a->size() > b->size(); };
  std::priority_queue<const std::vector<entry>*, std::vector<const std::vector<entry>*>, decltype(is_longer)>
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
    made.push_back(checker::merged(*a, *b, is_a));
    lists.push(&made.back());
  }
  return std::move(made.back());
}

/// Makes entries of what this and those that it was made of say.
void known_clocks::put_together() const {
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

bool known_clocks::is_in(const known_clocks& other) const {
  return std::equal(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(),
                    [](const entry& a, const entry& b) { return a.who == b.who && a.before == b.before; });
}

clocks joined(const clocks& a, const clocks& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  return known_clocks::joined(a, b);
}

}  // namespace heddle::checker
