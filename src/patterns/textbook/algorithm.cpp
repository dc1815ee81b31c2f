#include <heddle/algorithm.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/patterns/textbook/front.hpp>

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

#include <fmt/core.h>

namespace heddle {
namespace {

using textbook::blocks_of;

template <class Algorithm, std::size_t N>
Algorithm parse(const char* pattern, const Algorithm (&all)[N], std::string_view text) {
  std::string names;
  for (const Algorithm algorithm : all) {
    if (text == name(algorithm)) return algorithm;
    names += (names.empty() ? "" : ", ") + std::string(name(algorithm));
  }
  fail(fmt::format("'{}' is no algorithm of {} ({} are)", text, pattern, names));
}

/// The least k with 2^k ≥ n: the levels of a tree over n ≥ 1 elements.
std::size_t levels_of(std::size_t n) {
  return static_cast<std::size_t>(std::bit_width(n - 1));
}

/// The cost of reducing blocks, then their results, until one is left. Each element but the first is combined
/// once. `steps_in(k)` is the span of a block of k elements. Bytes are counted in elements.
template <class StepsIn>
algorithm_cost repeated(std::size_t n, std::size_t block, const StepsIn& steps_in) {
  algorithm_cost cost{n - 1, 0, 0, 0};
  for (bool again = true; again; ++cost.launches) {
    const std::size_t blocks = blocks_of(n, block);
    cost.steps += steps_in(std::min(n, block));
    cost.bytes += n + blocks;
    again = n > block;
    n = blocks;
  }
  return cost;
}

[[noreturn]] void fail_unknown_algorithm(const char* pattern) {
  fail(fmt::format(
      "cost_of: single-pass is tuned to each target and has no one cost: docs/reference/{}.md says "
      "what it does; ask for the cost of another algorithm",
      pattern));
}

algorithm_cost cost_in_elements(reduce_algorithm algorithm, std::size_t n, std::size_t element_bytes,
                                bool commutative) {
  const std::size_t block = textbook::block_of(element_bytes), blocks = blocks_of(n, block);
  switch (algorithm) {
    case reduce_algorithm::single_pass:
      fail_unknown_algorithm("reduce");
    case reduce_algorithm::atomic:
      return {n - 1, n - 1, n > 1 ? std::size_t{2} : 1, 3 * n - 1};
    case reduce_algorithm::block_serial:
      return repeated(n, block, [](std::size_t k) { return k - 1; });
    case reduce_algorithm::interleaved:
      return repeated(n, block, levels_of);
    case reduce_algorithm::tree:
      if (!commutative) return repeated(n, block, levels_of);
      return {n - 1, levels_of(std::min(n, block)) + blocks - 1, blocks > 1 ? std::size_t{2} : 1,
              n + 2 * blocks - 1};
    case reduce_algorithm::two_pass: {
      const std::size_t padded = std::bit_ceil(blocks), threads = std::min(padded, block);
      return {blocks * (block - 1) + padded - 1, levels_of(block) + padded / threads - 1 + levels_of(threads),
              2, n + 2 * blocks + 1};
    }
    case reduce_algorithm::shuffle:
      break;
  }
  return repeated(n, textbook::shuffle_block_of(element_bytes), levels_of);
}

algorithm_cost cost_in_elements(scan_algorithm algorithm, std::size_t n, std::size_t element_bytes) {
  const std::size_t levels = levels_of(n), padded = std::bit_ceil(n);
  switch (algorithm) {
    case scan_algorithm::single_pass:
      fail_unknown_algorithm("scan");
    case scan_algorithm::hillis_steele: {
      const std::size_t operations = n * levels - (padded - 1);
      if (n <= textbook::scan_block_of(element_bytes)) return {operations, levels, 1, 2 * n};
      return {operations, levels, levels, operations + 2 * n * levels};
    }
    case scan_algorithm::blelloch:
      break;
  }
  return {2 * (padded - 1), n > 1 ? 2 * levels - 1 : 0, 2 * levels + 3, 3 * n + 8 * padded - 4};
}

thread_local std::uint64_t launches_of_thread = 0;

}  // namespace

const char* name(reduce_algorithm algorithm) noexcept {
  constexpr const char* names[] = {"single-pass", "atomic",   "block-serial", "interleaved",
                                   "tree",        "two-pass", "shuffle"};
  static_assert(std::size(names) == std::size(reduce_algorithms));
  return names[static_cast<int>(algorithm)];
}

const char* name(scan_algorithm algorithm) noexcept {
  constexpr const char* names[] = {"single-pass", "hillis-steele", "blelloch"};
  static_assert(std::size(names) == std::size(scan_algorithms));
  return names[static_cast<int>(algorithm)];
}

reduce_algorithm parse_reduce_algorithm(std::string_view text) {
  return parse("reduce", reduce_algorithms, text);
}

scan_algorithm parse_scan_algorithm(std::string_view text) {
  return parse("scan", scan_algorithms, text);
}

algorithm_cost cost_of(reduce_algorithm algorithm, std::size_t n, std::size_t element_bytes,
                       bool commutative) {
  if (n == 0 && algorithm != reduce_algorithm::single_pass) return {};
  algorithm_cost cost = cost_in_elements(algorithm, n, element_bytes, commutative);
  cost.bytes *= element_bytes;
  return cost;
}

algorithm_cost cost_of(scan_algorithm algorithm, std::size_t n, std::size_t element_bytes) {
  if (n == 0 && algorithm != scan_algorithm::single_pass) return {};
  algorithm_cost cost = cost_in_elements(algorithm, n, element_bytes);
  cost.bytes *= element_bytes;
  return cost;
}

namespace impl {

void count_launch() noexcept {
  ++launches_of_thread;
}

std::uint64_t launches() noexcept {
  return launches_of_thread;
}

void fail_not_commutative(reduce_algorithm algorithm) {
  fail(
      fmt::format("{} combines in any order, and the operator does not commute: block-serial, interleaved, "
                  "tree, two-pass, shuffle and single-pass keep the order of the operands",
                  name(algorithm)));
}

void fail_no_padding(reduce_algorithm algorithm) {
  fail(
      fmt::format("{} pads with the operator's identity, and this one has none: give "
                  "hd::monoid{{function, identity}}, or take another algorithm, none of which pads",
                  name(algorithm)));
}

void fail_no_padding(scan_algorithm algorithm) {
  fail(
      fmt::format("{} pads with the operator's identity, and this one has none: give "
                  "hd::monoid{{function, identity}}, or take hillis-steele or single-pass, which do not pad",
                  name(algorithm)));
}

}  // namespace impl
}  // namespace heddle
