#pragma once

#include <heddle/any_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace heddle {

/// `reduce` of elements that arrive in pieces, such as a file that is larger than memory. The value has the
/// bits that `reduce` of all elements together has. Memory for one element a tile; on a GPU also for a piece.
///
///     hd::streamed_reduce total(where, hd::runtime_op::plus, hd::dtype::float32);
///     for (const auto& piece : pieces) total.append(piece);  // all but the last: multiples of total.unit()
///     float sum = total.result().as<float>();
///
/// With several columns it reduces rows that arrive in pieces along the slowest axis: to a result for each
/// column.
class streamed_reduce {
 public:
  /// By a built-in operator on elements of a built-in type, on a target that is not `auto`. `init` is
  /// combined with the results from the left. Results have the type of the elements, or sums are in
  /// `results`: float64, or complex128 for complex elements. Throws heddle::error for other targets and types
  /// of results, and when the type does not define the operator.
  streamed_reduce(const target& where, runtime_op op, dtype type, const std::optional<any_value>& init = {},
                  std::size_t columns = 1, const std::optional<dtype>& results = {});

  /// Every piece but the last holds a multiple of this many rows; `append` throws heddle::error otherwise.
  std::size_t unit() const noexcept { return unit_; }

  /// Takes the next `count` rows, of an element for each column, which are on the CPU and aligned. Waits
  /// until they have been read.
  void append(const void* elements, std::size_t count);
  /// The same of a view; throws heddle::error for elements of another type and on a GPU, and unless they are
  /// whole rows.
  void append(const any_const_view& elements);

  /// The number of rows so far.
  std::size_t size() const noexcept { return size_; }

  /// The reduction of all rows so far. Throws heddle::error when there are none and no `init`, and for the
  /// value of several columns.
  any_value result();
  /// The same, an element for each column.
  void result(void* out);

 private:
  void reduce_tiles(const void* x, std::size_t rows, void* out) const;

  target where_;
  runtime_op op_;
  dtype type_, result_type_;
  std::optional<any_value> init_;
  std::size_t columns_, element_bytes_, unit_;  ///< bytes of an element of the results
  std::size_t size_ = 0;
  std::vector<std::byte> partials_;
  memory staged_;
};

}  // namespace heddle
