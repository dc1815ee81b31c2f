#pragma once

#include <heddle/array.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/ranks.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Laplace's and Poisson's equation on the unit square: ∇²u = f inside, u given on the edges.
///
/// The square is covered by H×W points, the edges included: point (row j, column i) of an array of shape (H,
/// W) is at x = i/(W−1), y = j/(H−1), so the spacings h_x = 1/(W−1) and h_y = 1/(H−1) differ where W and H
/// do. ∇² is the second-order five-point formula.
namespace heddle::laplace {

enum class method {
  jacobi,     ///< an iteration is a sweep: every point from the old values of its neighbours
  red_black,  ///< Gauss–Seidel: a sweep is the points whose row + column is even, then the others
  multigrid,  ///< an iteration is a cycle over ever coarser grids
};
inline constexpr method methods[] = {method::jacobi, method::red_black, method::multigrid};
const char* name(method how) noexcept;

/// The course's case: u = sin(πy) at x = 0, e^(−π)·sin(πy) at x = 1 and 0 at the top and the bottom, and 0
/// inside.
template <class T>
array<T> sine_edges(std::size_t width, std::size_t height);
/// The same over ranks.
template <class T>
distributed_array<T> sine_edges(const ranks& all, std::size_t width, std::size_t height);

/// Its exact solution, e^(−πx)·sin(πy), at a point; and the largest difference from it of `u`, an array of
/// shape (H, W).
double sine_solution(double x, double y) noexcept;
template <class T>
double sine_error(const array_view<const T>& u);
template <class T>
double sine_error(const distributed_array<T>& u);

/// A point of an array of shape (H, W), and one with a value.
struct point {
  std::size_t row, column;
};
template <class T>
struct point_value {
  std::size_t row, column;
  T value;
};

/// Numbers of a grid where they are: rows of `width`, which lie `pitch` apart. It is valid until the solver
/// is called again.
template <class T>
struct grid_view {
  const T* data = nullptr;
  std::size_t width = 0, height = 0, pitch = 0;
  target where;
};

/// The work of a cycle of multigrid on one of its coarser grids.
template <class T>
struct level_state {
  grid_view<T> correction;  ///< what it adds to the finer one
  double residual = 0;      ///< the largest that the cycle brought there, in the units of u
};

/// An approximate solution that iterations improve; T is float or double. Every target gives the same bits.
template <class T>
class solver {
 public:
  /// `start` has shape (H, W): its outermost points are the edges, which stay, and what is inside is where
  /// the iteration begins. `source` is f at the same points, or of no elements for 0; at the edges it is not
  /// read. Throws heddle::error for other shapes, and for values that are not finite, or so
  /// large that sums of them may not be.
  solver(const target& where, method how, const array_view<const T>& start,
         const array_view<const T>& source = array_view<const T>(nullptr, shape{0}));
  /// The same over ranks, each of which computes a block of rows on its target; coarse grids of multigrid,
  /// and those of fewer than eight rows a rank, each computes whole. Every rank makes the same calls and gets
  /// the same numbers: the bits are those of one machine.
  solver(const ranks& all, method how, const distributed_array<T>& start);
  solver(const ranks& all, method how, const distributed_array<T>& start, const distributed_array<T>& source);
  ~solver();
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;

  /// The target that was chosen.
  const target& where() const noexcept;

  /// H·W.
  std::size_t points() const noexcept;

  /// Sweeps or cycles, several at once where that saves reading the memory.
  void iterate(std::size_t count);

  /// How many there have been.
  std::size_t iterations() const noexcept;

  /// Bytes of memory that so many iterations at once read and write now, each array once a pass: the points,
  /// the source, and the coarse grids of multigrid. 0 with points that are held.
  std::uint64_t bytes_of(std::size_t count) const;

  /// The infinity norm of the residual, in the units of u: by how much one sweep of Jacobi's would change a
  /// point at most. Times 2/h_x² + 2/h_y² it is the largest |∇²u − f|.
  double residual();

  /// The same for edges as they are and 0 inside: what a tolerance is relative to. Where that is 0, the first
  /// residual.
  double first_residual() const noexcept;

  /// Holds inner points at values from now on: walls at a potential; an edge, which always stays, gets the
  /// value. Of a point that comes twice the last counts. Iterations go on from what the others are, by the
  /// same method; multigrid then takes its coarse operators from the finest one (J. E. Dendy, Black box
  /// multigrid, J. Comput. Phys. 48 (1982) 366), at the next cycle after a change, with eleven times the
  /// memory of the points. Over ranks every one gives the same points, here and in what follows, and takes
  /// those of its own rows. Throws heddle::error for points outside, and for values as the constructor does.
  void hold(std::span<const point_value<T>> points);
  /// The same for inner points where `mask`, of shape (H, W), is not 0, at the values that they have.
  void hold(const array_view<const std::uint8_t>& mask);
  void hold(const distributed_array<std::uint8_t>& mask);
  /// Inner points are sought again, from the values that they have; edges stay.
  void release(std::span<const point> points);
  bool is_held(std::size_t row, std::size_t column) const;  ///< an edge is; every rank asks
  std::size_t held_points() const noexcept;                 ///< inside

  /// f at points from now on: at an edge it is not read. A charge q at a point is f = −q/(h_x·h_y).
  void set_source(std::span<const point_value<T>> points);

  /// 0 at all points that are not held. first_residual() is that of this state, after each of these calls.
  void clear();

  /// The points where they are. Throws heddle::error over ranks.
  grid_view<T> points_in_place() const;
  /// Of multigrid on one machine, the coarser grids as the last cycle left them, finest first; of others, and
  /// before the first cycle, none.
  std::vector<level_state<T>> levels() const;

  /// The points, of shape (H, W), on the CPU; over ranks the rows of all, on every one.
  array<T> solution() const;
  /// Over ranks: the rows of each, in even blocks, on its target.
  distributed_array<T> solution_of_ranks() const;

  /// The ranks, or nothing on one machine.
  const ranks* all() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// When to stop.
struct stopping {
  double tolerance = 1e-6;                    ///< of the residual, relative to first_residual()
  std::optional<std::size_t> max_iterations;  ///< unless given, a million sweeps or a hundred cycles
  std::size_t check_every =
      0;  ///< iterations from one look at the residual to the next; 0: a hundred sweeps or one cycle
};

/// Called with the residual that was seen last, over ranks on each after the same iterations. It may throw to
/// stop, on all ranks or none: the solver holds what has been done.
using after_piece = std::function<void(double residual)>;

/// Iterates until the residual is small enough, and returns it. `then` is called every now and then, several
/// times a second where an iteration does not last longer.
template <class T>
double solve(solver<T>& problem, method how, const stopping& when, const after_piece& then = [](double) {});

}  // namespace heddle::laplace
