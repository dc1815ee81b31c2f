#pragma once

#include "life/grid.hpp"
#include "life/rule.hpp"
#include "life/squares.hpp"
#include <heddle/ranks.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::life {

/// How the next generation is found. The textbook's ways stay beside the fast one.
///
/// - packed:   one bit a cell, neighbours counted by bit-sliced adders, many generations a pass
/// - per_cell: a byte and, on a GPU, a thread a cell
/// - shared:   per_cell with a tile and its border in a GPU's shared memory
/// - block:    the whole grid in the shared memory of one block, every generation in one launch
enum class algorithm { packed, per_cell, shared, block };
inline constexpr algorithm algorithms[] = {algorithm::packed, algorithm::per_cell, algorithm::shared,
                                           algorithm::block};
const char* name(algorithm which) noexcept;

/// A grid with edges: joined to the opposite ones (a torus), or with dead cells outside.
struct bounds {
  std::size_t width, height;
  bool torus;
};

/// Cells within bounds, and what advances them.
class engine {
 public:
  virtual ~engine() = default;
  /// `cells` has the size of the bounds.
  virtual void load(const grid& cells) = 0;
  virtual void advance(std::uint64_t generations) = 0;
  virtual std::uint64_t population() = 0;
  virtual grid cells() = 0;

  /// Rows `count` from `first` on to and from cells.
  virtual void load_rows(std::size_t first, const grid& cells) = 0;
  virtual grid cells_of_rows(std::size_t first, std::size_t count) = 0;

  /// The brightness of the pixels, row after row, counted on the target: only pixels leave a GPU.
  virtual std::vector<std::uint8_t> draw(const squares& what) = 0;

  /// Bytes of the grids that so many generations at once read and write: each pass reads one and writes the
  /// other. 0 where that is not known, over ranks.
  virtual std::uint64_t bytes_of(std::uint64_t /*generations*/) const { return 0; }
};

/// An engine for bounds of one cell or more. Throws heddle::error for an algorithm that the target or the
/// size does not allow. `where` is a CPU or a GPU, not automatic.
std::unique_ptr<engine> make_engine(algorithm which, const bounds& size, const rule& law,
                                    const target& where);

/// The same over ranks, each of which computes a block of rows on its target; all have targets of one kind.
/// Every rank makes the same calls: each takes from `load` and `load_rows` the rows that it needs, and gets
/// the population, the cells and the pixels of all. Cells leave a GPU for pixels that ranks have parts of.
std::unique_ptr<engine> make_engine(algorithm which, const bounds& size, const rule& law, const ranks& all);

/// An engine that can advance some of its rows alone: those of a block in a larger grid, with rows around
/// them that other ranks own. It keeps two grids, of which one is read and the other written.
class row_engine : public engine {
 public:
  /// So many generations or fewer, but one at least, can be advanced at once.
  virtual std::uint64_t at_once(std::uint64_t generations) const = 0;
  /// Writes rows first … last−1 of the other grid: `generations` later, as at_once allows. Rows that these
  /// do not depend on are unspecified. Asynchronous on a GPU.
  virtual void advance_rows(std::size_t first, std::size_t last, std::size_t generations) = 0;
  /// The other grid becomes this one.
  virtual void exchange_grids() = 0;

  virtual std::uint64_t population_of_rows(std::size_t first, std::size_t count) = 0;

  /// How rows lie in memory, one after another: row 0 of this grid or of the other one.
  virtual std::size_t row_bytes() const = 0;
  virtual std::byte* rows(bool of_other) const = 0;

 protected:
  /// bytes_of, for so many rows.
  std::uint64_t bytes_of_rows(std::size_t count, std::uint64_t generations) const {
    std::uint64_t all_passes = 0;
    while (generations > 0) {
      const std::uint64_t now = at_once(generations), passes = generations / now;
      all_passes += passes;
      generations -= now * passes;
    }
    return all_passes * 2 * count * row_bytes();
  }
};

/// Every engine but those of small grids on a GPU, see gpu_engine.
std::unique_ptr<row_engine> make_row_engine(algorithm which, const bounds& size, const rule& law,
                                            const target& where);

std::unique_ptr<row_engine> per_cell_engine(const bounds& size, const rule& law, const target& where);
std::unique_ptr<row_engine> sliced_engine(const bounds& size, const rule& law, const target& where);
std::unique_ptr<engine> gpu_engine(algorithm which, const bounds& size, const rule& law, const target& where);
std::unique_ptr<row_engine> gpu_row_engine(algorithm which, const bounds& size, const rule& law,
                                           const target& where);

}  // namespace heddle::life
