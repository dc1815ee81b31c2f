// An exclusive scan is an inclusive one shifted right with the identity first; either gives the other.
// Change the operator. An exclusive scan by maximum needs a first value: without one the error says so.
// The exclusive scan of lengths gives the offsets of pieces that are concatenated.
#include "on_each_target.hpp"
#include <heddle/scan.hpp>

#include <algorithm>

namespace hd = heddle;
using examples::expect;

void show(const hd::target& where) {
  const std::size_t n = 50'021;
  std::vector<int> lengths(n), heights(n);
  for (std::size_t i = 0; i < n; ++i) {
    lengths[i] = static_cast<int>(i % 7);
    heights[i] = static_cast<int>(i * 7919 % 10'007);
  }
  const std::vector<int> ends = hd::inclusive_scan(where, lengths).to_vector();
  const std::vector<int> begins = hd::exclusive_scan(where, lengths).to_vector();
  const std::vector<int> steps = hd::adjacent_difference(where, ends).to_vector();
  const std::vector<int> highest = hd::inclusive_scan(where, heights, hd::maximum{}).to_vector();
  int total = 0, peak = 0;
  for (std::size_t i = 0; i < n; ++i) {
    expect(begins[i] == total, "a piece begins where those before it end");
    total += lengths[i];
    peak = std::max(peak, heights[i]);
    expect(ends[i] == total && highest[i] == peak, "the running total and the highest so far");
    expect(begins[i] + lengths[i] == ends[i], "inclusive from exclusive");
    expect(steps[i] == lengths[i], "the differences of running totals are what was summed");
    if (i > 0) expect(begins[i] == ends[i - 1], "exclusive is inclusive shifted right");
  }
  std::printf("  %zu pieces: the last begins at %d and ends at %d\n", n, begins.back(), ends.back());
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
