#include "monte_carlo/pi.hpp"

#include "monte_carlo/points.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/support/threads.hpp>

#include <atomic>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace heddle::monte_carlo {
namespace {

count_kernel kernel() {
#if defined(HEDDLE_X86_KERNELS)
  const std::string_view isa = cpu_instruction_set();
  if (isa == "avx512") return avx512_points;
  if (isa == "avx2") return avx2_points;
#endif
  return baseline_points;
}

/// Both points of whole blocks.
std::uint64_t in_blocks(const target& where, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  if (count == 0) return 0;
  if (where.is_gpu()) return gpu::points(where, seed, first, count);
  std::atomic<std::uint64_t> inside{0};
  constexpr std::uint64_t grain = 1 << 14;
  cpu::for_slices(where.threads(), count, grain, [&](std::size_t begin, std::size_t end) {
    inside += kernel()(seed, first + begin, end - begin);
  });
  return inside;
}

/// One point of a block.
std::uint64_t one(std::uint64_t seed, std::uint64_t sample) {
  const philox_block block = block_of_points(seed, sample / 2);
  const int half = sample % 2 == 0 ? 0 : 2;
  return is_in_disc(block.word[half], block.word[half + 1]) ? 1 : 0;
}

void check_numbers(std::uint64_t first, std::uint64_t count) {
  if (count > std::numeric_limits<std::uint64_t>::max() - first) {
    fail(fmt::format("pi: there are no {} samples from number {} on in 64 bits", count, first));
  }
}

}  // namespace

std::uint64_t points_in_disc(const target& where, std::uint64_t seed, std::uint64_t first,
                             std::uint64_t count) {
  check_numbers(first, count);
  if (count == 0) return 0;
  std::uint64_t inside = 0;
  if (first % 2 != 0) {
    inside += one(seed, first++);
    --count;
  }
  if (count % 2 != 0) inside += one(seed, first + --count);
  return inside + in_blocks(where, seed, first / 2, count / 2);
}

std::uint64_t points_in_disc(const ranks& all, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  check_numbers(first, count);
  const std::vector<std::size_t> begins = even_rows(count, all.size());
  const auto me = static_cast<std::size_t>(all.rank());
  std::uint64_t inside = 0;
  for (const std::uint64_t of_rank :
       all.all_gather(points_in_disc(all.where(), seed, first + begins[me], begins[me + 1] - begins[me])))
    inside += of_rank;
  return inside;
}

pi_estimate estimate_of_pi(std::uint64_t inside, std::uint64_t samples) {
  const double n = static_cast<double>(samples), share = static_cast<double>(inside) / n;
  return {4 * share, 4 * std::sqrt(share * (1 - share) / n)};
}

}  // namespace heddle::monte_carlo
