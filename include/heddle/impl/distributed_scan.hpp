#pragma once

#include <heddle/array.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/impl/cpu/scan.hpp>
#include <heddle/impl/distributed.hpp>
#include <heddle/impl/distributed_elements.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/scan.hpp>
#include <heddle/impl/scan_order.hpp>
#include <heddle/operators.hpp>
#include <heddle/scan.hpp>
#include <heddle/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::impl {

/// 2^level rows of the order of scans (scan_order.hpp), whose first is a multiple of as many.
struct scan_block {
  std::size_t first;
  unsigned level;
};

/// Rows first … last−1 in blocks of at most 2^most rows, as few as there are.
std::vector<scan_block> scan_blocks(std::size_t first, std::size_t last, unsigned most);

inline namespace HD_BUILD {

/// Whether there is an element that changes no bit of one that it comes before. An identity of floating-point
/// numbers may: 0 + −0 is 0.
template <class T, class Op>
inline constexpr bool has_exact_start =
    order::has_padding<T, Op> || (is_complex<T> && std::is_same_v<Op, plus>) ||
    (std::is_integral_v<T> && has_identity<Op, T>);
template <class T, class Op>
T exact_start(const Op& op) {
  if constexpr (order::has_padding<T, Op>) {
    return order::padding<T>(op);
  } else if constexpr (is_complex<T>) {
    using part = typename T::value_type;
    return T(-part(0), -part(0));
  } else {
    return identity_of<Op, T>(op);
  }
}

/// What each of the blocks combines to. Row 0 of the blocks is row `first` of the array. The exclusive scan
/// of a block and one more element, behind a start that changes nothing, ends with it.
template <class T, class Op>
array<T> block_totals(const target& where, array_view<const T> x, std::size_t first,
                      const std::vector<scan_block>& blocks, const Op& op) {
  constexpr std::size_t row = order::scan_row<T>;
  array<T> totals(blocks.size());
  const auto elements_of = [&](const scan_block& block) { return row << block.level; };
  if constexpr (has_exact_start<T, Op>) {
    std::size_t most = 0;
    for (const scan_block& block : blocks) most = std::max(most, elements_of(block));
    array<T> scratch(most + 1, where), on_target(blocks.size(), where);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::size_t n = elements_of(blocks[b]);
      const T* const from = x.data() + (blocks[b].first - first) * row;
      heddle::copy(scratch.data(), where, from, x.where(), n * sizeof(T));
      heddle::copy(scratch.data() + n, where, from, x.where(), sizeof(T));
      exclusive_scan_into(where, scratch.slice(0, n + 1), scratch.slice(0, n + 1), op,
                          std::optional<T>(exact_start<T>(op)));
      heddle::copy(on_target.data() + b, where, scratch.data() + n, where, sizeof(T));
    }
    totals.copy_from(on_target.view());
  } else {
    const on_cpu<T> elements(x);
    cpu::for_slices(where.threads(), blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        order::uninitialized<T, 60> of_rows;
        const T* from = elements.data() + (blocks[b].first - first) * row;
        for (std::size_t r = 0; r < std::size_t{1} << blocks[b].level; ++r, from += row)
          order::append_block(op, r, 0, cpu::reduce_row<T>(element_at<T, Op>{from}, op), &of_rows[0]);
        totals.data()[b] = of_rows[blocks[b].level];
      }
    });
  }
  return totals;
}

template <scan_kind Kind, class T, class Op>
void scan_part(const target& where, array_view<T> out, array_view<const T> x, const Op& op, const T* before) {
  const std::optional<T> init = before != nullptr ? std::optional<T>(*before) : std::nullopt;
  if constexpr (Kind == scan_kind::inclusive) {
    inclusive_scan_into(where, out, x, op, init);
  } else {
    exclusive_scan_into(where, out, x, op, init);
  }
}

/// Scans the elements first … of an array that is spread over ranks, in the order of scan_order.hpp. `first`
/// begins a row. What blocks of rows combine to is gathered; then each block is scanned behind the prefix of
/// the rows before it.
template <scan_kind Kind, class T, class Op>
void scan_over_ranks(const ranks& all, array_view<T> out, array_view<const T> x, std::size_t first,
                     const Op& op, const std::optional<T>& init) {
  const target& where = all.where();
  const scan_start<Kind, T, Op> start(op, init);
  if (all.size() == 1) return scan_part<Kind>(where, out, x, op, start.get());
  if constexpr (order::any_scan_order<T, Op>) {
    array<T> total(x.size() > 0 ? 1 : 0);
    if (x.size() > 0) total.data()[0] = reduce(where, x, op);
    const array<std::size_t> counts = all.all_gather(total.size());
    const array<T> totals = all.all_gather(std::span<const T>(total.data(), total.size()));
    std::optional<T> before;
    if (start.get() != nullptr) before = *start.get();
    const T* next = totals.data();
    for (int r = 0; r < all.rank(); ++r) {
      if (counts.data()[r] == 0) continue;
      before = before ? op(*before, *next) : *next;
      ++next;
    }
    if (x.size() > 0) scan_part<Kind>(where, out, x, op, before ? &*before : nullptr);
  } else {
    // Blocks that the second-level caches hold.
    constexpr std::size_t row = order::scan_row<T>;
    const std::size_t block_bytes = where.is_gpu() ? std::size_t{1} << 24 : std::size_t{1} << 18;
    unsigned most = 0;
    while ((row * sizeof(T)) << (most + 1) <= block_bytes) ++most;
    const std::size_t first_row = first / row, end_row = first_row + x.size() / row;
    const std::vector<scan_block> blocks = scan_blocks(first_row, end_row, most);
    const array<T> totals = block_totals(where, x, first_row, blocks, op);
    const array<scan_block> all_blocks = all.all_gather(std::span<const scan_block>(blocks));
    const array<T> all_totals = all.all_gather(std::span<const T>(totals.data(), totals.size()));
    order::row_prefix<T> prefix;
    prefix.start(start.get());
    std::size_t b = 0;
    for (; b < all_blocks.size() && all_blocks.data()[b].first < first_row; ++b)
      prefix.append(op, all_totals.data()[b], all_blocks.data()[b].level);
    const auto scan_rows = [&](std::size_t begin, std::size_t end) {
      if (begin < end)
        scan_part<Kind>(where, out.slice(begin, end), x.slice(begin, end), op,
                        prefix.exists() ? &prefix.value() : nullptr);
    };
    for (const scan_block& part : scan_blocks(first_row, end_row, 60)) {
      const std::size_t end = part.first + (std::size_t{1} << part.level);
      scan_rows((part.first - first_row) * row, (end - first_row) * row);
      for (; b < all_blocks.size() && all_blocks.data()[b].first < end; ++b)
        prefix.append(op, all_totals.data()[b], all_blocks.data()[b].level);
    }
    scan_rows((end_row - first_row) * row, x.size());
  }
}

template <scan_kind Kind, class T, class Op>
void scan_flat_into(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x, const Op& op,
                    const std::optional<T>& init) {
  constexpr std::size_t row = order::scan_row<T>;
  const std::size_t n = x.size(), in_row = row_elements(x.shape());
  std::vector<std::size_t> begins;
  for (const std::size_t b : x.begins()) begins.push_back(b * in_row);
  std::vector<std::size_t> on_rows = begins;
  for (std::size_t r = 1; r < begins.size() - 1; ++r)
    on_rows[r] = std::min(n, (begins[r] + row / 2) / row * row);
  const array_view<const T> block = x.local().reshaped({x.local().size()});
  const array_view<T> out_block = out.local().reshaped({block.size()});
  const std::size_t first = on_rows[static_cast<std::size_t>(all.rank())];
  if (on_rows == begins) {
    scan_over_ranks<Kind>(all, out_block, block, first, op, init);
  } else {
    array<T> moved = moved_blocks(all, block, begins, on_rows);
    scan_over_ranks<Kind, T>(all, moved.view(), std::as_const(moved).view(), first, op, init);
    const array<T> back = moved_blocks(all, std::as_const(moved).view(), on_rows, begins);
    out_block.copy_from(back.view());
  }
}

template <scan_kind Kind, class T, class Op>
void scan_along_into(const ranks& all, distributed_array<T>& out, const distributed_array<T>& x, axis along,
                     const Op& op, const std::optional<T>& init) {
  const scan_start<Kind, T, Op> start(op, init);
  const std::size_t a = x.shape().resolve_axis(along.index);
  if (x.shape().axes() == 1) return scan_flat_into<Kind>(all, out, x, op, init);
  const auto scan = [&](auto&& to, const auto& from) {
    const std::optional<T> before = start.get() != nullptr ? std::optional<T>(*start.get()) : std::nullopt;
    if constexpr (Kind == scan_kind::inclusive) {
      inclusive_scan_into(all.where(), to, from, axis{static_cast<std::ptrdiff_t>(a)}, op, before);
    } else {
      exclusive_scan_into(all.where(), to, from, axis{static_cast<std::ptrdiff_t>(a)}, op, before);
    }
  };
  if (a > 0) return scan(out.local(), x.local());
  const std::vector<std::size_t> columns = even_blocks(shape{row_elements(x.shape())}, all.size());
  array<T> whole_columns = columns_of_rank(all, x, columns);
  scan(whole_columns, whole_columns);
  rows_of_rank(all, std::as_const(whole_columns).view(), columns, out);
}

/// The scan of x, flat or along an axis, into `out`, or into a new array of the same blocks.
template <scan_kind Kind, class T, class Op, class... Along>
void scan_existing_over_ranks(const char* pattern, const ranks& all, distributed_array<T>& out,
                              const distributed_array<T>& x, const Op& op, const std::optional<T>& init,
                              Along... along) {
  check_ranks(pattern, all, x.all());
  check_same_blocks(pattern, out, x);
  if constexpr (sizeof...(along) == 0) {
    scan_flat_into<Kind>(all, out, x, op, init);
  } else {
    scan_along_into<Kind>(all, out, x, along..., op, init);
  }
}
template <scan_kind Kind, class T, class Op, class... Along>
distributed_array<T> scan_new_over_ranks(const char* pattern, const ranks& all, const distributed_array<T>& x,
                                         const Op& op, const std::optional<T>& init, Along... along) {
  check_ranks(pattern, all, x.all());
  distributed_array<T> out(all, x.shape(), x.begins());
  scan_existing_over_ranks<Kind>(pattern, all, out, x, op, init, along...);
  return out;
}

}  // namespace HD_BUILD

}  // namespace heddle::impl
