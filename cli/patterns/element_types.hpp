#pragma once

#include <heddle/dtype.hpp>

namespace heddle::cli {

/// The type in which NumPy sums and multiplies elements of `type`: integers and bool in 64 bits.
constexpr dtype accumulating_type(dtype type) noexcept {
  if (type <= dtype::int64) return dtype::int64;
  return type <= dtype::uint64 ? dtype::uint64 : type;
}

/// Throws: an operation that needs an order of the elements, and complex ones, with what to do instead.
[[noreturn]] void fail_complex_order(const char* op, dtype type,
                                     const char* remedy = " (sum and prod take them)");
inline constexpr const char* real_parts = ": --dtype float64 takes their real parts";

}  // namespace heddle::cli
