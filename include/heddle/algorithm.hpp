#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle {

/// The methods of `reduce`: the default, and textbook methods (docs/reference/textbook.md), which
/// <heddle/textbook.hpp> runs.
enum class reduce_algorithm : std::uint8_t {
  single_pass,   ///< the default: fixed tiles, and the same bits on every target
  atomic,        ///< atomics combine the elements into one result; in any order
  block_serial,  ///< one thread reduces each block; then the same for the results
  interleaved,   ///< a tree in each block, threads picked by a modulo test; then the same for the results
  tree,          ///< a halving tree in each block, then an atomic
  two_pass,      ///< a halving tree in each block, then one block reduces the results
  shuffle,       ///< trees of warp shuffles; then the same for the results
};
inline constexpr reduce_algorithm reduce_algorithms[] = {
    reduce_algorithm::single_pass, reduce_algorithm::atomic, reduce_algorithm::block_serial,
    reduce_algorithm::interleaved, reduce_algorithm::tree,   reduce_algorithm::two_pass,
    reduce_algorithm::shuffle};

/// The methods of the scans.
enum class scan_algorithm : std::uint8_t {
  single_pass,    ///< the default
  hillis_steele,  ///< step k combines each element with the one 2^k before it; n log n combinations
  blelloch,       ///< up-sweep and down-sweep of a tree; 2n combinations
};
inline constexpr scan_algorithm scan_algorithms[] = {scan_algorithm::single_pass,
                                                     scan_algorithm::hillis_steele, scan_algorithm::blelloch};

/// "single-pass", "atomic", "block-serial", "interleaved", "tree", "two-pass", "shuffle".
const char* name(reduce_algorithm algorithm) noexcept;
/// "single-pass", "hillis-steele", "blelloch".
const char* name(scan_algorithm algorithm) noexcept;

/// The algorithm with that name; throws heddle::error listing the names when there is none.
reduce_algorithm parse_reduce_algorithm(std::string_view name);
scan_algorithm parse_scan_algorithm(std::string_view name);

/// The cost of a textbook method for n elements; the same on every target.
struct algorithm_cost {
  std::size_t operations = 0;  ///< combinations of two elements, including those with padding
  std::size_t steps = 0;       ///< the span: the longest chain of combinations that depend on one another
  std::size_t launches = 0;    ///< kernels on a GPU, loops over all threads on a CPU
  std::size_t bytes = 0;       ///< bytes read from and written to memory that all blocks share

  friend bool operator==(const algorithm_cost&, const algorithm_cost&) = default;
};

/// The cost of a flat reduce without initial value. An atomic counts as one element read and one written;
/// failed compare-and-swaps and the copy of the result to the caller do not count. Throws heddle::error for
/// single_pass, which is tuned to each target and has no one cost (docs/reference/reduce.md,
/// docs/reference/scan.md).
algorithm_cost cost_of(reduce_algorithm algorithm, std::size_t n, std::size_t element_bytes,
                       bool commutative = true);

/// The cost of a flat inclusive scan without initial value.
algorithm_cost cost_of(scan_algorithm algorithm, std::size_t n, std::size_t element_bytes);

}  // namespace heddle
