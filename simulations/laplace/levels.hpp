#pragma once

#include "laplace/grid.hpp"
#include "laplace/machine.hpp"
#include <heddle/array.hpp>
#include <heddle/ranks.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

/// The grids of a solver and what of them is on this rank.
namespace heddle::laplace {

/// The arrays of a transfer on a target.
template <class T>
class placed_transfer {
 public:
  placed_transfer(std::ptrdiff_t fine_points, std::ptrdiff_t coarse_points, const target& where)
      : placed_transfer(axis_transfer<T>(fine_points, coarse_points), where) {}

  transfer_view<T> view() const {
    return {below_.data(), above_.data(), first_.data(), count_.data(), weights_.data()};
  }

 private:
  placed_transfer(const axis_transfer<T>& made, const target& where)
      : below_(made.below, where),
        above_(made.above, where),
        first_(made.first, where),
        count_(made.count, where),
        weights_(made.weights, where) {}

  array<int> below_;
  array<T> above_;
  array<int> first_, count_;
  array<T> weights_;
};

/// Rows that neighbours have of each other: red-black sweeps of one pass need two each, and a cycle's sweeps
/// a few more for the corrections.
inline constexpr std::ptrdiff_t halo_rows = 8;
static_assert(halo_rows >= 2 * most_sweeps && halo_rows >= static_cast<std::ptrdiff_t>(most_jacobi_sweeps));
/// Coarse grids of fewer rows a rank are on every rank.
inline constexpr std::size_t least_coarse_rows = 16;

/// A grid, and the part of it that is on this rank.
template <class T>
struct level {
  grid<T> on;
  row_range own;                         // the rows to compute
  std::shared_ptr<halo_exchange> halos;  // to those of other ranks; null where all are here

  /// All rows.
  explicit level(const grid<T>& made) : on(made), own{0, made.height} {}
  level(const grid<T>& made, std::shared_ptr<halo_exchange> with) : level(made) {
    halos = std::move(with);
    if (!halos) return;
    own.first = static_cast<std::ptrdiff_t>(halos->first_row());
    own.last = own.first + static_cast<std::ptrdiff_t>(halos->rows());
    on.first = own.first - (halos->has_before() ? halo_rows : 0);
    on.last = own.last + (halos->has_after() ? halo_rows : 0);
  }

  array<T> points(const target& where) const {
    return array<T>(static_cast<std::size_t>(on.points_in_memory()), where);
  }
  /// Where row 0 is or would be.
  template <class V>
  V* row_0(array<V>& of) const {
    return of.data() - on.first * on.pitch;
  }
  template <class V>
  const V* row_0(const array<V>& of) const {
    return of.data() - on.first * on.pitch;
  }

  std::size_t bytes(std::ptrdiff_t rows) const {
    return static_cast<std::size_t>(rows * on.pitch) * sizeof(T);
  }
  template <class V>
  memory_part part(V* row_0, std::ptrdiff_t first, std::ptrdiff_t rows = halo_rows) const {
    return {row_0 + first * on.pitch, static_cast<std::size_t>(rows * on.pitch) * sizeof(V)};
  }

  /// Rows of `x` at the edges, so many each, go to the neighbours, and theirs come; of several planes at
  /// once.
  template <class V>
  void start(V* x, std::ptrdiff_t rows = halo_rows, int planes = 1) const {
    std::vector<memory_part> parts[4];
    const std::ptrdiff_t begins[4] = {own.first, own.last - rows, own.first - rows, own.last};
    for (int i = 0; i < 4; ++i)
      for (int plane = 0; plane < planes; ++plane)
        parts[i].push_back(part(x + plane * on.points_in_memory(), begins[i], rows));
    halos->start(parts[0], parts[1], parts[2], parts[3]);
  }
  template <class V>
  void exchange(V* x, std::ptrdiff_t rows = halo_rows, int planes = 1) const {
    if (!halos) return;
    start(x, rows, planes);
    halos->finish();
  }

  /// f(rows), which computes rows of x: of the edges first, of which so many go to the neighbours beside the
  /// rest.
  template <class F>
  void compute(T* x, const F& f, std::ptrdiff_t depth = halo_rows) const {
    if (!halos) return f(own);
    const std::ptrdiff_t before = halos->has_before() ? own.first + depth : own.first;
    const std::ptrdiff_t after = halos->has_after() ? std::max(before, own.last - depth) : own.last;
    for (const row_range& rows : {row_range{own.first, before}, row_range{after, own.last}})
      if (rows.first < rows.last) f(rows);
    start(x, depth);
    if (before < after) f({before, after});
    halos->finish();
  }
};

/// A coarser grid: the correction that is sought there, what it is sought for, and the way from the finer
/// one.
template <class T>
struct coarse_level : level<T> {
  array<T> values, source;
  placed_transfer<T> across, down;
  std::vector<std::size_t> begins;  // of the rows whose residuals each rank restricts

  coarse_level(const grid<T>& made, const level<T>& finer, const target& where)
      : coarse_level(made, finer, begins_of(made, finer), where) {}

  T* v() { return this->row_0(values); }
  T* g() { return this->row_0(source); }
  correction<T> to_finer() const { return {this->row_0(values), this->on.pitch, across.view(), down.view()}; }

 private:
  coarse_level(const grid<T>& made, const level<T>& finer, std::vector<std::size_t> rows, const target& where)
      : level<T>(made, halos_of(finer, rows)),
        values(this->points(where)),
        source(this->points(where)),
        across(finer.on.width, made.width, where),
        down(finer.on.height, made.height, where),
        begins(std::move(rows)) {
    values.fill(0);
    source.fill(0);
  }

  /// The first coarse rows at the first fine ones of each rank, or after them.
  static std::vector<std::size_t> begins_of(const grid<T>& made, const level<T>& finer) {
    if (!finer.halos) return {};
    std::vector<std::size_t> rows = finer.halos->begins();
    const auto fine = static_cast<std::size_t>(finer.on.height - 1),
               coarse = static_cast<std::size_t>(made.height - 1);
    for (std::size_t& row : rows) row = row > fine ? coarse + 1 : (row * coarse + fine - 1) / fine;
    return rows;
  }
  static std::shared_ptr<halo_exchange> halos_of(const level<T>& finer,
                                                 const std::vector<std::size_t>& rows) {
    if (!finer.halos) return nullptr;
    auto made = std::make_shared<halo_exchange>(finer.halos->all(), rows, false);
    return made->least_rows() >= least_coarse_rows ? made : nullptr;
  }
};

}  // namespace heddle::laplace
