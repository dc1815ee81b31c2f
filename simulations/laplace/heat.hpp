#pragma once

#include <heddle/array.hpp>
#include <heddle/io/colour.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heddle::laplace {

/// Colours from black over red and yellow to white, from the smallest of some values to the largest.
template <class T>
class heat {
 public:
  explicit heat(const array<T>& values) {
    const auto [least, most] = std::minmax_element(values.data(), values.data() + values.size());
    low_ = static_cast<double>(*least);
    range_ = static_cast<double>(*most) - low_;
  }

  static colour of_level(int level) {
    const auto ramp = [level](int from) {
      return static_cast<std::uint8_t>(std::clamp(3 * (level - from), 0, 255));
    };
    return {ramp(0), ramp(85), ramp(170)};
  }

  /// 0 … 255.
  std::uint8_t level(T value) const {
    const double part = range_ > 0 ? (static_cast<double>(value) - low_) / range_ : 0;
    return static_cast<std::uint8_t>(std::lround(255 * part));
  }

 private:
  double low_, range_;
};

}  // namespace heddle::laplace
