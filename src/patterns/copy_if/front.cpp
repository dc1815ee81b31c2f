#include "patterns/copy_if/cpu_kernels.hpp"
#include "patterns/copy_if/gpu.hpp"
#include <heddle/copy_if.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace heddle::impl {
namespace {

/// Elements whose chosen ones are counted together on a CPU.
constexpr std::size_t cpu_tile = threshold.copy_if_tile;

/// Calls f(tile, first element, elements) for each tile.
template <class F>
void for_tiles(const target& where, std::size_t n, const F& f) {
  cpu::for_slices(where.threads(), (n + cpu_tile - 1) / cpu_tile, 2,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t tile = first; tile < last; ++tile)
                      f(tile, tile * cpu_tile, std::min(cpu_tile, n - tile * cpu_tile));
                  });
}

/// The chosen elements of a tile; `before` has how many there are before each tile, of `all`.
cpu::flagged in_tile(const bool* flags, const memory& before, std::size_t all, std::size_t tile,
                     std::size_t first, std::size_t count) {
  const auto* const of_tiles = static_cast<const std::size_t*>(before.data());
  const bool is_last = (tile + 1) * sizeof(std::size_t) == before.bytes();
  return {flags + first, true, count, (is_last ? all : of_tiles[tile + 1]) - of_tiles[tile]};
}

}  // namespace

selection::selection(const bool* flags, std::size_t n, const target& where)
    : flags_(flags), size_(n), where_(where) {
  if (n == 0) return;
  if (where.is_gpu()) {
    count_ = gpu::count_flags(flags, n, where);
    return;
  }
  before_ = memory(((n + cpu_tile - 1) / cpu_tile) * sizeof(std::size_t), where);
  auto* const before = static_cast<std::size_t*>(before_.data());
  for_tiles(where, n, [&](std::size_t tile, std::size_t first, std::size_t count) {
    before[tile] = cpu::copy_if_kernels_here().count(flags + first, count);
  });
  for (std::size_t tile = 0; tile < before_.bytes() / sizeof(std::size_t); ++tile)
    count_ += std::exchange(before[tile], count_);
}

void selection::copy(const void* x, std::size_t element_bytes, bool all, void* out) const {
  if (size_ == 0) return;
  auto* const to = static_cast<std::byte*>(out);
  if (where_.is_gpu())
    return gpu::copy_chosen_and_others(flags_, size_, x, element_bytes, out,
                                       all ? to + count_ * element_bytes : nullptr, where_);
  const auto* const before = static_cast<const std::size_t*>(before_.data());
  const cpu::copy_if_kernels& kernels = cpu::copy_if_kernels_here();
  const auto* const from = static_cast<const std::byte*>(x);
  for_tiles(where_, size_, [&](std::size_t tile, std::size_t first, std::size_t count) {
    const cpu::flagged of = in_tile(flags_, before_, count_, tile, first, count);
    kernels.copy(of, from + first * element_bytes, element_bytes, to + before[tile] * element_bytes);
    if (!all) return;
    std::byte* const others = to + (count_ + first - before[tile]) * element_bytes;
    kernels.copy({of.flags, false, count, count - of.chosen}, from + first * element_bytes, element_bytes,
                 others);
  });
}

void selection::indices(std::size_t* out) const {
  if (size_ == 0) return;
  if (where_.is_gpu()) return gpu::indices_of_flags(flags_, size_, out, where_);
  const auto* const before = static_cast<const std::size_t*>(before_.data());
  for_tiles(where_, size_, [&](std::size_t tile, std::size_t first, std::size_t count) {
    cpu::copy_if_kernels_here().indices(in_tile(flags_, before_, count_, tile, first, count), first,
                                        out + before[tile]);
  });
}

void library_flag_changes(dtype type, const void* x, std::size_t n, bool* flags, const target& where) {
  if (n == 0) return;
  if (where.is_gpu()) return gpu::flag_changes(type, x, n, flags, where);
  const auto flag = cpu::copy_if_kernels_here().flag_changes;
  cpu::for_slices(where.threads(), n, cpu_tile,
                  [&](std::size_t first, std::size_t last) { flag(type, x, first, last, flags); });
}

}  // namespace heddle::impl
