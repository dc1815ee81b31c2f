#include "patterns/top_k/cpu.hpp"

#include "cpu/instruction_set.hpp"
#include "patterns/sort/sortable.hpp"
#include "patterns/top_k/cpu_kernels.hpp"
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <vector>

namespace heddle::cpu {
namespace {

/// Elements that are worth a second thread.
constexpr std::size_t top_grain = impl::threshold.top_k_grain;

/// A key that is lower the earlier an element comes in the order, and the index of the element.
template <class Key>
struct keyed_index {
  Key key;
  std::size_t index;
  friend bool operator<(const keyed_index& a, const keyed_index& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

template <class T>
impl::unsigned_of_bytes<sizeof(T)> key_in_order(T value, bool descending) {
  const auto key = impl::to_key(value);
  return descending ? static_cast<decltype(key)>(~key) : key;
}

template <class Key>
void keep_first(std::vector<keyed_index<Key>>& all, std::size_t k) {
  if (all.size() <= k) return;
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(all.begin(), last - 1, all.end());
  all.erase(last, all.end());
}

/// The first k of elements first … last − 1 of a line, in no order. Up to 2k are kept, of which the first k
/// are left whenever there are as many: elements after the k-th of these are skipped from then on, contiguous
/// ones a block at a time.
template <class T, class Key = impl::unsigned_of_bytes<sizeof(T)>>
std::vector<keyed_index<Key>> first_of(dtype type, const T* x, std::size_t step, std::size_t first,
                                       std::size_t last, std::size_t k, bool descending) {
  constexpr std::size_t block = impl::threshold.top_k_block;
  const any_before_kernel any_before = HEDDLE_FASTEST(any_before);
  std::vector<keyed_index<Key>> kept;
  const std::size_t most = std::max<std::size_t>(2 * k, 64);
  kept.reserve(std::min(most, last - first));
  bool is_bounded = false;
  Key bound{};
  for (std::size_t begin = first; begin < last; begin += std::min(block, last - begin)) {
    const std::size_t end = begin + std::min(block, last - begin);
    if (is_bounded && step == 1 && !any_before(type, x + begin, end - begin, descending, bound)) continue;
    for (std::size_t i = begin; i < end; ++i) {
      const Key key = key_in_order(x[i * step], descending);
      // Equal elements with lower indices come first.
      if (is_bounded && key >= bound) continue;
      kept.push_back({key, i});
      if (kept.size() < most) continue;
      keep_first(kept, k);
      is_bounded = true;
      bound = kept[k - 1].key;
    }
  }
  keep_first(kept, k);
  return kept;
}

template <class T>
void top(int threads, dtype type, const T* x, const axis_lines& lines, std::size_t k, bool descending,
         std::size_t* indices) {
  using Key = impl::unsigned_of_bytes<sizeof(T)>;
  const std::size_t n = lines.length;
  const auto write = [&](std::vector<keyed_index<Key>>& first, std::size_t line) {
    std::sort(first.begin(), first.end());
    std::size_t* to = indices + axis_lines{lines.outer, k, lines.inner}.begin_of(line);
    for (const keyed_index<Key>& each : first) {
      *to = each.index;
      to += lines.inner;
    }
  };
  if (lines.count() >= static_cast<std::size_t>(threads)) {
    return for_slices(threads, lines.count(), top_grain / n + 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t line = begin; line < end; ++line) {
        auto first = first_of(type, x + lines.begin_of(line), lines.inner, 0, n, k, descending);
        write(first, line);
      }
    });
  }
  // Each thread has a part of the line that is long beside what it keeps.
  const std::size_t parts =
      std::clamp<std::size_t>(n / std::max(top_grain, 8 * k), 1, static_cast<std::size_t>(threads));
  std::vector<std::vector<keyed_index<Key>>> of_parts(parts);
  for (std::size_t line = 0; line < lines.count(); ++line) {
    for_slices(threads, parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part)
        of_parts[part] =
            first_of(type, x + lines.begin_of(line), lines.inner, impl::part_begin(n, parts, part),
                     impl::part_begin(n, parts, part + 1), k, descending);
    });
    for (std::size_t part = 1; part < parts; ++part)
      of_parts[0].insert(of_parts[0].end(), of_parts[part].begin(), of_parts[part].end());
    keep_first(of_parts[0], k);
    write(of_parts[0], line);
  }
}

}  // namespace

void top(dtype type, const void* x, const axis_lines& lines, std::size_t k, sort_order order,
         std::size_t* indices, int threads) {
  impl::with_ordered_type(type, [&]<class T>(T) {
    top(threads, type, static_cast<const T*>(x), lines, k, order == sort_order::descending, indices);
  });
}

void indices_in_array(const std::size_t* indices, const axis_lines& lines, std::size_t k,
                      std::size_t* in_array, int threads) {
  for_slices(threads, axis_lines{lines.outer, k, lines.inner}.elements(), top_grain,
             [&](std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 const std::size_t outer = i / (k * lines.inner);
                 in_array[i] = (outer * lines.length + indices[i]) * lines.inner + i % lines.inner;
               }
             });
}

}  // namespace heddle::cpu
