#pragma once

#include "lattice_boltzmann/flow.hpp"
#include "picture_part.hpp"
#include <heddle/array.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Tracers make a flow's directions visible: dye that it carries, and lines along it.
namespace heddle::lbm {

/// The velocity of all cells where fields of the flow are, of shape (H, W, 2), and how it goes on beyond the
/// edges.
struct carrier {
  array<float> velocity;
  array_view<const std::uint8_t> solid;  // of no elements where none is; until obstacles change
  bool periodic_x = false, periodic_y = false;
};
/// Over ranks of all of them, on every one.
carrier carrier_of(const flow& of);

/// The concentration of dye in the cells of a flow, 0 to 1, where fields of the flow are. Over ranks every
/// one makes the same calls and has the dye of all cells, and each carries that of its own rows.
class dye {
 public:
  /// None, with no source.
  explicit dye(const flow& of);

  /// The concentration of now: of shape (H, W), within 0 to 1.
  void set(const array_view<const float>& concentration);

  /// Where dye enters, of each cell, rows from the bottom, or of no elements: these cells are full of it.
  void set_sources(const std::vector<std::uint8_t>& cells);

  /// Carries it for so many steps of the flow, by the velocities of now: MacCormack's scheme, of second
  /// order, of two backward traces, whose result stays within the values around where it comes from (A. Selle
  /// et al., J. Sci. Comput. 35 (2008) 350). Nothing is diffused but by the scheme.
  ///
  /// A call finds all velocities and makes passes over all cells, each of which costs a few steps of the
  /// flow. Few calls with many steps are therefore faster. A pass carries dye by a cell at most along each
  /// axis: on a CPU by the fastest cell, which takes ⌈fastest·steps⌉ passes, and on a GPU by twice the given
  /// velocity.
  void advance(const flow& of, double steps);

  /// Of shape (H, W); 0 in solid cells.
  const array<float>& values() const noexcept { return now_; }

 private:
  void carry_on_cpu(const flow& of, double steps);

  array<float> now_, carried_, next_;
  array<float> room_;  // on a CPU in place of `carried_` and `next_`: all of a dye_rows
  std::vector<std::uint8_t> rows_with_solid_;
  array<std::uint8_t> sources_;
};

/// The levels of the pixels of a part, as draw() has them, of noise that is smeared along the flow: the mean
/// of `reach` pixels each way along the line through a pixel (line integral convolution: B. Cabral and L.
/// Leedom, Proc. SIGGRAPH 93, 263), with its contrast restored. The noise of a pixel is that of its place in
/// a grid of such squares: it stays while the flow changes. A square whose middle is solid has the obstacles'
/// colour.
std::vector<std::uint8_t> draw_lines(const carrier& of, const picture_part& part, int reach = 12);

/// The noise of a place, 0 up to 1.
float noise_at(std::int64_t column, std::int64_t row);

}  // namespace heddle::lbm
