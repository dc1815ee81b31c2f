#pragma once

#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <vector>

namespace heddle::impl {

/// A reduction of more elements than fit in memory, or than are there at once: they are given a piece at a
/// time, and the value has the bits that `reduce` of all of them together would have. Keeps one element of
/// each tile.
class streamed_reduction {
 public:
  /// By a built-in operator on elements of a built-in type, on a target that is not `auto`; throws
  /// heddle::error when the type does not define it.
  streamed_reduction(const target& where, function op, dtype type);

  /// Every piece but the last must hold a multiple of this many elements.
  std::size_t tile() const noexcept { return tile_; }

  /// Takes the next `count` elements, which are on the CPU and aligned.
  void append(const void* elements, std::size_t count);

  std::size_t size() const noexcept { return size_; }

  /// Writes what all the elements so far combine to; throws heddle::error when there are none.
  void result(void* out);

 private:
  target where_;
  function op_;
  dtype type_;
  std::size_t element_bytes_, tile_;
  std::size_t size_ = 0;
  std::vector<std::byte> partials_;
  memory staged_;
};

}  // namespace heddle::impl
