#pragma once

#include <heddle/array.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

/// What a scan on a CPU must give, bit for bit: its order of combination written a second time, from the
/// description in cpu/scan.hpp and from nothing else in the library.
namespace heddle::tests {

/// What `count` > 0 neighbouring parts combine to, two and two; count is a power of two.
template <class T, class F>
T combined_by_pairs(const T* parts, std::size_t count, const F& f) {
  if (count == 1) return parts[0];
  return f(combined_by_pairs(parts, count / 2, f), combined_by_pairs(parts + count / 2, count / 2, f));
}

/// x scanned by f behind *init, unless that is null; an exclusive scan needs it.
template <class T, class F>
array<T> grouped_scan(std::span<const T> x, bool exclusive, const T* init, const F& f) {
  constexpr std::size_t run = std::is_floating_point_v<T> ? 4 : 16;
  const auto join = [&](const std::optional<T>& left, const T& right) {
    return left ? f(*left, right) : right;
  };
  array<T> out(x.size());
  std::vector<T> runs;                   // totals of those of this tile so far
  std::vector<std::optional<T>> groups;  // of tiles, of 16 tiles, of 16² …: the whole ones since a larger one
  std::vector<std::size_t> in_group;
  std::optional<T> before, own, previous;  // prefix of the run, its own scan, the last result
  if (init != nullptr) previous = *init;
  for (std::size_t i = 0; i < x.size(); ++i) {
    own = i % run == 0 ? x[i] : f(*own, x[i]);
    if (i % run == 0) {
      before.reset();
      if (init != nullptr) before = *init;
      for (std::size_t level = groups.size(); level-- > 0;) {
        if (groups[level]) before = join(before, *groups[level]);
      }
      // The runs before this one by groups of 8, 4, 2 and 1, put together from the right.
      std::optional<T> in_tile;
      for (std::size_t size = 1, end = runs.size(); end > 0; size *= 2) {
        if (end % (2 * size) == 0) continue;
        const T group = combined_by_pairs(&runs[end - size], size, f);
        in_tile = in_tile ? f(group, *in_tile) : group;
        end -= size;
      }
      if (in_tile) before = join(before, *in_tile);
    }
    const T result = join(before, *own);
    out.data()[i] = exclusive ? *previous : result;
    previous = result;
    if ((i + 1) % run != 0) continue;
    runs.push_back(*own);
    if (runs.size() < 16) continue;
    T total = combined_by_pairs(runs.data(), 16, f);
    runs.clear();
    for (std::size_t level = 0;; ++level) {
      if (level == groups.size()) {
        groups.emplace_back();
        in_group.push_back(0);
      }
      total = join(groups[level], total);
      groups[level] = total;
      if (++in_group[level] < 16) break;
      groups[level].reset();
      in_group[level] = 0;
    }
  }
  return out;
}

}  // namespace heddle::tests
