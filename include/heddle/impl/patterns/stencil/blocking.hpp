#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>

namespace heddle::impl {

/// How a stencil is blocked: tiles of so many cells along each axis, and generations that one pass over the
/// memory does.
struct stencil_blocking {
  std::ptrdiff_t sides[3];
  std::size_t generations;
};

}  // namespace heddle::impl
