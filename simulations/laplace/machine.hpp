#pragma once

#include "laplace/grid.hpp"
#include <heddle/target.hpp>

#include <cstddef>
#include <memory>

/// What the methods ask of a target. All memory is on it, and every target gives the same bits.
namespace heddle::laplace {

template <class T>
class machine {
 public:
  virtual ~machine() = default;

  /// `sweeps` of Jacobi's sweeps from u; u and v take turns, and the one that holds the result is returned.
  /// g, here and below, is f times the grid's source_scale, or null for 0.
  virtual T* jacobi(const grid<T>& on, T* u, T* v, const T* g, std::size_t sweeps) = 0;

  /// The inner points of v: u and the correction, after a few red-black sweeps. u may be null for 0.
  virtual void relax(const grid<T>& on, const T* u, const correction<T>& from, const T* g, T* v,
                     int sweeps) = 0;

  /// The inner points of the coarse g: the restricted residual of u, which may be null for 0. Returns the
  /// largest residual when it is wanted, and 0 otherwise.
  virtual T restrict_residual(const grid<T>& fine, const T* u, const T* g, const grid<T>& coarse, T* coarse_g,
                              const transfer_view<T>& across, const transfer_view<T>& down,
                              bool is_wanted) = 0;

  virtual T largest_residual(const grid<T>& on, const T* u, const T* g) = 0;
};

/// Red-black sweeps that `relax` does at once, at most.
inline constexpr int most_sweeps = 4;

template <class T>
std::unique_ptr<machine<T>> make_cpu_machine(int threads);
template <class T>
std::unique_ptr<machine<T>> make_gpu_machine(const target& where);

}  // namespace heddle::laplace
