#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::life {

/// An outer-totalistic rule: whether a cell lives next depends on whether it lives now and on how many of its
/// eight neighbours do. Bit n of each word stands for n neighbours.
struct rule {
  std::uint16_t birth = 1 << 3;              ///< a dead cell comes alive
  std::uint16_t survival = 1 << 2 | 1 << 3;  ///< a live cell stays alive

  /// Reads "B3/S23", "b3s23", or the older "23/3" (survival first). Throws heddle::error for anything else.
  static rule parse(std::string_view text);

  /// "B3/S23".
  std::string text() const;

  /// Whether empty space comes alive, which only a bounded grid can hold.
  bool fills_empty_space() const { return (birth & 1) != 0; }

  friend bool operator==(const rule&, const rule&) = default;
};

/// A bounded grid, as Golly's suffix of a rule says it: ":T30,20" is a torus, ":P30,20" a plane, and one
/// number a square.
struct grid_bounds {
  bool torus;
  std::size_t width, height;
};

/// A rule and perhaps the grid that it holds on: "B3/S23" or "B3/S23:T30,20".
struct bounded_rule {
  rule law;
  std::optional<grid_bounds> grid;

  /// Throws heddle::error for anything else.
  static bounded_rule parse(std::string_view text);
};

}  // namespace heddle::life
