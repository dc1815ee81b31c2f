#include "buffers.hpp"

#include "cli/files/interruption.hpp"
#include "gpu.hpp"
#include "sizes.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/number_text.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <bit>
#include <fstream>
#include <set>
#include <string>

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

namespace heddle::cli::bench {
namespace {

// As arrays are aligned.
constexpr std::size_t alignment = 256;
// Values repeat after so many bytes, which no cache line or page notices.
constexpr std::size_t period = std::size_t{1} << 24;

/// The first word of a file; empty when there is none.
std::string first_word(const std::string& path) {
  std::ifstream in(path);
  std::string word;
  in >> word;
  return word;
}

/// Each cache at the last level counts once, whichever of its cores the process may run on.
std::size_t cpu_cache_bytes() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::set<std::string> seen;
  std::size_t bytes = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    std::string last, shared_by;
    for (int index = 0;; ++index) {
      const std::string cache = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}/", core, index);
      const std::string size = first_word(cache + "size");
      if (size.empty()) break;
      last = size;
      shared_by = first_word(cache + "shared_cpu_list");
    }
    if (last.empty() || !seen.insert(shared_by).second) continue;
    const std::size_t unit = last.back() == 'K'   ? std::size_t{1} << 10
                             : last.back() == 'M' ? std::size_t{1} << 20
                                                  : 1;
    bytes += std::stoull(last) * unit;
  }
  constexpr std::size_t guess = std::size_t{64} << 20;
  return bytes == 0 ? guess : bytes;
}

std::size_t available_bytes(const target& where) {
  if (where.is_gpu()) return gpus()[static_cast<std::size_t>(where.device())].free_bytes;
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  std::size_t kib = 0;
  std::size_t available =
      static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  while (in >> key >> kib >> unit) {
    if (key == "MemAvailable:") available = kib << 10;
  }
  return std::min(available, tightest_memory_limit(available).free);
}

/// From one buffer of n elements to the next.
std::size_t stride_of(std::size_t n, dtype type) noexcept {
  return (n * size_of(type) + alignment - 1) / alignment * alignment;
}

}  // namespace

void require_memory(const target& where, dtype type, std::size_t n, bool has_output,
                    const std::string& algorithm, std::size_t scratch_bytes) {
  operation running("bench", n, name(type));
  running.runs_on(where);
  const std::size_t of_buffers = stride_of(n, type) * (has_output ? 2 : 1);
  const std::size_t needed = of_buffers + scratch_bytes, available = available_bytes(where);
  if (needed <= available) return;
  fail(fmt::format("needs {} of memory with {}, {} are free; take a smaller --size{}",
                   bytes_text(static_cast<double>(needed)), algorithm,
                   bytes_text(static_cast<double>(available)),
                   of_buffers <= available ? " or leave that --algorithm out" : ""));
}

buffers::buffers(const target& where, dtype type, bool has_output, const std::vector<std::size_t>& sizes,
                 rotation how)
    : where_(where),
      type_(type),
      has_output_(has_output),
      how_(how),
      cache_(where.is_gpu() ? gpu_cache_bytes(where) : cpu_cache_bytes()),
      available_(available_bytes(where)) {
  std::size_t bytes = 0;
  for (const std::size_t n : sizes) bytes = std::max(bytes, stride_of(n, type) * count_for(n));
  inputs_ = memory(bytes, where);
  fill_inputs();
  outputs_ = memory(has_output ? bytes : 0, where);
  result_ = memory(alignment, where);
  clear_outputs();
  where.wait();
}

std::size_t buffers::count_for(std::size_t n) const noexcept {
  if (how_ == rotation::none) return 1;
  const std::size_t each = stride_of(n, type_) * (has_output_ ? 2 : 1);
  const std::size_t wanted = std::bit_ceil((4 * cache_ + each - 1) / each);
  const std::size_t possible = std::bit_floor(std::max<std::size_t>(available_ / 4 / each, 1));
  return std::min(wanted, possible);
}

void buffers::set_size(std::size_t n) {
  stride_ = stride_of(n, type_);
  mask_ = count_for(n) - 1;
}

void buffers::fill_inputs() {
  const std::size_t bytes = inputs_.bytes(), piece = std::min(bytes, period);
  auto* const all = static_cast<std::byte*>(inputs_.data());
  memory values(piece, target());
  with_type(type_, [&]<class T>(T) {
    T* const x = static_cast<T*>(values.data());
    for (std::size_t i = 0; i < piece / sizeof(T); ++i) {
      x[i] = static_cast<T>(static_cast<float>(i * 2654435761u % 4294967296u / 128 % 97) / 7);
    }
  });
  if (where_.is_gpu()) {
    for (std::size_t first = 0; first < bytes; first += piece) {
      copy(all + first, where_, values.data(), target(), std::min(piece, bytes - first));
    }
    return;
  }
  // By the threads that will read it, so that each node of the machine has its part.
  cpu::for_slices(where_.threads(), bytes, piece, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last;) {
      stop_if_interrupted();
      const std::size_t within = i % piece, count = std::min(piece - within, last - i);
      copy(all + i, target(), static_cast<std::byte*>(values.data()) + within, target(), count);
      i += count;
    }
  });
}

void buffers::clear_outputs() {
  const char zero = 0;
  if (where_.is_gpu()) return fill(outputs_.data(), where_, outputs_.bytes(), &zero, 1);
  cpu::for_slices(where_.threads(), outputs_.bytes(), period, [&](std::size_t first, std::size_t last) {
    fill(static_cast<std::byte*>(outputs_.data()) + first, target(), last - first, &zero, 1);
  });
}

}  // namespace heddle::cli::bench
