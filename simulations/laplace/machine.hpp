#pragma once

#include "laplace/grid.hpp"
#include <heddle/target.hpp>

#include <cstddef>
#include <memory>

/// Operations of the methods on a target. All memory is on it, and every target gives the same bits. Of the
/// rows that are asked for, those that are edges of the grid are left out.
namespace heddle::laplace {

template <class T>
class machine {
 public:
  virtual ~machine() = default;

  /// How many of so many sweeps of Jacobi's one pass makes.
  virtual std::size_t jacobi_at_once(std::size_t sweeps, bool has_source) const = 0;

  /// Rows of v: those of u after `sweeps` of Jacobi's sweeps, as many as one pass makes. As many rows of v on
  /// either side become anything. g, here and below, is f times the grid's source_scale, or null for 0.
  virtual void jacobi(const grid<T>& on, const T* u, T* v, const T* g, std::size_t sweeps,
                      const row_range& rows) = 0;

  /// The inner points of rows of v: u and the correction, after a few red-black sweeps. u may be null for 0.
  virtual void relax(const grid<T>& on, const T* u, const correction<T>& from, const T* g, T* v, int sweeps,
                     const row_range& rows) = 0;

  /// The inner points of rows of the coarse g: the restricted residual of u, which may be null for 0. Returns
  /// the largest residual when it is wanted, and 0 otherwise.
  virtual T restrict_residual(const grid<T>& fine, const T* u, const T* g, const grid<T>& coarse, T* coarse_g,
                              const transfer_view<T>& across, const transfer_view<T>& down,
                              const row_range& rows, bool is_wanted) = 0;

  virtual T largest_residual(const grid<T>& on, const T* u, const T* g, const row_range& rows) = 0;
};

/// Sweeps that `jacobi` and `relax`, which is red-black, do at once, at most.
inline constexpr std::size_t most_jacobi_sweeps = 8;
inline constexpr int most_sweeps = 4;

template <class T>
std::unique_ptr<machine<T>> make_cpu_machine(int threads);
template <class T>
std::unique_ptr<machine<T>> make_gpu_machine(const target& where);

}  // namespace heddle::laplace
