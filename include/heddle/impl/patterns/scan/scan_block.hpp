#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>

namespace heddle::impl {

/// 2^level rows of the order of scans (scan_order.hpp), whose first is a multiple of as many.
struct scan_block {
  std::size_t first;
  unsigned level;
};

}  // namespace heddle::impl
