#pragma once

#include "laplace/levels.hpp"
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// The methods where inner points are held at values: walls at a potential. Multigrid takes its coarse
/// operators from the finest one, see held_levels.hpp.
namespace heddle::laplace {

/// The memory of a level of a cycle.
template <class T>
struct level_memory {
  std::ptrdiff_t width = 0, height = 0, pitch = 0;
  const T* values = nullptr;  ///< the correction, on the target
  double residual = 0;        ///< the largest that the last cycle brought to it, in the units of u
};

/// Points are elements of arrays whose rows are grid.pitch apart, by their places as if all rows were there.
/// All memory is on the target. Over ranks places are those of the rows in memory, those of neighbours too;
/// every rank makes the same calls, and of u the row beside each edge of its own is right before and after.
template <class T>
class held_machine {
 public:
  virtual ~held_machine() = default;

  /// Writes values[i] to to[places[i]]; none twice.
  virtual void put(const std::vector<std::size_t>& places, const std::vector<T>& values, T* to) = 0;

  /// Which inner points stay, from now on, besides the edges.
  virtual void hold(const std::vector<std::size_t>& places, bool are_held) = 0;

  /// 0 at the points that are not held.
  virtual void clear(T* u) = 0;

  /// A sweep of Jacobi's from u to v; one of Gauss and Seidel's, red points first; a cycle.
  virtual void jacobi(const T* u, const T* g, T* v) = 0;
  virtual void red_black(T* u, const T* g) = 0;
  virtual void cycle(T* u, const T* g) = 0;

  /// The largest residual of the points of this rank that are not held.
  virtual double largest_residual(const T* u, const T* g) = 0;

  /// Of the coarser grids, finest first; over ranks none.
  virtual std::vector<level_memory<T>> levels() const = 0;
};

template <class T>
std::unique_ptr<held_machine<T>> make_cpu_held_machine(const target& where, const level<T>& fine);
template <class T>
std::unique_ptr<held_machine<T>> make_gpu_held_machine(const target& where, const level<T>& fine);

}  // namespace heddle::laplace
