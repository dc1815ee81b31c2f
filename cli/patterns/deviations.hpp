#pragma once

#include "cli/files/npy_input.hpp"
#include <heddle/array.hpp>
#include <heddle/shape.hpp>

#include <cstddef>

namespace heddle::cli {

/// The squares of the distances of elements from the means of their segments, a block of them at a time.
class deviations {
 public:
  /// `means` of as many segments as x is reduced to, float64 or complex128.
  deviations(const npy_input& x, memory means);

  /// As many elements at a time stay in the cache until they are combined.
  std::size_t piece() const noexcept { return piece_; }

  /// Those of the elements of a block, whose means are number first + i·pitch + j for entry i of the axes
  /// before its axis and column j: float64, which last until the next call.
  const void* of(const void* elements, const axis_lines& block, std::size_t first, std::size_t pitch);

 private:
  dtype type_;
  int threads_;
  std::size_t piece_, mean_bytes_;
  memory means_, made_;
};

}  // namespace heddle::cli
