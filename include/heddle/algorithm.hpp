#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle {

/// How `reduce` goes about it: the default, or a rung of the ladder that leads up to it
/// (docs/reference/textbook.md).
enum class reduce_algorithm : std::uint8_t {
  single_pass,   ///< the default: fixed tiles, and the same bits on every target
  atomic,        ///< every element is combined into one result by an atomic; in any order
  block_serial,  ///< one thread folds the elements of each block; again on the results
  interleaved,   ///< a tree in each block whose threads are picked by a modulo test; again on the results
  tree,          ///< a halving tree in each block, then an atomic
  two_pass,      ///< a halving tree in each block, then one block folds the results
  shuffle,       ///< trees that exchange registers within a warp; again on the results
};
inline constexpr reduce_algorithm reduce_algorithms[] = {
    reduce_algorithm::single_pass, reduce_algorithm::atomic, reduce_algorithm::block_serial,
    reduce_algorithm::interleaved, reduce_algorithm::tree,   reduce_algorithm::two_pass,
    reduce_algorithm::shuffle};

/// How the scans go about it.
enum class scan_algorithm : std::uint8_t {
  single_pass,    ///< the default
  hillis_steele,  ///< each step combines with what stands 1, 2, 4, … before; n log n combinations
  blelloch,       ///< up and down a tree; 2n combinations
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

/// What a rung does for n elements; the same on every target.
struct algorithm_cost {
  std::size_t operations = 0;  ///< combinations of two elements, those with padding included
  std::size_t steps = 0;       ///< the longest chain of combinations that wait for one another (the span)
  std::size_t launches = 0;    ///< kernels on a GPU, loops over all threads on a CPU
  std::size_t bytes = 0;       ///< elements read from and written to memory that all blocks see, in bytes

  friend bool operator==(const algorithm_cost&, const algorithm_cost&) = default;
};

/// The cost of a flat reduce without initial value. An atomic counts as one element read and one written;
/// attempts that lose against another thread and bringing the result to the caller are not counted. Throws
/// heddle::error for single_pass: it is no rung but is tuned to each target, and costs something else on each
/// (docs/reference/reduce.md, docs/reference/scan.md).
algorithm_cost cost_of(reduce_algorithm algorithm, std::size_t n, std::size_t element_bytes,
                       bool commutative = true);

/// The cost of a flat inclusive scan without initial value.
algorithm_cost cost_of(scan_algorithm algorithm, std::size_t n, std::size_t element_bytes);

namespace impl {

/// Counts a kernel, or a loop over all threads, that the calling thread starts for a rung.
void count_launch() noexcept;
/// How many the calling thread has started.
std::uint64_t launches() noexcept;

/// Throws: a rung that combines in any order, and an operator that does not commute.
[[noreturn]] void fail_not_commutative(reduce_algorithm algorithm);
/// Throws: a rung that pads, and an operator without identity.
[[noreturn]] void fail_no_padding(reduce_algorithm algorithm);
[[noreturn]] void fail_no_padding(scan_algorithm algorithm);

}  // namespace impl
}  // namespace heddle
