#include <heddle/argmin.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/patterns/argmin/front.hpp>
#include <heddle/impl/patterns/reduce/front.hpp>
#include <heddle/memory.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace heddle::impl {
namespace {

/// Elements of an array of results whose tile is not whole on one rank.
struct tile_part {
  std::size_t level, first, count;
};

/// The rest of each level on this rank: the parts, and their elements side by side.
struct remainders {
  std::vector<tile_part> parts;
  std::vector<std::byte> values;
};

/// Reduces the tiles that are whole on this rank, level by level.
remainders reduce_own_tiles(const target& where, const distributed_elements& x, std::size_t tile,
                            row_reduction reduce_rows) {
  remainders left;
  const std::size_t bytes = x.element_bytes;
  const auto* here = static_cast<const std::byte*>(x.data);
  std::size_t size = x.size, first = x.first, count = x.all_size, level = 0;
  memory results;
  const auto leave = [&](std::size_t from, std::size_t to) {
    if (from == to) return;
    left.parts.push_back({level, first + from, to - from});
    const std::size_t before = left.values.size();
    left.values.resize(before + (to - from) * bytes);
    copy(left.values.data() + before, target(), here + from * bytes, where, (to - from) * bytes);
  };
  while (size > 0 && count > 1) {
    const std::size_t end = first + size, tiles = (count + tile - 1) / tile;
    const std::size_t first_tile = (first + tile - 1) / tile, end_tile = end == count ? tiles : end / tile;
    if (first_tile >= end_tile) break;
    const std::size_t begin = first_tile * tile - first, behind = std::min(end_tile * tile, end) - first;
    leave(0, begin);
    leave(behind, size);
    memory next((end_tile - first_tile) * bytes, where);
    auto* const out = static_cast<std::byte*>(next.data());
    const std::size_t whole = std::min(end_tile, count / tile) - first_tile;
    if (whole > 0) reduce_rows(where, here + begin * bytes, whole, tile, out);
    if (whole < end_tile - first_tile)
      reduce_rows(where, here + (begin + whole * tile) * bytes, 1, behind - begin - whole * tile,
                  out + whole * bytes);
    results = std::move(next);
    here = static_cast<const std::byte*>(results.data());
    size = end_tile - first_tile;
    first = first_tile;
    count = tiles;
    ++level;
  }
  leave(0, size);
  return left;
}

/// The number of an element of a level, and its bytes.
struct element_of_level {
  std::size_t place;
  const std::byte* value;
};

}  // namespace

void reduce_tiles_over_ranks(const ranks& all, const distributed_elements& x, std::size_t tile,
                             row_reduction reduce_rows, void* total) {
  const std::size_t bytes = x.element_bytes;
  const remainders own = reduce_own_tiles(all.where(), x, tile, reduce_rows);
  const array<tile_part> all_parts = all.all_gather(std::span<const tile_part>(own.parts));
  const array<std::byte> all_values = all.all_gather(std::span<const std::byte>(own.values));
  std::vector<element_of_level> now;
  std::vector<memory> levels;
  memory of_tile(tile * bytes, target());
  for (std::size_t level = 0, count = x.all_size;; ++level, count = (count + tile - 1) / tile) {
    const std::byte* at = all_values.data();
    for (const tile_part& part : all_parts) {
      if (part.level == level)
        for (std::size_t i = 0; i < part.count; ++i) now.push_back({part.first + i, at + i * bytes});
      at += part.count * bytes;
    }
    if (count == 1) {
      if (level == 0) return reduce_rows(target(), now.front().value, 1, 1, total);
      std::memcpy(total, now.front().value, bytes);
      return;
    }
    std::sort(now.begin(), now.end(),
              [](const element_of_level& a, const element_of_level& b) { return a.place < b.place; });
    std::vector<element_of_level> next;
    auto* result = static_cast<std::byte*>(levels.emplace_back(now.size() * bytes, target()).data());
    for (std::size_t i = 0, end = 0; i < now.size(); i = end, result += bytes) {
      const std::size_t t = now[i].place / tile;
      for (auto* element = static_cast<std::byte*>(of_tile.data());
           end < now.size() && now[end].place / tile == t; ++end, element += bytes)
        std::memcpy(element, now[end].value, bytes);
      reduce_rows(target(), of_tile.data(), 1, end - i, result);
      next.push_back({t, result});
    }
    now = std::move(next);
  }
}

void library_reduce_over_ranks(const ranks& all, runtime_op op, dtype type, const distributed_elements& x,
                               void* total) {
  operation running("reduce", x.all_size, name(type));
  running.runs_on(all.where());
  // Every built-in operator commutes, so that the tile depends on the type alone.
  const std::size_t tile = with_type(type, []<class T>(T) { return order::tile<T, plus>; });
  reduce_tiles_over_ranks(
      all, x, tile,
      [&](const target& where, const void* rows, std::size_t count, std::size_t length, void* out) {
        library_reduce(op, type, rows, axis_lines{count, length, 1}, out, where);
      },
      total);
}

std::size_t arg_over_ranks(const char* pattern, const ranks& all, runtime_op op, dtype type,
                           const block_to_read& x) {
  const std::size_t row = row_elements(x.shape), bytes = x.element_bytes, size = x.rows(all.rank()) * row;
  std::vector<std::size_t> places;
  std::vector<std::byte> candidate;
  if (size > 0) {
    const std::size_t i = arg_of_all(pattern, op, type, x.data, size, all.where(), all.where());
    candidate.resize(bytes);
    copy(candidate.data(), target(), static_cast<const std::byte*>(x.data) + i * bytes, all.where(), bytes);
    places.push_back(x.begins[static_cast<std::size_t>(all.rank())] * row + i);
  }
  const array<std::byte> candidates = all.all_gather(std::span<const std::byte>(candidate));
  const array<std::size_t> all_places = all.all_gather(std::span<const std::size_t>(places));
  return all_places[arg_of_all(pattern, op, type, candidates.data(), all_places.size(), target(), target())];
}

}  // namespace heddle::impl
