#pragma once

#include "tests/elements.hpp"
#include <heddle/array.hpp>

#include <cstddef>

namespace heddle::tests {

/// Small whole numbers, of which sums and products are exact in every type and order.
template <class T>
array<T> numbers(const shape& lengths) {
  array<T> x(lengths);
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<T>(static_cast<int>(random_bits(i) % 3));
  return x;
}

}  // namespace heddle::tests
