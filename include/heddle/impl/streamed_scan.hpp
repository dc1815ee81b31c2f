#pragma once

#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/operators.hpp>
#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::impl {

/// A scan of more elements than fit in memory, or than are there at once: they are given a piece at a time,
/// and the outputs have the bits that one scan of all of them would have on a CPU.
class streamed_scan {
 public:
  /// By a built-in operator on elements of a built-in type, on `serial` or `parallel`; `init` is one element,
  /// or null for none, where an exclusive scan begins with the operator's identity. Throws heddle::error for
  /// other targets, and when the type does not define the operator.
  streamed_scan(const target& where, function op, dtype type, bool exclusive, const void* init = nullptr);

  /// Every piece but the last must hold a multiple of this many elements.
  std::size_t unit() const noexcept { return unit_; }

  /// Scans the next `count` elements into `out`, which may be `elements`.
  void append(const void* elements, std::size_t count, void* out);

  std::size_t size() const noexcept { return size_; }

 private:
  target where_;
  function op_;
  dtype type_;
  bool exclusive_;
  std::size_t unit_ = 0, size_ = 0;
  memory state_;
};

}  // namespace heddle::impl
