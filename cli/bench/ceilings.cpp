#include "ceilings.hpp"

#include "gpu.hpp"
#include <heddle/array.hpp>
#include <heddle/machine.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace heddle::cli::bench {
namespace {

// Slices of fewer bytes are not worth a second thread.
constexpr std::size_t grain_bytes = std::size_t{1} << 16;

using words = const std::uint64_t*;

/// All words or'ed together.
[[gnu::always_inline]] inline std::uint64_t read_words(words x, std::size_t count) {
  constexpr std::size_t lanes = 64;
  std::uint64_t seen[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) seen[k] |= x[i + k];
  }
  std::uint64_t all = 0;
  for (; i < count; ++i) all |= x[i];
  for (const std::uint64_t word : seen) all |= word;
  return all;
}

std::uint64_t read_anywhere(words x, std::size_t count) {
  return read_words(x, count);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t read_avx2(words x, std::size_t count) {
  return read_words(x, count);
}
#if defined(__clang__)
[[gnu::target("avx512f")]]
#else
[[gnu::target("avx512f,prefer-vector-width=512")]]
#endif
std::uint64_t read_avx512(words x, std::size_t count) {
  return read_words(x, count);
}
#endif

auto widest_read() {
#if defined(__x86_64__)
  const std::string_view set = cpu_instruction_set();
  if (set == "avx512") return read_avx512;
  if (set == "avx2") return read_avx2;
#endif
  return read_anywhere;
}

constexpr std::size_t line = 64, page = 4096, four_pages = 4 * page;

/// Copies whole lines by non-temporal stores, from four pages alternately: one page does not saturate the
/// bandwidth of a core.
void copy_non_temporal([[maybe_unused]] const std::byte* from, [[maybe_unused]] std::byte* to,
                       [[maybe_unused]] std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t piece = 512;
  std::size_t i = 0;
  for (; i + four_pages <= bytes; i += four_pages) {
    for (std::size_t within = 0; within < page; within += piece) {
      for (std::size_t at = i + within; at < i + four_pages; at += page) {
        cpu::copy_lines_non_temporal(from + at, to + at, piece);
      }
    }
  }
  cpu::copy_lines_non_temporal(from + i, to + i, bytes - i);
  cpu::store_fence();
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace

contender read_ceiling(const workload& work) {
  contender made{"read", contender::kind::ceiling, work.input_bytes(), nullptr};
  if (work.where.is_gpu()) {
    made.calls = repeated([work](std::size_t call) {
      read_on_gpu(work.elements->input(call), work.input_bytes(), work.elements->result(), work.where);
    });
    return made;
  }
  // Buffers are whole words long.
  const std::size_t count = (work.input_bytes() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  made.calls = repeated([work, count, read = widest_read()](std::size_t call) {
    const auto x = static_cast<words>(work.elements->input(call));
    cpu::for_slices(work.where.threads(), count, grain_bytes / sizeof(std::uint64_t),
                    [&](std::size_t first, std::size_t last) {
                      const std::uint64_t seen = read(x + first, last - first);
                      asm volatile("" : : "r"(seen));
                    });
  });
  return made;
}

contender copy_ceiling(const workload& work) {
  contender made{"copy", contender::kind::ceiling, 2 * work.input_bytes(), nullptr};
  if (work.where.is_gpu()) {
    made.calls = repeated([work](std::size_t call) {
      copy(work.elements->output(call), work.where, work.elements->input(call), work.where,
           work.input_bytes());
    });
    return made;
  }
  // Elements in the cache are copied faster there, and a few are copied before non-temporal stores complete.
  const bool non_temporal = work.elements->exceed_cache() && work.input_bytes() >= four_pages;
  made.calls = repeated([work, non_temporal](std::size_t call) {
    const auto* const from = static_cast<const std::byte*>(work.elements->input(call));
    auto* const to = static_cast<std::byte*>(work.elements->output(call));
    // Buffers are whole lines long.
    const std::size_t lines = (work.input_bytes() + line - 1) / line;
    cpu::for_slices(work.where.threads(), lines, grain_bytes / line,
                    [&](std::size_t first_line, std::size_t last_line) {
                      const std::size_t first = first_line * line;
                      if (non_temporal) {
                        copy_non_temporal(from + first, to + first, last_line * line - first);
                      } else {
                        const std::size_t last = std::min(last_line * line, work.input_bytes());
                        std::memcpy(to + first, from + first, last - first);
                      }
                    });
  });
  return made;
}

}  // namespace heddle::cli::bench
