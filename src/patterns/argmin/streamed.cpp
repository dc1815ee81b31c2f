#include "core/any_arguments.hpp"
#include <heddle/argmin.hpp>
#include <heddle/error.hpp>

#include <cstddef>
#include <vector>

namespace heddle {
namespace {

/// Whether x takes the place of an extremum before it: it is beyond the extremum, or the first NaN.
template <class T>
bool is_better(runtime_op op, T x, T best) {
  if (best != best) return false;
  return x != x || (op == runtime_op::minimum ? x < best : best < x);
}

const char* pattern_of(runtime_op op) {
  return op == runtime_op::minimum ? "argmin" : "argmax";
}

}  // namespace

streamed_arg::streamed_arg(const target& where, runtime_op op, dtype type, std::size_t columns)
    : where_(where), op_(op), type_(type), columns_(columns), indices_(columns) {
  if (op != runtime_op::minimum && op != runtime_op::maximum)
    fail(fmt::format("streamed_arg: {} has no index: use minimum or maximum", name(op)));
  impl::require_order(pattern_of(op), type);
}

void streamed_arg::append(const void* elements, std::size_t count) {
  if (count == 0) return;
  const array<std::size_t> found =
      impl::arg_along(pattern_of(op_), op_, type_, elements, {count, columns_}, axis{0}, target(), where_)
          .on(target());
  extrema_.resize(columns_ * size_of(type_));
  with_type(type_, [&]<class T>(T) {
    if constexpr (!is_complex<T>) {
      const T* const x = static_cast<const T*>(elements);
      T* const best = reinterpret_cast<T*>(extrema_.data());
      for (std::size_t column = 0; column < columns_; ++column) {
        const std::size_t row = found.data()[column];
        const T here = x[row * columns_ + column];
        if (size_ > 0 && !is_better(op_, here, best[column])) continue;
        best[column] = here;
        indices_[column] = size_ + row;
      }
    }
  });
  size_ += count;
}

const std::vector<std::size_t>& streamed_arg::result() const {
  if (size_ == 0) fail(fmt::format("{}: there are no elements, and so no index to return", pattern_of(op_)));
  return indices_;
}

}  // namespace heddle
