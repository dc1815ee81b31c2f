#pragma once

#include <heddle/any_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/core/memory.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <optional>

namespace heddle {

/// A scan of elements that arrive in pieces, such as a file that is larger than memory. The outputs have the
/// bits that one scan of all elements has.
///
///     hd::streamed_scan sums(hd::target::parallel(), hd::runtime_op::plus, hd::dtype::float32, false);
///     for (const auto& piece : pieces) sums.append(piece, out);  // all but the last: multiples of
///     sums.unit()
class streamed_scan {
 public:
  /// By a built-in operator on elements of a built-in type, on `serial` or `parallel`. `init` is combined
  /// with every result from the left; without it an exclusive scan begins with the operator's identity.
  /// Throws heddle::error for other targets, and when the type does not define the operator.
  streamed_scan(const target& where, runtime_op op, dtype type, bool exclusive,
                const std::optional<any_value>& init = {});

  /// Every piece but the last holds a multiple of this many elements; `append` throws heddle::error
  /// otherwise.
  std::size_t unit() const noexcept { return unit_; }

  /// Scans the next `count` elements into `out`, which may be `elements`.
  void append(const void* elements, std::size_t count, void* out);
  /// The same of views; throws heddle::error for elements of another type, on a GPU, and for an `out` of
  /// another size.
  void append(const any_const_view& elements, const any_view& out);

  std::size_t size() const noexcept { return size_; }

 private:
  target where_;
  runtime_op op_;
  dtype type_;
  bool exclusive_;
  std::size_t unit_ = 0, size_ = 0;
  memory state_;
};

}  // namespace heddle
