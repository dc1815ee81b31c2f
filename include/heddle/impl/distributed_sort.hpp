#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/impl/distributed.hpp>
#include <heddle/impl/order.hpp>
#include <heddle/impl/sort.hpp>
#include <heddle/ranks.hpp>
#include <heddle/sort.hpp>
#include <heddle/unique.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::impl {

/// Throws: a function that says which of two elements comes first contradicts itself.
[[noreturn]] void fail_no_order(const char* pattern);

inline namespace HD_BUILD {

/// The order in which `sort` puts elements: −0 before +0, and NaNs last or, descending, first.
template <class T>
struct sorts_before {
  sort_order order;
  bool operator()(const T& a, const T& b) const {
    return order == sort_order::descending ? rises(b, a) : rises(a, b);
  }

 private:
  static bool rises(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a || b != b) return a == a;
      if (a == b) return std::signbit(a) && !std::signbit(b);
    }
    return a < b;
  }
};
template <class T>
sorts_before<T> comparison_of(const built_in_order& by) {
  return {by.order};
}
template <class T, class F>
const comparison<F>& comparison_of(const users_order<F>& by) {
  return by.comes_before;
}

/// Where the sorted elements of this rank are cut so that the parts of all ranks between the same cuts are
/// elements places[k] … places[k + 1]−1 of all, in order; equal ones keep the order of ranks. A selection by
/// weighted medians: each round leaves at most three quarters of what is in question.
template <class T, class Before>
std::vector<std::size_t> cuts(const ranks& all, std::span<const T> sorted,
                              const std::vector<std::size_t>& places, const Before& before) {
  struct range {
    std::size_t begin, end;
  };
  struct candidate {
    order::uninitialized<T, 1> value;  // where there is weight
    std::size_t weight;
  };
  const std::size_t n = places.back(), inner = places.size() - 2, size = static_cast<std::size_t>(all.size()),
                    me = static_cast<std::size_t>(all.rank());
  std::vector<std::size_t> cut(places.size(), 0);
  cut.back() = sorted.size();
  std::vector<range> open(inner, {0, sorted.size()});
  std::vector<bool> is_found(inner);
  for (std::size_t k = 0; k < inner; ++k) {
    if (places[k + 1] != 0 && places[k + 1] != n) continue;
    is_found[k] = true;
    cut[k + 1] = places[k + 1] == 0 ? 0 : sorted.size();
  }
  while (std::find(is_found.begin(), is_found.end(), false) != is_found.end()) {
    std::vector<candidate> mine;
    for (const range& r : open) {
      mine.emplace_back().weight = r.end - r.begin;
      if (r.begin < r.end) mine.back().value[0] = sorted[r.begin + (r.end - r.begin) / 2];
    }
    const array<candidate> candidates = all.all_gather(std::span<const candidate>(mine));
    std::vector<range> equal(inner);
    for (std::size_t k = 0; k < inner; ++k) {
      if (is_found[k]) continue;
      std::vector<candidate> of_place;
      std::size_t weight = 0, up_to = 0, median = 0;
      for (std::size_t r = 0; r < size; ++r) {
        if (candidates.data()[r * inner + k].weight > 0) of_place.push_back(candidates.data()[r * inner + k]);
        weight += candidates.data()[r * inner + k].weight;
      }
      if (of_place.empty()) fail_no_order("sort");
      std::sort(of_place.begin(), of_place.end(),
                [&](const candidate& a, const candidate& b) { return before(a.value[0], b.value[0]); });
      while (2 * (up_to += of_place[median].weight) < weight && median + 1 < of_place.size()) ++median;
      const auto [low, high] =
          std::equal_range(sorted.begin(), sorted.end(), of_place[median].value[0], before);
      equal[k] = {static_cast<std::size_t>(low - sorted.begin()),
                  static_cast<std::size_t>(high - sorted.begin())};
    }
    const array<range> equals = all.all_gather(std::span<const range>(equal));
    for (std::size_t k = 0; k < inner; ++k) {
      if (is_found[k]) continue;
      std::size_t below = 0, up_to = 0;
      for (std::size_t r = 0; r < size; ++r) {
        below += equals.data()[r * inner + k].begin;
        up_to += equals.data()[r * inner + k].end;
      }
      const std::size_t place = places[k + 1];
      if (place < below) {
        open[k].end = std::min(open[k].end, equal[k].begin);
      } else if (place > up_to) {
        open[k].begin = std::max(open[k].begin, equal[k].end);
      } else {
        std::size_t taken = place - below;
        for (std::size_t r = 0; r < me; ++r) {
          const range& of_rank = equals.data()[r * inner + k];
          taken -= std::min(taken, of_rank.end - of_rank.begin);
        }
        cut[k + 1] = equal[k].begin + std::min(taken, equal[k].end - equal[k].begin);
        is_found[k] = true;
      }
    }
  }
  return cut;
}

/// How many elements of the sorted block of this rank go to each rank, and come from each, so that all are in
/// order in blocks that begin at `begins`.
struct sorted_exchange {
  std::vector<std::size_t> to, from;
};
template <class T, class Order>
sorted_exchange exchange_of(const char* pattern, const ranks& all, array_view<const T> sorted,
                            const std::vector<std::size_t>& begins, const Order& order) {
  const on_cpu<T> elements(sorted);
  const auto by = order_of<T>(order);
  const std::vector<std::size_t> cut =
      cuts(all, std::span(elements.data(), sorted.size()), begins, comparison_of<T>(by));
  sorted_exchange moved;
  for (std::size_t k = 0; k + 1 < cut.size(); ++k)
    moved.to.push_back(cut[k] < cut[k + 1] ? cut[k + 1] - cut[k] : 0);
  const std::size_t size = moved.to.size();
  const array<std::size_t> sent = all.all_gather(std::span<const std::size_t>(moved.to));
  // All ranks see it where the parts do not make up the blocks.
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t sum = 0;
    for (std::size_t r = 0; r < size; ++r) sum += sent.data()[r * size + k];
    if (sum != begins[k + 1] - begins[k]) fail_no_order(pattern);
  }
  for (std::size_t r = 0; r < size; ++r)
    moved.from.push_back(sent.data()[r * size + static_cast<std::size_t>(all.rank())]);
  return moved;
}

/// Fills `to` with what comes from each rank.
template <class T>
void move_sorted(const ranks& all, const sorted_exchange& moved, array_view<const T> from, array_view<T> to) {
  const auto in_bytes = [](std::vector<std::size_t> counts) {
    for (std::size_t& c : counts) c *= sizeof(T);
    return counts;
  };
  const on_cpu<T> mine(from);
  filled_on_cpu<T> received(to);
  all.between().all_to_all(mine.data(), in_bytes(moved.to), received.data(), in_bytes(moved.from));
  received.deliver();
}

/// Sorts each block, cuts it where the blocks of the result begin, exchanges the parts, and sorts what came.
template <class T, class Order>
distributed_array<T> sort_over_ranks(const ranks& all, const distributed_array<T>& x, const Order& order) {
  array<T> sorted = sort(all.where(), x.local(), order);
  if (all.size() == 1) return {all, shape{x.size()}, {0, x.size()}, std::move(sorted)};
  distributed_array<T> result(all, shape{x.size()});
  const array_view<const T> block = std::as_const(sorted).view();
  move_sorted(all, exchange_of("sort", all, block, result.begins(), order), block, result.local());
  sort_into(all.where(), result.local(), result.local(), order);
  return result;
}

/// The same of keys, with a value for each, in blocks that begin where those of the keys do.
template <class K, class V, class Order>
std::pair<distributed_array<K>, distributed_array<V>> sort_by_key_over_ranks(
    const char* pattern, const ranks& all, array_view<const K> keys, array_view<const V> values,
    std::size_t n, const Order& order) {
  const auto [own_keys, own_values] = sort_by_key(all.where(), keys, values, order);
  distributed_array<K> to_keys(all, shape{n});
  distributed_array<V> to_values(all, shape{n}, to_keys.begins());
  const sorted_exchange moved = exchange_of(pattern, all, own_keys.view(), to_keys.begins(), order);
  move_sorted(all, moved, own_keys.view(), to_keys.local());
  move_sorted(all, moved, own_values.view(), to_values.local());
  auto [sorted_keys, sorted_values] = sort_by_key(all.where(), to_keys.local(), to_values.local(), order);
  return {distributed_array<K>(all, to_keys.shape(), to_keys.begins(), std::move(sorted_keys)),
          distributed_array<V>(all, to_keys.shape(), to_keys.begins(), std::move(sorted_values))};
}

/// The place of each element of the block of this rank in the whole array, flat.
template <class X>
array<std::size_t> places_of_block(const X& x) {
  array<std::size_t> places(x.local().size());
  std::iota(places.begin(), places.end(), x.first_row() * row_elements(x.shape()));
  return places;
}

/// The first of each run of equal elements in the sorted block of this rank, without what the rank before
/// has.
template <class T>
array<T> first_of_equal(const ranks& all, array_view<const T> sorted) {
  array<T> own = unique_consecutive(all.where(), sorted);
  array<T> last(sorted.size() > 0 ? 1 : 0);
  if (sorted.size() > 0) last.data()[0] = sorted.back();
  const array<std::size_t> counts = all.all_gather(last.size());
  const array<T> lasts = all.all_gather(std::span<const T>(last.data(), last.size()));
  const auto before = std::accumulate(counts.data(), counts.data() + all.rank(), std::size_t{0});
  if (own.size() == 0 || before == 0) return own;
  const T a = lasts.data()[before - 1], b = own.front();
  const bool is_repeated = a == b || (a != a && b != b);
  return is_repeated ? own.slice(1, own.size()).on(all.where()) : std::move(own);
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
