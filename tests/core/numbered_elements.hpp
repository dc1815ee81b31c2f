#pragma once

#include <heddle/array.hpp>
#include <heddle/target.hpp>

#include <numeric>

namespace heddle::tests {

/// 0, 1, 2, … of a shape, on a target.
inline array<int> counting(const shape& lengths, const target& where) {
  array<int> x(lengths);
  std::iota(x.span().begin(), x.span().end(), 0);
  return x.on(where);
}

/// An element that is no number.
struct named {
  int number;
  char name;
};

}  // namespace heddle::tests
