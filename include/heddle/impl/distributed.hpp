#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/order.hpp>
#include <heddle/ranks.hpp>
#include <heddle/reduce.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle::impl {

/// Elements of a row: of all axes but the slowest.
std::size_t row_elements(const shape& whole);
/// The shape with another number of rows.
shape with_rows(const shape& whole, std::size_t rows);

/// The first rows of blocks: see distributed_array.
std::vector<std::size_t> even_blocks(const shape& whole, int ranks);
std::vector<std::size_t> blocks_of(const ranks& all, const shape& local);
void check_blocks(const shape& whole, const std::vector<std::size_t>& begins, int ranks);

std::vector<std::size_t> block_bytes(const shape& whole, const std::vector<std::size_t>& begins,
                                     std::size_t element_bytes);
/// The bytes that block `rank` of `blocks` has in common with each block of others.
std::vector<std::size_t> bytes_in_common(const std::vector<std::size_t>& blocks,
                                         const std::vector<std::size_t>& others, int rank,
                                         std::size_t row_bytes);

/// Throws if an array is distributed over other ranks than those of the call.
void check_ranks(const char* pattern, const ranks& all, const ranks& of_array);

/// Whether every rank gathers on the GPU, and the stream, that its block is on. Every rank calls it.
bool gathers_on_gpus(const ranks& all, const target& where);

/// Throws: arrays of a pattern have different shapes or blocks.
[[noreturn]] void fail_blocks(const char* pattern, const shape& a, const shape& b);

/// The elements of a view where the CPU reads them.
template <class T>
class on_cpu {
 public:
  explicit on_cpu(const array_view<const T>& x) : view_(x) {
    if (!x.where().is_gpu()) return;
    copy_ = x.on(target());
    view_ = copy_.view();
  }
  on_cpu(const on_cpu&) = delete;
  const T* data() const { return view_.data(); }

 private:
  array<T> copy_;
  array_view<const T> view_;
};

/// A buffer on the CPU for the elements of a view, which `deliver` copies to it.
template <class T>
class filled_on_cpu {
 public:
  explicit filled_on_cpu(const array_view<T>& to) : to_(to) {
    if (to.where().is_gpu()) staged_ = array<T>(to.shape());
  }
  filled_on_cpu(const filled_on_cpu&) = delete;
  T* data() { return to_.where().is_gpu() ? staged_.data() : to_.data(); }
  void deliver() {
    if (to_.where().is_gpu()) to_.copy_from(staged_.view());
  }

 private:
  array_view<T> to_;
  array<T> staged_;
};

/// Copies `rows` rows of `row_bytes` bytes, which begin `from_pitch` and `to_pitch` bytes apart, in the
/// memory of `where`.
void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t row_bytes, std::size_t rows, const target& where);
void copy_rows_on_gpu(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t row_bytes, std::size_t rows, const target& where);

/// The elements of this rank in other blocks; both begin at elements.
template <class T>
array<T> moved_blocks(const ranks& all, const array_view<const T>& block,
                      const std::vector<std::size_t>& from, const std::vector<std::size_t>& to) {
  const auto r = static_cast<std::size_t>(all.rank());
  array<T> moved(to[r + 1] - to[r], all.where());
  all.between().all_to_all(block.data(), bytes_in_common(from, to, all.rank(), sizeof(T)), moved.data(),
                           bytes_in_common(to, from, all.rank(), sizeof(T)), all.where());
  return moved;
}

/// Which bytes of a block of rows go to the rank of each column, or come from there: blocks of rows by
/// columns, side by side.
template <class X, class T = typename X::value_type>
class exchange_of_columns {
 public:
  exchange_of_columns(const ranks& all, const X& x, const std::vector<std::size_t>& columns)
      : all_(all),
        rows_(x.rows()),
        row_bytes_(columns.back() * sizeof(T)),
        packed_(x.rows() * columns.back(), all.where()) {
    const auto me = static_cast<std::size_t>(all.rank());
    for (std::size_t r = 0; r + 1 < columns.size(); ++r) {
      widths_.push_back((columns[r + 1] - columns[r]) * sizeof(T));
      of_rows_.push_back(rows_ * widths_.back());
      of_columns_.push_back((x.begins()[r + 1] - x.begins()[r]) * (columns[me + 1] - columns[me]) *
                            sizeof(T));
    }
  }

  void to_columns(const T* rows, T* columns) {
    each_part([&](std::byte* part, std::size_t at, std::size_t width) {
      copy_rows(part, width, reinterpret_cast<const std::byte*>(rows) + at, row_bytes_, width, rows_,
                all_.where());
    });
    all_.between().all_to_all(packed_.data(), of_rows_, columns, of_columns_, all_.where());
  }
  void to_rows(const T* columns, T* rows) {
    all_.between().all_to_all(columns, of_columns_, packed_.data(), of_rows_, all_.where());
    each_part([&](std::byte* part, std::size_t at, std::size_t width) {
      copy_rows(reinterpret_cast<std::byte*>(rows) + at, row_bytes_, part, width, width, rows_, all_.where());
    });
  }

 private:
  template <class F>
  void each_part(const F& f) {
    auto* part = reinterpret_cast<std::byte*>(packed_.data());
    std::size_t at = 0;
    for (const std::size_t width : widths_) {
      f(part, at, width);
      part += rows_ * width;
      at += width;
    }
  }

  const ranks& all_;
  std::size_t rows_, row_bytes_;
  std::vector<std::size_t> widths_, of_rows_, of_columns_;
  array<T> packed_;
};

/// All rows of columns columns[rank] … columns[rank + 1]−1, where a column is an index along all axes but the
/// slowest.
template <class X, class T = typename X::value_type>
array<T> columns_of_rank(const ranks& all, const X& x, const std::vector<std::size_t>& columns) {
  const auto me = static_cast<std::size_t>(all.rank());
  array<T> result({x.shape()[0], columns[me + 1] - columns[me]}, all.where());
  exchange_of_columns<X>(all, x, columns).to_columns(x.local().data(), result.data());
  return result;
}

/// The way back: fills the block of this rank.
template <class X, class T = typename X::value_type>
void rows_of_rank(const ranks& all, const array_view<const T>& whole_columns,
                  const std::vector<std::size_t>& columns, X& x) {
  exchange_of_columns<X>(all, x, columns).to_rows(whole_columns.data(), x.local().data());
}

/// Whether a column is left on all ranks, as there are fewer columns than ranks.
inline bool are_few_columns(const ranks& all, const shape& whole) {
  return row_elements(whole) < static_cast<std::size_t>(all.size());
}
/// The rows that this rank has of one column.
template <class X, class T = typename X::value_type>
array<T> own_rows_of_column(const ranks& all, const X& x, std::size_t column) {
  array<T> own(x.rows(), all.where());
  copy_rows(own.data(), sizeof(T), x.local().data() + column, row_elements(x.shape()) * sizeof(T), sizeof(T),
            x.rows(), all.where());
  return own;
}

inline namespace HD_BUILD {

/// Elements of an array of results whose tile is not whole on one rank.
struct tile_part {
  std::size_t level, first, count;
};

/// Reduces n elements that are distributed over ranks, in the order of order.hpp; this rank's begin at number
/// `first`. Each rank reduces its whole tiles, then the tiles of their results, and so on. Ranks gather what
/// is left at both ends of each level, under two tiles, and each rank combines it.
template <class T, class Op>
T reduce_over_ranks(const ranks& all, const array_view<const T>& local, std::size_t first, std::size_t n,
                    const Op& op) {
  constexpr std::size_t tile = order::tile<T, Op>;
  std::vector<tile_part> parts;
  std::vector<std::byte> values;
  std::size_t level = 0, count = n;
  array<T> results;
  array_view<const T> here = local;
  const auto leave = [&](std::size_t from, std::size_t to) {
    if (from == to) return;
    parts.push_back({level, first + from, to - from});
    const on_cpu<T> some(here.slice(from, to));
    const auto bytes = std::as_bytes(std::span(some.data(), to - from));
    values.insert(values.end(), bytes.begin(), bytes.end());
  };
  while (here.size() > 0 && count > 1) {
    const std::size_t end = first + here.size(), tiles = (count + tile - 1) / tile;
    const std::size_t first_tile = (first + tile - 1) / tile, end_tile = end == count ? tiles : end / tile;
    if (first_tile >= end_tile) break;
    const std::size_t begin = first_tile * tile - first, behind = std::min(end_tile * tile, end) - first;
    leave(0, begin);
    leave(behind, here.size());
    array<T> next(end_tile - first_tile, all.where());
    const std::size_t whole = std::min(end_tile, count / tile) - first_tile;
    if (whole > 0)
      reduce_into(all.where(), next.slice(0, whole),
                  here.slice(begin, begin + whole * tile).reshaped({whole, tile}), axis{1}, op);
    if (whole < next.size())
      reduce_into(all.where(), next.slice(whole, whole + 1), here.slice(begin + whole * tile, behind), op);
    results = std::move(next);
    here = results.view();
    first = first_tile;
    count = tiles;
    ++level;
  }
  leave(0, here.size());

  const array<tile_part> all_parts = all.all_gather(std::span<const tile_part>(parts));
  const array<std::byte> all_values = all.all_gather(std::span<const std::byte>(values));
  const T* const value_of = reinterpret_cast<const T*>(all_values.data());
  struct numbered {
    std::size_t place;
    T value;
  };
  std::vector<numbered> now, next;
  for (level = 0, count = n;; ++level, count = (count + tile - 1) / tile) {
    std::size_t at = 0;
    for (const tile_part& part : all_parts) {
      if (part.level == level)
        for (std::size_t i = 0; i < part.count; ++i) now.push_back({part.first + i, value_of[at + i]});
      at += part.count;
    }
    if (count == 1) {
      array<T> one(1);
      one.data()[0] = now.front().value;
      return level > 0 ? one.data()[0] : heddle::reduce(target(), one, op);
    }
    std::sort(now.begin(), now.end(), [](const numbered& a, const numbered& b) { return a.place < b.place; });
    next.clear();
    for (std::size_t i = 0, end = 0; i < now.size(); i = end) {
      const std::size_t t = now[i].place / tile;
      while (end < now.size() && now[end].place / tile == t) ++end;
      array<T> of_tile(end - i);
      for (std::size_t k = i; k < end; ++k) of_tile.data()[k - i] = now[k].value;
      next.push_back({t, heddle::reduce(target(), of_tile, op)});
    }
    std::swap(now, next);
  }
}

/// The index that `arg` finds among the elements of all ranks: among what it finds in each block.
template <class X, class Arg>
std::size_t arg_over_ranks(const ranks& all, const X& x, const Arg& arg) {
  using T = typename X::value_type;
  const auto block = x.local().reshaped({x.local().size()});
  std::vector<std::size_t> places;
  array<T> candidate(block.size() > 0 ? 1 : 0);
  if (block.size() > 0) {
    const std::size_t i = arg(all.where(), block);
    candidate.data()[0] = block[i];
    places.push_back(x.first_row() * row_elements(x.shape()) + i);
  }
  const array<T> candidates = all.all_gather(std::span<const T>(candidate.data(), candidate.size()));
  const array<std::size_t> all_places = all.all_gather(std::span<const std::size_t>(places));
  return all_places[arg(target(), candidates)];
}

}  // namespace HD_BUILD

/// The sums of what all ranks counted, on every rank. Each rank sums a part.
array<std::uint64_t> summed_counts(const ranks& all, const array<std::uint64_t>& own);

/// Writes an array whose blocks have so many bytes each; this rank's is `block`, in the memory of its target.
void write_npy_of_ranks(const ranks& all, const std::string& path, dtype type, const shape& whole,
                        const std::vector<std::size_t>& bytes, const void* block);

}  // namespace heddle::impl
