#pragma once

#include "laplace/held.hpp"
#include "laplace/held_kernels.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/memory.hpp>
#include <heddle/statistics.hpp>
#include <heddle/support/halo_exchange.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/// Multigrid whose coarse operators honour points that are held: black box multigrid (J. E. Dendy, J. Comput.
/// Phys. 48 (1982) 366). A fine point is interpolated by its own equation, so that a correction falls to 0
/// towards a wall of one point as towards the edges; the coarse operator is the fine one between restriction
/// and interpolation (Galerkin), whatever the coarse points see of the wall. With sweeps that mirror each
/// other before and after, each cycle makes the error's energy smaller, for any set of points. It is written
/// with patterns alone, and compiled for CPUs and, by nvcc, for GPUs. Over ranks each has a block of rows of
/// the larger levels, and those of few rows are whole on every rank.
namespace heddle::laplace {
inline namespace HD_BUILD {

template <class T>
class held_levels final : public held_machine<T> {
 public:
  held_levels(const target& where, const level<T>& fine) : where_(where), finest_(fine) {
    const grid<T>& on = fine.on;
    std::vector<std::uint8_t> ring(size(on.points_in_memory()), 1);
    const row_range inside = inner(on, {on.first, on.last});
    for (std::ptrdiff_t r = inside.first; r < inside.last; ++r)
      std::fill_n(ring.begin() + (r - on.first) * on.pitch + 1, on.width - 2, std::uint8_t{0});
    finest_.is_held = array<std::uint8_t>(ring, where);
  }

  void put(const std::vector<std::size_t>& places, const std::vector<T>& values, T* to) override {
    scatter(places, values, to);
  }

  void hold(const std::vector<std::size_t>& places, bool are_held) override {
    scatter(places, std::vector<std::uint8_t>(places.size(), are_held ? 1 : 0),
            finest_.at.row_0(finest_.is_held));
    is_current_ = false;
  }

  void clear(T* u) override {
    over_rows(on(), {on().first, on().last}, clear_point<T>{layout_of(finest_), u});
  }

  void jacobi(const T* u, const T* g, T* v) override {
    finest_.at.compute(
        v,
        [&](const row_range& rows) {
          over_inner(on(), rows, jacobi_point<T>{on(), layout_of(finest_), u, g, v});
        },
        beside);
  }

  void red_black(T* u, const T* g) override {
    relax_colour(u, g, 0);
    relax_colour(u, g, 1);
  }

  void cycle(T* u, const T* g) override {
    prepare();
    for (int sweep = 0; sweep < sweeps; ++sweep) red_black(u, g);
    if (!levels_.empty()) {
      find_residual(u, g);
      finest_.at.exchange(finest_.at.row_0(finest_.residual), beside);
      restrict_to(finest_, levels_[0]);
      coarse_cycle(0);
      prolong(finest_, levels_[0], u);
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      relax_colour(u, g, 1);
      relax_colour(u, g, 0);
    }
  }

  double largest_residual(const T* u, const T* g) override {
    if (finest_.residual.size() == 0) make_zero(finest_, finest_.residual);
    find_residual(u, g);
    return largest(finest_, finest_.residual);
  }

  std::vector<level_memory<T>> levels() const override {
    std::vector<level_memory<T>> made;
    if (is_over_ranks()) return made;
    for (const held_level& one : levels_)
      made.push_back({one.at.on.width, one.at.on.height, one.at.on.pitch, one.values.data(), one.brought});
    return made;
  }

 private:
  static constexpr int sweeps = 2;             // on the way down, and up
  static constexpr std::ptrdiff_t beside = 1;  // the rows of neighbours that a point's equation reaches

  struct held_level {
    level<T> at;
    halving by;  // from the finer one
    array<std::uint8_t> is_held;
    array<T> operator_entries, values, source, residual;
    array<T> weights;  // of this level's points, for the next
    double brought = 0;
    // The rows that each rank computes of the first level that every rank has whole, below a distributed one.
    std::vector<std::size_t> begins;

    explicit held_level(const level<T>& of) : at(of) {}
    const T* v() const { return at.row_0(values); }
    T* v() { return at.row_0(values); }
  };

  static std::size_t size(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }
  const grid<T>& on() const { return finest_.at.on; }
  bool is_over_ranks() const { return finest_.at.halos != nullptr; }

  static held_layout layout_of(const held_level& one) {
    const grid<T>& on = one.at.on;
    return {on.width, on.height, on.pitch, on.points_in_memory(), one.at.row_0(one.is_held)};
  }
  static nine_points<T> operator_of(const held_level& one) { return {one.at.row_0(one.operator_entries)}; }

  /// The rows of a level that this rank finds for the others, or all.
  row_range rows_to_find(const held_level& one) const {
    if (one.begins.empty()) return one.at.own;
    const auto me = size(finest_.at.halos->all().rank());
    return {static_cast<std::ptrdiff_t>(one.begins[me]), static_cast<std::ptrdiff_t>(one.begins[me + 1])};
  }

  /// f(row, column) of rows, and of inner points, for which f begins at 0.
  template <class F>
  void over_rows(const grid<T>& of, const row_range& rows, const F& f) const {
    if (rows.first >= rows.last) return;
    for_each_index(where_, extent{size(rows.count()), size(of.width)}, from_row<F>{f, size(rows.first)});
  }
  template <class F>
  void over_inner(const grid<T>& of, const row_range& rows, const F& f) const {
    const row_range inside = inner(of, rows);
    if (of.width < 3 || inside.first >= inside.last) return;
    for_each_index(where_, extent{size(inside.count()), size(of.width - 2)},
                   from_row<F>{f, size(inside.first - 1)});
  }

  template <class V>
  void scatter(const std::vector<std::size_t>& places, const std::vector<V>& values, V* to) const {
    if (places.empty()) return;
    const array<std::size_t> at(places, where_);
    const array<V> of(values, where_);
    for_each_index(where_, extent{at.size()}, put_value<V>{at.data(), of.data(), to});
  }

  void relax_colour(T* u, const T* g, int colour) const {
    const auto relax = [&](const row_range& rows) {
      const row_range inside = inner(on(), rows);
      if (on().width < 3 || inside.first >= inside.last) return;
      const colour_point<T> one{on(), layout_of(finest_), g, u, colour};
      for_each_index(where_, extent{size(inside.count()), size((on().width - 1) / 2)},
                     from_row<colour_point<T>>{one, size(inside.first - 1)});
    };
    finest_.at.compute(u, relax, beside);
  }

  void find_residual(const T* u, const T* g) {
    over_inner(on(), finest_.at.own,
               fine_residual_point<T>{on(), layout_of(finest_), u, g, finest_.at.row_0(finest_.residual)});
  }

  /// Of the rows of this rank.
  double largest(const held_level& of, const array<T>& values) const {
    const row_range& own = of.at.own;
    const array_view<const T> rows(of.at.row_0(values) + own.first * of.at.on.pitch,
                                   shape{size(own.count() * of.at.on.pitch)}, where_);
    const minmax_result<T> both = minmax(where_, rows);
    return std::max(std::abs(static_cast<double>(both.min)), std::abs(static_cast<double>(both.max)));
  }

  void make_zero(const held_level& of, array<T>& values) const {
    values = array<T>(size(of.at.on.points_in_memory()), where_);
    values.fill(0);
  }

  /// Sends the values that each rank has found for its rows, of several planes, to ranks that need them: so
  /// many rows beside each edge, or all.
  template <class V>
  void share(const held_level& of, V* row_0, std::ptrdiff_t depth, int planes) const {
    of.at.exchange(row_0, depth, planes);
    if (of.begins.empty()) return;
    const row_range mine = rows_to_find(of);
    const grid<T>& on = of.at.on;
    for (int plane = 0; plane < planes; ++plane) {
      V* const all = row_0 + plane * on.points_in_memory();
      std::vector<V> rows(size(mine.count() * on.pitch));
      copy(rows.data(), target(), all + mine.first * on.pitch, where_, rows.size() * sizeof(V));
      const array<V> of_ranks = finest_.at.halos->all().all_gather(rows);
      copy(all, where_, of_ranks.data(), target(), of_ranks.size() * sizeof(V));
    }
  }

  /// The grids and operators for the points that are held now.
  void prepare() {
    if (is_current_) return;
    if (finest_.residual.size() == 0) make_zero(finest_, finest_.residual);
    if (levels_.empty()) make_levels();
    held_level* fine = &finest_;
    for (held_level& coarse : levels_) {
      std::uint8_t* const is_held = coarse.at.row_0(coarse.is_held);
      const grid<T>& to = coarse.at.on;
      over_rows(to, rows_to_find(coarse),
                coarse_held_point{layout_of(*fine), coarse.by, to.width, to.height, to.pitch, is_held});
      share(coarse, is_held, 2 * beside, 1);
      if (fine == &finest_) {
        find_operator(*fine, five_points<T>{on().across, on().down}, coarse);
      } else {
        find_operator(*fine, operator_of(*fine), coarse);
      }
      fine = &coarse;
    }
    is_current_ = true;
  }

  template <class Operator>
  void find_operator(held_level& fine, const Operator& by, held_level& coarse) const {
    const held_layout from = layout_of(fine), to = layout_of(coarse);
    T* const weights = fine.at.row_0(fine.weights);
    over_inner(fine.at.on, fine.at.own,
               weight_point<T, Operator, false>{from, by, coarse.by, to.is_held, to.pitch, weights});
    if (coarse.by.across && coarse.by.down) {
      // Between four coarse points the weights of neighbours are needed.
      fine.at.exchange(weights, beside, parents);
      over_inner(fine.at.on, fine.at.own,
                 weight_point<T, Operator, true>{from, by, coarse.by, to.is_held, to.pitch, weights});
    }
    // A coarse point's equation takes those of the fine rows beside it, and the parents of their neighbours.
    fine.at.exchange(weights, 2 * beside, parents);
    T* const found = coarse.at.row_0(coarse.operator_entries);
    over_inner(coarse.at.on, rows_to_find(coarse),
               galerkin_point<T, Operator>{from, by, coarse.by, weights, to, found});
    share(coarse, found, beside, entries);
  }

  /// Only the axis with the closer points is halved until both are about alike, as for other grids.
  void make_levels() {
    double across = static_cast<double>(on().width - 1), down = static_cast<double>(on().height - 1);
    for (;;) {
      held_level& finer = levels_.empty() ? finest_ : levels_.back();
      const grid<T>& fine = finer.at.on;
      const auto is_halved = [](std::ptrdiff_t points, double mine, std::ptrdiff_t others, double theirs) {
        return points > 3 && (others <= 3 || 2 * mine * mine >= theirs * theirs);
      };
      const halving by{is_halved(fine.width, across, fine.height, down),
                       is_halved(fine.height, down, fine.width, across)};
      if ((!by.across && !by.down) || fine.width < 3 || fine.height < 3) break;
      finer.weights = array<T>(parents * size(fine.points_in_memory()), where_);
      held_level made = coarser_than(finer, by);
      const std::size_t points = size(made.at.on.points_in_memory());
      made.is_held = array<std::uint8_t>(points, where_);
      made.operator_entries = array<T>(entries * points, where_);
      make_zero(made, made.values);
      make_zero(made, made.source);
      make_zero(made, made.residual);
      levels_.push_back(std::move(made));
      if (by.across) across /= 2;
      if (by.down) down /= 2;
    }
  }

  /// Coarse rows are where the fine ones are that they coincide with, as long as they are enough.
  static held_level coarser_than(const held_level& finer, const halving& by) {
    const auto halved = [](std::ptrdiff_t points, bool is) { return is ? (points - 2) / 2 + 2 : points; };
    const grid<T> on =
        make_grid<T>(halved(finer.at.on.width, by.across), halved(finer.at.on.height, by.down));
    std::vector<std::size_t> begins;
    std::shared_ptr<halo_exchange> halos;
    if (finer.at.halos) {
      begins = finer.at.halos->begins();
      for (std::size_t& row : begins) row = by.down ? (row + 1) / 2 : row;
      begins.back() = size(on.height);
      halos = std::make_shared<halo_exchange>(finer.at.halos->all(), begins, false);
      if (halos->least_rows() < least_coarse_rows) halos = nullptr;
    }
    held_level made{level<T>(on, halos)};
    made.by = by;
    if (!halos) made.begins = std::move(begins);
    return made;
  }

  void restrict_to(const held_level& fine, held_level& coarse) {
    const held_layout to = layout_of(coarse);
    T* const source = coarse.at.row_0(coarse.source);
    // Corrections of other ranks' rows begin at 0 too.
    if (is_over_ranks()) coarse.values.fill(0);
    over_inner(coarse.at.on, rows_to_find(coarse),
               restrict_point<T>{layout_of(fine), coarse.by, fine.at.row_0(fine.weights),
                                 fine.at.row_0(fine.residual), to, source, coarse.v()});
    if (is_over_ranks()) {
      if (!coarse.begins.empty()) share(coarse, source, 0, 1);
      return;
    }
    over_inner(coarse.at.on, coarse.at.own,
               first_change_point<T>{to, operator_of(coarse), source, coarse.residual.data()});
    coarse.brought = largest(coarse, coarse.residual);
  }

  void prolong(const held_level& fine, const held_level& coarse, T* to) const {
    const auto add = [&](const row_range& rows) {
      over_inner(fine.at.on, rows,
                 prolong_point<T>{layout_of(fine), coarse.by, fine.at.row_0(fine.weights), coarse.at.on.pitch,
                                  coarse.v(), to});
    };
    fine.at.compute(to, add, beside);
  }

  /// A sweep of the four colours, or one that mirrors it. Rows of one parity do not depend on each other.
  void relax_coarse(held_level& one, bool is_mirrored) const {
    for (const int parity : {0, 1}) {
      const auto relax = [&](const row_range& rows) {
        for (const int second : {0, 1}) {
          const int colour = 2 * parity + second;
          relax_coarse_rows(one, is_mirrored ? 3 - colour : colour, rows);
        }
      };
      one.at.compute(one.v(), relax, beside);
    }
  }
  void relax_coarse_rows(held_level& one, int colour, const row_range& rows) const {
    const grid<T>& on = one.at.on;
    const row_range inside = inner(on, rows);
    // Row 2·pair + 1 + colour / 2.
    const auto first_pair = [&](std::ptrdiff_t row) {
      return std::max<std::ptrdiff_t>(0, (row - colour / 2) / 2);
    };
    const std::ptrdiff_t first = first_pair(inside.first), last = first_pair(inside.last);
    if (on.width < 3 || inside.first >= inside.last || first >= last) return;
    const coarse_colour_point<T> point{layout_of(one), operator_of(one), one.at.row_0(one.source), one.v(),
                                       colour};
    for_each_index(where_, extent{size(last - first), size((on.width - 1) / 2)},
                   from_row<coarse_colour_point<T>>{point, size(first)});
  }

  void coarse_cycle(std::size_t number) {
    held_level& now = levels_[number];
    for (int sweep = 0; sweep < sweeps; ++sweep) relax_coarse(now, false);
    // The coarsest has one point, which is solved for.
    if (number + 1 == levels_.size()) return;
    T* const residual = now.at.row_0(now.residual);
    over_inner(now.at.on, now.at.own,
               coarse_residual_point<T>{layout_of(now), operator_of(now), now.v(), now.at.row_0(now.source),
                                        residual});
    now.at.exchange(residual, beside);
    restrict_to(now, levels_[number + 1]);
    coarse_cycle(number + 1);
    prolong(now, levels_[number + 1], now.v());
    for (int sweep = 0; sweep < sweeps; ++sweep) relax_coarse(now, true);
  }

  target where_;
  held_level finest_;
  std::vector<held_level> levels_;
  bool is_current_ = false;
};

}  // namespace HD_BUILD
}  // namespace heddle::laplace
