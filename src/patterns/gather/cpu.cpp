#include "patterns/gather/cpu.hpp"

#include "core/unsigned_of_bytes.hpp"
#include "cpu/instruction_set.hpp"
#include "patterns/gather/cpu_kernels.hpp"
#include <heddle/impl/core/part_begin.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>

namespace heddle::cpu {
namespace {

/// Bytes that are worth a second thread.
constexpr std::size_t gather_grain = impl::threshold.gather_grain_bytes;

/// Calls f with a block's bytes as a constant where they are few, else 0 for a number that is known at run
/// time.
template <class F>
void with_block_bytes(std::size_t bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(std::integral_constant<std::size_t, 1>{});
    case 2:
      return f(std::integral_constant<std::size_t, 2>{});
    case 4:
      return f(std::integral_constant<std::size_t, 4>{});
    case 8:
      return f(std::integral_constant<std::size_t, 8>{});
    case 16:
      return f(std::integral_constant<std::size_t, 16>{});
    default:
      return f(std::integral_constant<std::size_t, 0>{});
  }
}

template <std::size_t Bytes, class Index>
void gather(int threads, const std::byte* x, const axis_lines& lines, std::size_t block_bytes,
            const Index* index, std::size_t count, std::byte* out) {
  const std::size_t bytes = Bytes == 0 ? block_bytes : Bytes;
  for_slices(threads, lines.outer * count, gather_grain / bytes + 1,
             [=](std::size_t first, std::size_t last) {
               std::size_t outer = first / count, k = first % count;
               const std::byte* from = x + outer * lines.length * bytes;
               for (std::size_t i = first; i < last;) {
                 const std::size_t end = i + std::min(count - k, last - i);
                 for (; i < end; ++i, ++k)
                   std::memcpy(out + i * bytes, from + std::size_t{index[k]} * bytes, bytes);
                 k = 0;
                 from += lines.length * bytes;
               }
             });
}

/// To lines `first` to `last` the values whose indices are at least `least` and below `end`.
template <std::size_t Bytes, class Index>
void scatter(std::byte* out, const axis_lines& lines, std::size_t first, std::size_t last, std::size_t least,
             std::size_t end, std::size_t block_bytes, const Index* index, std::size_t count,
             const std::byte* values) {
  const std::size_t bytes = Bytes == 0 ? block_bytes : Bytes;
  for (std::size_t outer = first; outer < last; ++outer) {
    std::byte* const to = out + outer * lines.length * bytes;
    const std::byte* const from = values + outer * count * bytes;
    const auto put = [=](std::size_t k) {
      std::memcpy(to + std::size_t{index[k]} * bytes, from + k * bytes, bytes);
    };
    if (end - least == lines.length) {
      for (std::size_t k = 0; k < count; ++k) put(k);
      continue;
    }
    // Which of a block of indices are meant is found first, without a branch that no processor foresees.
    constexpr std::size_t block = impl::threshold.gather_block;
    static_assert(block - 1 <= std::numeric_limits<std::uint16_t>::max());
    std::array<std::uint16_t, block> meant;
    for (std::size_t begin = 0; begin < count; begin += block) {
      std::size_t found = 0;
      for (std::size_t k = 0; k < std::min(block, count - begin); ++k) {
        meant[found] = static_cast<std::uint16_t>(k);
        found += std::size_t{index[begin + k]} - least < end - least ? 1 : 0;
      }
      for (std::size_t i = 0; i < found; ++i) put(begin + meant[i]);
    }
  }
}

}  // namespace

std::size_t first_index_outside(const impl::index_list& indices, std::uint64_t limit, int threads) {
  std::atomic<std::size_t> first_outside{indices.count};
  const any_outside_kernel any_outside = HEDDLE_FASTEST(any_outside);
  impl::with_unsigned_of_bytes(size_of(indices.type), [&]<class Index>(Index) {
    const Index* const index = static_cast<const Index*>(indices.data);
    for_slices(threads, indices.count, gather_grain, [&](std::size_t first, std::size_t last) {
      constexpr std::size_t block = impl::threshold.gather_block;
      for (std::size_t begin = first; begin < last && begin < first_outside; begin += block) {
        const std::size_t end = std::min(begin + block, last);
        if (!any_outside(index + begin, sizeof(Index), end - begin, limit)) continue;
        std::size_t i = begin;
        while (index[i] < limit) ++i;
        std::size_t known = first_outside;
        while (i < known && !first_outside.compare_exchange_weak(known, i)) {
        }
        break;
      }
    });
  });
  return first_outside;
}

void gather(const void* x, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
            void* out, int threads) {
  impl::with_unsigned_of_bytes(size_of(indices.type), [&]<class Index>(Index) {
    with_block_bytes(block_bytes, [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
      gather<Bytes>(threads, static_cast<const std::byte*>(x), lines, block_bytes,
                    static_cast<const Index*>(indices.data), indices.count, static_cast<std::byte*>(out));
    });
  });
}

void scatter(void* out, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
             const void* values, int threads) {
  // Each thread has lines, or a part of every line, of its own, so that the order of equal indices is kept.
  const bool share_lines = lines.outer >= static_cast<std::size_t>(threads);
  const std::size_t written = lines.outer * indices.count * block_bytes;
  const std::size_t parts =
      share_lines ? lines.outer
                  : std::clamp<std::size_t>(written / gather_grain, 1, static_cast<std::size_t>(threads));
  const std::size_t grain = share_lines ? gather_grain / (indices.count * block_bytes) + 1 : 1;
  impl::with_unsigned_of_bytes(size_of(indices.type), [&]<class Index>(Index) {
    with_block_bytes(block_bytes, [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
      const auto write = [&](std::size_t first, std::size_t last, std::size_t least, std::size_t end) {
        scatter<Bytes>(static_cast<std::byte*>(out), lines, first, last, least, end, block_bytes,
                       static_cast<const Index*>(indices.data), indices.count,
                       static_cast<const std::byte*>(values));
      };
      for_slices(threads, parts, grain, [&](std::size_t first, std::size_t last) {
        if (share_lines) return write(first, last, 0, lines.length);
        write(0, lines.outer, impl::part_begin(lines.length, parts, first),
              impl::part_begin(lines.length, parts, last));
      });
    });
  });
}

}  // namespace heddle::cpu
