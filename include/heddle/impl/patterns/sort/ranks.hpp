#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/gather.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/sort/front.hpp>
#include <heddle/lower_bound.hpp>
#include <heddle/ranks.hpp>
#include <heddle/sort.hpp>
#include <heddle/transform.hpp>
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

/// For each of `count` values, which are on the CPU, how many of n elements in the memory of a GPU, in the
/// order of `sort`, come before it, and how many do not come after it: two numbers a value, on the CPU.
void library_sorted_bounds(dtype type, sort_order order, const void* sorted, std::size_t n,
                           const void* values, std::size_t count, void* bounds, const target& where);

/// Merges two sorted runs in the memory of a GPU; of equal elements those of the first come first.
void library_merge(dtype type, sort_order order, const void* a, std::size_t a_size, const void* b,
                   std::size_t b_size, void* out, const target& where);

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

/// Elements first … last−1 of a rank.
struct sorted_range {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// The sorted elements of this rank, in the memory of its target.
template <class T, class By>
class sorted_block {
 public:
  sorted_block(const target& where, const array_view<const T>& x, const By& by)
      : where_(where), x_(x), by_(by) {}
  std::size_t size() const { return x_.size(); }

  /// The elements at these indices, on the CPU.
  array<T> at(const std::vector<std::size_t>& places) const {
    if (where_.is_gpu()) return gather(where_, x_, places).on(target());
    array<T> found(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) found.data()[i] = x_.data()[places[i]];
    return found;
  }

  /// For each value, which is on the CPU, how many elements come before it, and how many do not come after
  /// it.
  std::vector<sorted_range> bounds(const array<T>& values) const {
    std::vector<sorted_range> found(values.size());
    if (values.size() == 0) return found;
    if (!where_.is_gpu()) {
      const auto before = comparison_of<T>(by_);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto [low, high] = std::equal_range(x_.data(), x_.data() + x_.size(), values.data()[i], before);
        found[i] = {static_cast<std::size_t>(low - x_.data()), static_cast<std::size_t>(high - x_.data())};
      }
    } else if constexpr (std::is_same_v<By, built_in_order>) {
      library_sorted_bounds(dtype_of<T>, by_.order, x_.data(), x_.size(), values.data(), values.size(),
                            found.data(), where_);
    } else {
      const array<std::size_t> lower = lower_bound(where_, x_, values, by_.comes_before.f).on(target()),
                               upper = upper_bound(where_, x_, values, by_.comes_before.f).on(target());
      for (std::size_t i = 0; i < values.size(); ++i) found[i] = {lower.data()[i], upper.data()[i]};
    }
    return found;
  }

 private:
  target where_;
  array_view<const T> x_;
  By by_;
};

/// Ranks exchange as many elements with each rank: `from` and the result have the elements side by
/// side in the order of ranks.
template <class T>
std::vector<T> exchanged(const ranks& all, const std::vector<T>& from) {
  const std::vector<std::size_t> bytes(static_cast<std::size_t>(all.size()),
                                       from.size() / static_cast<std::size_t>(all.size()) * sizeof(T));
  std::vector<T> to(from.size());
  all.between().all_to_all(from.data(), bytes, to.data(), bytes);
  return to;
}

/// Finds where each rank's sorted elements are cut so that `place` elements of all ranks come before the
/// cuts. One rank, the owner, searches for each place.
///
/// In each round every rank sends the owner a sample of the elements among which its cut is, evenly spaced.
/// From the samples of all the owner takes up to three values: the one that is probably at the place, one
/// certainly before and one certainly after it. Every rank counts its elements before them. A sample of m
/// leaves about 4/m of the elements, and eight at most a half.
template <class T, class Before>
class cut_search {
 public:
  static constexpr unsigned most_pivots = 3;
  struct pivots {
    order::uninitialized<T, most_pivots> value;
    unsigned count = 0;
  };
  /// The answer to a rank: where its cut is, or between which elements.
  struct verdict {
    sorted_range open;
    std::uint64_t is_found, is_broken;
  };

  cut_search(std::size_t place, const array<std::size_t>& sizes, const Before& before)
      : place_(place), before_(before) {
    std::size_t n = 0;
    for (const std::size_t size : sizes) {
      open_.push_back({0, size});
      n += size;
    }
    is_found_ = place == 0 || place == n;
    if (place == n)
      for (sorted_range& r : open_) r.begin = r.end;
  }
  bool is_found() const { return is_found_; }
  const std::vector<sorted_range>& open() const { return open_; }

  /// `samples` are those of the ranks, in their order.
  pivots choose(const array<T>& samples, const std::vector<std::size_t>& counts) const {
    struct weighted {
      T value;
      double weight;
    };
    std::vector<weighted> all;
    std::size_t next = 0, below = 0;
    double uncertain = 1;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      below += open_[r].begin;
      if (counts[r] == 0) continue;
      const double weight = static_cast<double>(open_[r].size()) / static_cast<double>(counts[r]);
      if (counts[r] < open_[r].size()) uncertain += weight / 2;
      for (std::size_t i = 0; i < counts[r]; ++i) all.push_back({samples.data()[next++], weight});
    }
    pivots chosen;
    if (all.empty()) return chosen;
    std::stable_sort(all.begin(), all.end(),
                     [&](const weighted& a, const weighted& b) { return before_(a.value, b.value); });
    const double wanted = static_cast<double>(place_ - below);
    double up_to = 0;
    std::size_t low = all.size(), at = all.size() - 1, high = all.size();
    bool is_at = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double here = up_to + all[i].weight / 2;
      up_to += all[i].weight;
      if (here + uncertain < wanted) low = i;
      if (!is_at && up_to > wanted) {
        at = i;
        is_at = true;
      }
      if (high == all.size() && here - uncertain > wanted) high = i;
    }
    for (const std::size_t i : {low, at, high})
      if (i < all.size()) chosen.value[chosen.count++] = all[i].value;
    return chosen;
  }

  /// `equal` are the bounds of the pivots on each rank. Returns the answers.
  std::vector<verdict> decide(unsigned count, const std::vector<sorted_range>& equal) {
    const std::size_t ranks = open_.size();
    std::size_t before_round = 0, after_round = 0;
    for (const sorted_range& r : open_) before_round += r.size();
    std::vector<sorted_range> next = open_;
    for (unsigned i = 0; i < count && !is_found_; ++i) {
      std::size_t below = 0, up_to = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        below += equal[r * most_pivots + i].begin;
        up_to += equal[r * most_pivots + i].end;
      }
      is_found_ = below <= place_ && place_ <= up_to;
      std::size_t taken = place_ - below;
      for (std::size_t r = 0; r < ranks; ++r) {
        const sorted_range here = equal[r * most_pivots + i];
        if (is_found_) {
          const std::size_t mine = std::min(taken, here.size());
          next[r] = {here.begin + mine, here.begin + mine};
          taken -= mine;
        } else if (place_ < below) {
          next[r].end = std::min(next[r].end, std::max(next[r].begin, here.begin));
        } else {
          next[r].begin = std::max(next[r].begin, std::min(next[r].end, here.end));
        }
      }
    }
    open_ = next;
    for (const sorted_range& r : open_) after_round += r.size();
    const bool is_broken = !is_found_ && after_round >= before_round;
    std::vector<verdict> told;
    for (const sorted_range& r : open_) told.push_back({r, is_found_, is_broken});
    return told;
  }

 private:
  std::size_t place_;
  Before before_;
  std::vector<sorted_range> open_;  // of each rank
  bool is_found_;
};

/// Where the sorted elements of this rank are cut so that the parts of all ranks between the same cuts are
/// elements places[k] … places[k + 1]−1 of all, in order; equal ones keep the order of ranks. A rank holds
/// and exchanges elements in proportion to the number of ranks, not to its square.
template <class T, class By>
std::vector<std::size_t> cuts(const ranks& all, const sorted_block<T, By>& sorted,
                              const std::vector<std::size_t>& places, const By& by) {
  const std::size_t size = static_cast<std::size_t>(all.size()), inner = size - 1,
                    me = static_cast<std::size_t>(all.rank());
  const std::size_t most_samples = std::clamp<std::size_t>(65536 / size, 8, 1024);
  const auto before = comparison_of<T>(by);
  using search = cut_search<T, std::remove_cvref_t<decltype(before)>>;
  using verdict = typename search::verdict;
  const array<std::size_t> sizes = all.all_gather(sorted.size());
  // The cut before the block of the next rank; the last rank has none.
  search mine(me < inner ? places[me + 1] : 0, sizes, before);
  std::vector<verdict> told(size);
  for (std::size_t k = 0; k < size; ++k) {
    const search of_place(k < inner ? places[k + 1] : 0, sizes, before);
    told[k] = {of_place.open()[me], of_place.is_found(), 0};
    if (of_place.is_found()) told[k].open.end = told[k].open.begin;
  }
  const auto is_open = [](const verdict& v) { return v.is_found == 0; };
  const auto samples_of = [&](const sorted_range& r) { return std::min(most_samples, r.size()); };
  while (std::any_of(told.begin(), told.end(), is_open)) {
    std::vector<std::size_t> at, bytes_to, bytes_from, counts;
    for (const verdict& v : told) {
      const std::size_t m = is_open(v) ? samples_of(v.open) : 0, w = v.open.size();
      for (std::size_t i = 0; i < m; ++i)
        at.push_back(v.open.begin + (m == w ? i : w / m * i + w % m * i / m + w / m / 2));
      bytes_to.push_back(m * sizeof(T));
    }
    std::size_t sum = 0;
    for (const sorted_range& r : mine.open()) {
      counts.push_back(mine.is_found() ? 0 : samples_of(r));
      bytes_from.push_back(counts.back() * sizeof(T));
      sum += counts.back();
    }
    array<T> samples(sum);
    all.between().all_to_all(sorted.at(at).data(), bytes_to, samples.data(), bytes_from);

    using pivots = typename search::pivots;
    const array<pivots> chosen = all.all_gather(mine.is_found() ? pivots{} : mine.choose(samples, counts));
    array<T> values(search::most_pivots * size);
    std::size_t asked = 0;
    for (const pivots& p : chosen)
      for (unsigned i = 0; i < p.count; ++i) values.data()[asked++] = p.value[i];
    const std::vector<sorted_range> bounds = sorted.bounds(values.slice(0, asked).on(target()));
    std::vector<sorted_range> equal(search::most_pivots * size, sorted_range{0, 0});
    asked = 0;
    for (std::size_t k = 0; k < size; ++k)
      for (unsigned i = 0; i < chosen.data()[k].count; ++i)
        equal[k * search::most_pivots + i] = bounds[asked++];
    const std::vector<sorted_range> of_ranks = exchanged(all, equal);
    std::vector<verdict> say(size, verdict{{0, 0}, 1, 0});
    if (!mine.is_found()) say = mine.decide(chosen.data()[me].count, of_ranks);
    const std::vector<verdict> said = exchanged(all, say);
    bool is_broken = false;
    for (std::size_t k = 0; k < size; ++k) {
      if (is_open(told[k])) told[k] = said[k];
      is_broken = is_broken || said[k].is_broken != 0;
    }
    if (is_broken) fail_no_order("sort");
  }
  std::vector<std::size_t> cut{0};
  for (std::size_t k = 0; k < inner; ++k) cut.push_back(told[k].open.begin);
  cut.push_back(sorted.size());
  return cut;
}

/// How many elements of the sorted block of this rank go to each rank, and come from each, so that all are in
/// order in blocks that begin at `begins`.
struct sorted_exchange {
  std::vector<std::size_t> to, from;
};
template <class T, class By>
sorted_exchange exchange_of(const char* pattern, const ranks& all, const array_view<const T>& sorted,
                            const std::vector<std::size_t>& begins, const By& by) {
  const sorted_block block(all.where(), sorted, by);
  const std::vector<std::size_t> cut = cuts(all, block, begins, by);
  std::vector<std::size_t> to;
  for (std::size_t k = 0; k + 1 < cut.size(); ++k)
    to.push_back(cut[k] < cut[k + 1] ? cut[k + 1] - cut[k] : 0);
  const std::vector<std::size_t> from = exchanged(all, to);
  // All ranks see it where the parts do not make up the blocks.
  const auto sum = [](const std::vector<std::size_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  };
  const auto me = static_cast<std::size_t>(all.rank());
  const bool fits = sum(from) == begins[me + 1] - begins[me] && sum(to) == sorted.size();
  const array<std::uint8_t> all_fit = all.all_gather(static_cast<std::uint8_t>(fits));
  if (std::count(all_fit.begin(), all_fit.end(), 0) > 0) fail_no_order(pattern);
  return {to, from};
}

/// Fills `to` with what comes from each rank.
template <class T>
void move_sorted(const ranks& all, const sorted_exchange& moved, const array_view<const T>& from, T* to) {
  const auto in_bytes = [](std::vector<std::size_t> counts) {
    for (std::size_t& c : counts) c *= sizeof(T);
    return counts;
  };
  all.between().all_to_all(from.data(), in_bytes(moved.to), to, in_bytes(moved.from), all.where());
}

/// Merges neighbouring runs in rounds until there is one, which is in `out`. They are there at first or,
/// where the number of rounds is odd, in `other`.
template <class T>
void merge_runs_on_gpu(const target& where, std::vector<std::size_t> begins, sort_order order, T* out,
                       T* other, bool in_other) {
  T *from = in_other ? other : out, *to = in_other ? out : other;
  while (begins.size() > 2) {
    std::vector<std::size_t> merged;
    for (std::size_t r = 0; r + 1 < begins.size(); r += 2) {
      const std::size_t begin = begins[r], middle = begins[r + 1],
                        end = begins[std::min(r + 2, begins.size() - 1)];
      merged.push_back(begin);
      library_merge(dtype_of<T>, order, from + begin, middle - begin, from + middle, end - middle, to + begin,
                    where);
    }
    merged.push_back(begins.back());
    begins = std::move(merged);
    std::swap(from, to);
  }
}

/// Sorts each block, cuts it where the blocks of the result begin, exchanges the parts, and merges or sorts
/// what came.
template <class T, class Order>
distributed_array<T> sort_over_ranks(const ranks& all, const distributed_array<T>& x, const Order& order) {
  array<T> sorted = sort(all.where(), x.local(), order);
  if (all.size() == 1) return {all, shape{x.size()}, {0, x.size()}, std::move(sorted)};
  distributed_array<T> result(all, shape{x.size()});
  const auto by = order_of<T>(order);
  const array_view<const T> block = std::as_const(sorted).view();
  const sorted_exchange moved = exchange_of("sort", all, block, result.begins(), by);
  constexpr bool merges = std::is_same_v<std::remove_const_t<decltype(by)>, built_in_order>;
  if constexpr (merges) {
    if (all.where().is_gpu()) {
      std::vector<std::size_t> begins{0};
      for (const std::size_t count : moved.from)
        if (count > 0) begins.push_back(begins.back() + count);
      unsigned rounds = 0;
      for (std::size_t runs = begins.size() - 1; runs > 1; runs = (runs + 1) / 2) ++rounds;
      const array<T> other(rounds > 0 ? result.local().size() : 0, all.where());
      T* const apart = const_cast<T*>(other.data());
      const bool in_other = rounds % 2 != 0;
      move_sorted(all, moved, block, in_other ? apart : result.local().data());
      sorted = array<T>();
      merge_runs_on_gpu(all.where(), begins, by.order, result.local().data(), apart, in_other);
      return result;
    }
  }
  move_sorted(all, moved, block, result.local().data());
  sort_into(all.where(), result.local(), result.local(), order);
  return result;
}

/// Where sorted keys go. Zeros of both signs are equal as keys, and keep their order.
template <class K, class Order>
sorted_exchange exchange_of_keys(const char* pattern, const ranks& all, const array<K>& keys,
                                 const std::vector<std::size_t>& begins, const Order& order) {
  const auto by = order_of<K>(order);
  if constexpr (std::is_floating_point_v<K> && is_built_in_order<Order, K>) {
    const array<K> with_one_zero = transform(all.where(), keys, K(0), plus{});
    return exchange_of(pattern, all, with_one_zero.view(), begins, by);
  } else {
    return exchange_of(pattern, all, keys.view(), begins, by);
  }
}

/// The same of keys, with a value for each, in blocks that begin where those of the keys do.
template <class K, class V, class Order>
std::pair<distributed_array<K>, distributed_array<V>> sort_by_key_over_ranks(
    const char* pattern, const ranks& all, const array_view<const K>& keys, const array_view<const V>& values,
    std::size_t n, const Order& order) {
  const auto [own_keys, own_values] = sort_by_key(all.where(), keys, values, order);
  distributed_array<K> to_keys(all, shape{n});
  distributed_array<V> to_values(all, shape{n}, to_keys.begins());
  const sorted_exchange moved = exchange_of_keys(pattern, all, own_keys, to_keys.begins(), order);
  move_sorted(all, moved, own_keys.view(), to_keys.local().data());
  move_sorted(all, moved, own_values.view(), to_values.local().data());
  auto [sorted_keys, sorted_values] = sort_by_key(all.where(), to_keys.local(), to_values.local(), order);
  return {distributed_array<K>(all, to_keys.shape(), to_keys.begins(), std::move(sorted_keys)),
          distributed_array<V>(all, to_keys.shape(), to_keys.begins(), std::move(sorted_values))};
}

/// The index in the whole array, flat, of each element of this rank's block.
template <class X>
array<std::size_t> places_of_block(const X& x) {
  array<std::size_t> places(x.local().size());
  std::iota(places.begin(), places.end(), x.first_row() * row_elements(x.shape()));
  return places;
}

/// The first of each run of equal elements in the sorted block of this rank, without what the rank before
/// has.
template <class T>
array<T> first_of_equal(const ranks& all, const array_view<const T>& sorted) {
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
