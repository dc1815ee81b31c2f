#pragma once

#include <heddle/any_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/memory.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <vector>

namespace heddle {

/// A reduction of elements that arrive in pieces, such as a file that is larger than memory. The value has
/// the bits that `reduce` of all elements together has. Memory for one element a tile; on a GPU also for a
/// piece.
///
///     hd::streamed_reduction total(where, hd::runtime_op::plus, hd::dtype::float32);
///     for (const auto& piece : pieces) total.append(piece);  // all but the last: multiples of total.tile()
///     float sum = total.result().as<float>();
class streamed_reduction {
 public:
  /// By a built-in operator on elements of a built-in type, on a target that is not `auto`; throws
  /// heddle::error when the type does not define the operator.
  streamed_reduction(const target& where, runtime_op op, dtype type);

  /// Every piece but the last holds a multiple of this many elements; `append` throws heddle::error
  /// otherwise.
  std::size_t tile() const noexcept { return tile_; }

  /// Takes the next `count` elements, which are on the CPU and aligned. Waits until they have been read.
  void append(const void* elements, std::size_t count);
  /// The same of a view on the CPU; throws heddle::error for elements of another type and on a GPU.
  void append(const any_const_view& elements);

  std::size_t size() const noexcept { return size_; }

  /// The reduction of all elements so far; throws heddle::error when there are none.
  any_value result();
  void result(void* out);

 private:
  target where_;
  runtime_op op_;
  dtype type_;
  std::size_t element_bytes_, tile_;
  std::size_t size_ = 0;
  std::vector<std::byte> partials_;
  memory staged_;
};

}  // namespace heddle
