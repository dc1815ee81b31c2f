#pragma once

#include <heddle/array.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/impl/cpu/scan.hpp>
#include <heddle/impl/distributed.hpp>
#include <heddle/impl/distributed_elements.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/scan.hpp>
#include <heddle/impl/scan_block.hpp>
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
#if defined(__CUDACC__)
#include <heddle/impl/gpu/scan/scan_block_totals.cuh>
#endif

namespace heddle::impl {

/// Rows first … last−1 in blocks of at most 2^most rows, as few as there are.
std::vector<scan_block> scan_blocks(std::size_t first, std::size_t last, unsigned most);

/// The totals of blocks of rows in the memory of `where`, by a built-in operator whose order matters; written
/// to the CPU. Row `first` begins at x.
void library_block_totals(runtime_op op, dtype type, const void* x, std::size_t first,
                          std::span<const scan_block> blocks, void* totals, const target& where);
void library_block_totals_on_gpu(runtime_op op, dtype type, const void* x, std::size_t first,
                                 std::span<const scan_block> blocks, void* totals, const target& where);

inline namespace HD_BUILD {

/// The total of 2^level rows.
template <class T, class Op>
T total_of_rows(const T* x, unsigned level, const Op& op) {
  order::uninitialized<T, 60> block;
  for (std::size_t r = 0; r < std::size_t{1} << level; ++r, x += order::scan_row<T>)
    order::append_block(op, r, 0, cpu::reduce_row<T>(element_at<T, Op>{x}, op), &block[0]);
  return block[level];
}

/// The total of each of the blocks. Row 0 of x is row `first` of the array.
template <class T, class Op>
array<T> block_totals(const target& where, const array_view<const T>& x, std::size_t first,
                      const std::vector<scan_block>& blocks, const Op& op) {
  array<T> totals(blocks.size());
  if constexpr (library_combines<T, Op>()) {
    library_block_totals(function_of<Op>, dtype_of<T>, x.data(), first, blocks, totals.data(), where);
  } else if (!where.is_gpu()) {
    cpu::for_slices(where.threads(), blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b)
        totals.data()[b] =
            total_of_rows(x.data() + (blocks[b].first - first) * order::scan_row<T>, blocks[b].level, op);
    });
  } else {
#if defined(__CUDACC__)
    gpu::scan_block_totals(where, x.data(), first, blocks, op, totals.data());
#else
    fail_not_compiled_for_gpu();
#endif
  }
  return totals;
}

/// The totals of `parts` from those of the blocks that they are made of, of 2^most rows or all of a part.
template <class T, class Op>
array<T> part_totals(const std::vector<scan_block>& parts, unsigned most, const array<T>& totals,
                     const Op& op) {
  array<T> of_parts(parts.size());
  const T* next = totals.data();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const unsigned level = parts[p].level > most ? parts[p].level - most : 0;
    order::uninitialized<T, 60> block;
    for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
      order::append_block(op, i, 0, *next++, &block[0]);
    of_parts.data()[p] = block[level];
  }
  return of_parts;
}

template <scan_kind Kind, class T, class Op>
void scan_part(const target& where, array_view<T> out, const array_view<const T>& x, const Op& op,
               const T* before) {
  const std::optional<T> init = before != nullptr ? std::optional<T>(*before) : std::nullopt;
  if constexpr (Kind == scan_kind::inclusive) {
    inclusive_scan_into(where, out, x, op, init);
  } else {
    exclusive_scan_into(where, out, x, op, init);
  }
}

/// Scans this rank's elements, from number `first` on, of a distributed array, in the order of
/// scan_order.hpp. `first` begins a row. Ranks gather the totals of the largest blocks of rows of each; then
/// each rank scans its elements with the prefix of the rows before them.
template <scan_kind Kind, class T, class Op>
void scan_over_ranks(const ranks& all, const array_view<T>& out, const array_view<const T>& x,
                     std::size_t first, const Op& op, const std::optional<T>& init) {
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
    // Blocks that keep all threads, or all multiprocessors, busy.
    constexpr std::size_t row = order::scan_row<T>;
    const std::size_t block_bytes = where.is_gpu() ? std::size_t{1} << 22 : std::size_t{1} << 18;
    unsigned most = 0;
    while ((row * sizeof(T)) << (most + 1) <= block_bytes) ++most;
    const std::size_t first_row = first / row, end_row = first_row + x.size() / row;
    const std::vector<scan_block> parts = scan_blocks(first_row, end_row, 60);
    const array<T> totals = part_totals(
        parts, most, block_totals(where, x, first_row, scan_blocks(first_row, end_row, most), op), op);
    const array<scan_block> all_parts = all.all_gather(std::span<const scan_block>(parts));
    const array<T> all_totals = all.all_gather(totals);
    order::row_prefix<T> prefix;
    prefix.start(start.get());
    std::size_t p = 0;
    const auto append = [&] {
      prefix.append(op, all_totals.data()[p], all_parts.data()[p].level);
      ++p;
    };
    while (p < all_parts.size() && all_parts.data()[p].first < first_row) append();
    const auto scan_rows = [&](std::size_t begin, std::size_t end) {
      if (begin < end)
        scan_part<Kind>(where, out.slice(begin, end), x.slice(begin, end), op,
                        prefix.exists() ? &prefix.value() : nullptr);
    };
    for (const scan_block& part : parts) {
      const std::size_t begin = (part.first - first_row) * row;
      scan_rows(begin, begin + (row << part.level));
      append();
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
  if (are_few_columns(all, x.shape()) && x.size() > 0) {
    const std::size_t width = row_elements(x.shape());
    for (std::size_t c = 0; c < width; ++c) {
      const shape lengths{x.shape()[0]};
      const distributed_array<T> column(all, lengths, x.begins(), own_rows_of_column(all, x, c));
      distributed_array<T> scanned(all, lengths, x.begins());
      scan_flat_into<Kind>(all, scanned, column, op, init);
      copy_rows(out.local().data() + c, width * sizeof(T), scanned.local().data(), sizeof(T), sizeof(T),
                x.rows(), all.where());
    }
    return;
  }
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
