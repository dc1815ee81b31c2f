#pragma once

#include "life/grid.hpp"
#include "life/rule.hpp"
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

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
};

/// An engine for bounds of one cell or more. Throws heddle::error for an algorithm that the target or the
/// size does not allow. `where` is a CPU or a GPU, not automatic.
std::unique_ptr<engine> make_engine(algorithm which, const bounds& size, const rule& law,
                                    const target& where);

std::unique_ptr<engine> per_cell_engine(const bounds& size, const rule& law, const target& where);
std::unique_ptr<engine> sliced_engine(const bounds& size, const rule& law, const target& where);
std::unique_ptr<engine> gpu_engine(algorithm which, const bounds& size, const rule& law, const target& where);

}  // namespace heddle::life
