#pragma once

#include <heddle/compiler.hpp>

#include <algorithm>
#include <cstddef>

namespace heddle::impl {

/// Where part `part` begins of n elements that are cut into `parts` parts: the first n % parts of them have
/// one element more than the others. Of `parts` itself it is n.
constexpr std::size_t part_begin(std::size_t n, std::size_t parts, std::size_t part) {
  return n / parts * part + std::min(part, n % parts);
}

}  // namespace heddle::impl
