#include "cpu/instruction_set.hpp"
#include "patterns/random/cpu_kernels.hpp"
#include "patterns/random/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/impl/patterns/transform/cpu.hpp>
#include <heddle/random.hpp>
#include <heddle/sort.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>

namespace heddle {
namespace {

cpu::random_kernel kernel() {
#if defined(HEDDLE_X86_KERNELS)
  if (cpu::best_isa() == cpu::isa::avx512) return cpu::avx512_random;
  if (cpu::best_isa() == cpu::isa::avx2) return cpu::avx2_random;
#endif
  return cpu::baseline_random;
}

/// x as the type stores it.
double rounded(dtype type, double x) {
  return type == dtype::float32 ? static_cast<double>(static_cast<float>(x)) : x;
}

}  // namespace

namespace impl {

random_numbers uniform_numbers(dtype type, random::stream from, double low, double high) {
  const double given_low = low, given_high = high;
  low = rounded(type, low);
  high = rounded(type, high);
  if (!std::isfinite(low) || !std::isfinite(high))
    fail(fmt::format("random: no uniform {} lie from {} to {}: the type does not hold both bounds",
                     name(type), given_low, given_high));
  if (!(low <= high))
    fail(fmt::format("random: no uniform {} lie from {} to {}: low must not be above high", name(type),
                     given_low, given_high));
  if (!std::isfinite(rounded(type, high - low)))
    fail(
        fmt::format("random: uniform {} from {} to {}: the type does not hold high - low: halve both bounds, "
                    "and double the numbers",
                    name(type), given_low, given_high));
  return {random::distribution::uniform, type, from, low, high};
}

random_numbers normal_numbers(dtype type, random::stream from, double mean, double deviation) {
  if (!std::isfinite(rounded(type, mean)) || !std::isfinite(rounded(type, deviation)) || deviation < 0)
    fail(fmt::format("random: no normal {} have mean {} and standard deviation {}", name(type), mean,
                     deviation));
  return {random::distribution::normal, type, from, mean, deviation};
}

random_numbers exponential_numbers(dtype type, random::stream from, double mean) {
  if (!std::isfinite(rounded(type, mean)) || mean < 0)
    fail(fmt::format("random: no exponential {} have mean {}", name(type), mean));
  return {random::distribution::exponential, type, from, mean};
}

random_numbers bits_numbers(dtype type, random::stream from) {
  return {random::distribution::bits, type, from};
}

random_numbers integer_numbers(dtype type, random::stream from, std::uint64_t low, std::uint64_t last) {
  random_numbers numbers{random::distribution::integers, type, from};
  numbers.low = low;
  numbers.below = random::integer_range(last - low + 1);
  return numbers;
}

void fail_no_integers(std::uint64_t low, std::uint64_t high, bool is_signed) {
  const auto text = [is_signed](std::uint64_t bound) {
    return is_signed ? std::to_string(static_cast<std::int64_t>(bound)) : std::to_string(bound);
  };
  fail(fmt::format("random: there are no integers from {} to below {}: low must be less than high", text(low),
                   text(high)));
}

void library_permutation(random::stream from, std::size_t n, std::size_t* indices, const target& where) {
  const memory keys(n * sizeof(std::uint64_t), where);
  library_random({random::distribution::permutation, dtype::uint64, from}, n, keys.data(), where);
  library_argsort(dtype::uint64, keys.data(), {1, n, 1}, sort_order::ascending, indices, where);
}

void library_random(const random_numbers& numbers, std::size_t count, void* out, const target& where) {
  std::uint64_t end = 0;
  if (__builtin_add_overflow(numbers.from.offset, count, &end))
    fail(fmt::format("offset {} leaves fewer elements below 2^64", numbers.from.offset));
  if (count == 0) return;
  if (where.is_gpu()) return gpu::random(numbers, count, out, where);
  const std::size_t bytes = size_of(numbers.type), chunk = cpu::random_chunk;
  const bool non_temporal = count > cpu::stream_from_bytes / bytes;
  constexpr std::size_t chunks_worth_a_thread = threshold.random_grain;
  cpu::for_slices(where.threads(), (count + chunk - 1) / chunk, chunks_worth_a_thread,
                  [&](std::size_t first, std::size_t last) {
                    const std::size_t begin = first * chunk, end_of_slice = std::min(last * chunk, count);
                    kernel()(numbers, numbers.from.offset + begin, end_of_slice - begin, non_temporal,
                             static_cast<std::byte*>(out) + begin * bytes);
                  });
}

}  // namespace impl

namespace random {

sequence sequence::uniform(dtype type, stream from, double low, double high) {
  return sequence(heddle::impl::uniform_numbers(type, from, low, high));
}
sequence sequence::normal(dtype type, stream from, double mean, double deviation) {
  return sequence(heddle::impl::normal_numbers(type, from, mean, deviation));
}
sequence sequence::exponential(dtype type, stream from, double mean) {
  return sequence(heddle::impl::exponential_numbers(type, from, mean));
}
sequence sequence::integers(dtype type, stream from, std::uint64_t low, std::uint64_t last) {
  return sequence(heddle::impl::integer_numbers(type, from, low, last));
}

void sequence::fill(const target& where, std::size_t first, std::size_t count, void* out) const {
  heddle::impl::random_numbers piece = numbers_;
  if (__builtin_add_overflow(piece.from.offset, first, &piece.from.offset))
    fail(fmt::format("offset {} leaves fewer elements below 2^64", numbers_.from.offset));
  heddle::impl::library_random(piece, count, out, where);
}

}  // namespace random
}  // namespace heddle
