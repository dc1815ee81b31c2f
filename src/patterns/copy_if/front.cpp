#include "core/unequal.hpp"
#include "patterns/copy_if/gpu.hpp"
#include <heddle/copy_if.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <complex>
#include <cstring>

namespace heddle::impl {
namespace {

/// Elements whose chosen ones are counted together on a CPU.
constexpr std::size_t cpu_tile = threshold.copy_if_tile;

/// Copies elements of Bytes bytes each; 0 for a size that is known at run time.
template <std::size_t Bytes>
void copy_by_flags(const bool* flags, const std::byte* x, std::size_t element_bytes, std::size_t count,
                   std::byte* chosen, std::byte* others) {
  const std::size_t bytes = Bytes == 0 ? element_bytes : Bytes;
  for (std::size_t i = 0; i < count; ++i) {
    std::byte*& to = flags[i] ? chosen : others;
    if (to == nullptr) continue;
    std::memcpy(to, x + i * bytes, bytes);
    to += bytes;
  }
}

using flagged_copier = void (*)(const bool*, const std::byte*, std::size_t, std::size_t, std::byte*,
                                std::byte*);
flagged_copier copier_of(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return copy_by_flags<1>;
    case 2:
      return copy_by_flags<2>;
    case 4:
      return copy_by_flags<4>;
    case 8:
      return copy_by_flags<8>;
    case 16:
      return copy_by_flags<16>;
    default:
      return copy_by_flags<0>;
  }
}

/// Calls f(tile, first element, elements) for each tile.
template <class F>
void for_tiles(const target& where, std::size_t n, const F& f) {
  cpu::for_slices(where.threads(), (n + cpu_tile - 1) / cpu_tile, 2,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t tile = first; tile < last; ++tile)
                      f(tile, tile * cpu_tile, std::min(cpu_tile, n - tile * cpu_tile));
                  });
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
    std::size_t chosen = 0;
    for (std::size_t i = first; i < first + count; ++i) chosen += flags[i] ? 1 : 0;
    before[tile] = chosen;
  });
  for (std::size_t tile = 0; tile < before_.bytes() / sizeof(std::size_t); ++tile)
    count_ += std::exchange(before[tile], count_);
}

void selection::copy(const void* x, std::size_t element_bytes, bool all, void* out) const {
  if (size_ == 0) return;
  auto* const to = static_cast<std::byte*>(out);
  if (where_.is_gpu())
    return gpu::copy_flagged(flags_, size_, x, element_bytes, out,
                             all ? to + count_ * element_bytes : nullptr, nullptr, where_);
  const auto* const before = static_cast<const std::size_t*>(before_.data());
  const flagged_copier copy = copier_of(element_bytes);
  const auto* const from = static_cast<const std::byte*>(x);
  for_tiles(where_, size_, [&](std::size_t tile, std::size_t first, std::size_t count) {
    std::byte* const others = to + (count_ + first - before[tile]) * element_bytes;
    copy(flags_ + first, from + first * element_bytes, element_bytes, count,
         to + before[tile] * element_bytes, all ? others : nullptr);
  });
}

void selection::indices(std::size_t* out) const {
  if (size_ == 0) return;
  if (where_.is_gpu()) return gpu::indices_of_flags(flags_, size_, out, where_);
  const auto* const before = static_cast<const std::size_t*>(before_.data());
  for_tiles(where_, size_, [&](std::size_t tile, std::size_t first, std::size_t count) {
    std::size_t* to = out + before[tile];
    for (std::size_t i = first; i < first + count; ++i) {
      if (flags_[i]) *to++ = i;
    }
  });
}

void library_flag_changes(dtype type, const void* x, std::size_t n, bool* flags, const target& where) {
  if (n == 0) return;
  if (where.is_gpu()) return gpu::flag_changes(type, x, n, flags, where);
  with_type(type, [&]<class T>(T) {
    const T* const from = static_cast<const T*>(x);
    cpu::for_slices(where.threads(), n, cpu_tile, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) flags[i] = i == 0 || is_unequal(from[i], from[i - 1]);
    });
  });
}

}  // namespace heddle::impl
