#pragma once

#include "life/engine.hpp"
#include <heddle/support/function_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::life {

enum class topology { infinite, torus, plane };
const char* name(topology which) noexcept;

/// A grid and where its top-left cell is; y grows downwards.
struct placed_grid {
  grid cells;
  std::int64_t left = 0, top = 0;
  friend bool operator==(const placed_grid&, const placed_grid&) = default;
};

/// Cells on a torus, on a plane with edges (outside them everything is dead) or on a plane without, where the
/// grid that is computed follows the pattern.
class universe {
 public:
  /// On a torus or a plane the grid is the whole of it; on the infinite plane it is what may be alive. Throws
  /// heddle::error for bounds without cells, and for rules that fill the infinite plane.
  universe(const placed_grid& start, topology shape, const rule& law, algorithm how, const target& where);
  /// The same over ranks, each of which computes a block of rows on its target. All give the same `start`,
  /// make the same calls, and get the population and the cells of all. The cells are those of one machine.
  universe(const placed_grid& start, topology shape, const rule& law, algorithm how, const ranks& all);

  void advance(std::uint64_t generations);
  /// Counts generations that change nothing: a number of whole periods.
  void skip(std::uint64_t generations) noexcept { generation_ += generations; }
  /// Those before the beginning count too.
  void count_from(std::uint64_t generation) noexcept { generation_ = generation; }
  std::uint64_t generation() const noexcept { return generation_; }
  std::uint64_t population() { return engine_ ? engine_->population() : 0; }

  /// The whole torus or plane; of the infinite plane the smallest rectangle with every live cell.
  placed_grid cells();

  /// The grid that is computed now: where its top-left cell is, and its sides, 0 where nothing lives on the
  /// infinite plane.
  struct frame_of_grid {
    std::int64_t left, top;
    std::size_t width, height;
  };
  frame_of_grid computed() const noexcept {
    return engine_ ? frame_of_grid{left_, top_, size_.width, size_.height} : frame_of_grid{left_, top_, 0, 0};
  }

  /// The brightness of squares of the computed grid, see engine::draw; over ranks those of all, on every one.
  std::vector<std::uint8_t> draw(const squares& what);

  /// Changes the cells of a rectangle: change(cells) is given those that are there, and what it leaves is
  /// what lives. Of a torus or a plane the rectangle is cut to what is there. Takes the time of the
  /// rectangle's rows, on the infinite plane that of the pattern where it grows. Over ranks every one gives
  /// the same change, and takes its own rows of what it leaves.
  void edit(std::int64_t left, std::int64_t top, std::size_t width, std::size_t height,
            function_ref<void(grid& cells, std::int64_t left, std::int64_t top)> change);

  /// Goes on by another rule, or on another target. Throws heddle::error for what the topology, the algorithm
  /// or the target does not allow; the universe is then as it was. Every rank calls it.
  void change(const rule& law, const target& where);
  const rule& law() const noexcept { return law_; }
  const target& where() const noexcept { return where_; }

  /// Cells that are computed for each generation now.
  double cells_computed() const noexcept {
    return engine_ ? static_cast<double>(size_.width) * static_cast<double>(size_.height) : 0;
  }
  /// Bytes of memory that `advance` of so many generations reads and writes now: several of them share a
  /// pass.
  std::uint64_t bytes_of(std::uint64_t generations) const {
    return engine_ ? engine_->bytes_of(generations) : 0;
  }
  topology shape() const noexcept { return shape_; }

 private:
  /// Puts live cells of the infinite plane into a grid with room around them.
  void frame(const placed_grid& live);
  placed_grid live_part() const;
  universe(const placed_grid& start, topology shape, const rule& law, algorithm how, const target& where,
           const std::optional<ranks>& all);
  void make_engine();

  topology shape_;
  rule law_;
  algorithm how_;
  std::optional<ranks> all_;
  target where_;
  bounds size_{};
  std::int64_t left_ = 0, top_ = 0;
  std::uint64_t generation_ = 0;
  std::uint64_t room_ = 0;  // generations until a cell of the infinite plane may reach the grid's edge
  std::unique_ptr<engine> engine_;
};

}  // namespace heddle::life
