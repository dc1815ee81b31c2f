#pragma once

#include "laplace/held.hpp"
#include "laplace/held_kernels.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Multigrid whose coarse operators honour points that are held: black box multigrid (J. E. Dendy, J. Comput.
/// Phys. 48 (1982) 366). A fine point is interpolated by its own equation, so that a correction falls to 0
/// towards a wall of one point as towards the edges; the coarse operator is the fine one between restriction
/// and interpolation (Galerkin), whatever the coarse points see of the wall. With sweeps that mirror each
/// other before and after, each cycle makes the error's energy smaller, for any set of points. It is written
/// with patterns alone, and compiled for CPUs and, by nvcc, for GPUs.
namespace heddle::laplace {
inline namespace HD_BUILD {

template <class T>
class held_levels final : public held_machine<T> {
 public:
  held_levels(const target& where, const grid<T>& on) : where_(where), on_(on) {
    std::vector<std::uint8_t> ring(size(on.pitch * on.height), 1);
    for (std::ptrdiff_t r = 1; r + 1 < on.height; ++r)
      std::fill_n(ring.begin() + r * on.pitch + 1, on.width - 2, std::uint8_t{0});
    finest_.is_held = array<std::uint8_t>(ring, where);
    finest_.lengths = {on.width, on.height, on.pitch, on.pitch * on.height, nullptr};
  }

  void put(const std::vector<std::size_t>& places, const std::vector<T>& values, T* to) override {
    scatter(places, values, to);
  }

  void hold(const std::vector<std::size_t>& places, bool are_held) override {
    scatter(places, std::vector<std::uint8_t>(places.size(), are_held ? 1 : 0), finest_.is_held.data());
    is_current_ = false;
  }

  void clear(T* u) override {
    for_each_index(where_, extent{size(on_.height), size(on_.width)}, clear_point<T>{finest(), u});
  }

  void jacobi(const T* u, const T* g, T* v) override { inner(jacobi_point<T>{on_, finest(), u, g, v}); }

  void red_black(T* u, const T* g) override {
    relax_colour(u, g, 0);
    relax_colour(u, g, 1);
  }

  void cycle(T* u, const T* g) override {
    prepare();
    for (int sweep = 0; sweep < sweeps; ++sweep) red_black(u, g);
    if (!levels_.empty()) {
      find_residual(u, g);
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
    if (finest_.residual.size() == 0) make_residual(finest_);
    find_residual(u, g);
    return largest(finest_.residual);
  }

  std::vector<level_memory<T>> levels() const override {
    std::vector<level_memory<T>> made;
    for (const level& one : levels_)
      made.push_back(
          {one.lengths.width, one.lengths.height, one.lengths.pitch, one.values.data(), one.brought});
    return made;
  }

 private:
  static constexpr int sweeps = 2;  // on the way down, and up

  struct level {
    held_layout lengths;
    halving by;  // from the finer one
    array<std::uint8_t> is_held;
    array<T> operator_entries, values, source, residual;
    array<T> weights;  // of this level's points, for the next
    double brought = 0;
  };

  static std::size_t size(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

  held_layout of(const level& one) const {
    held_layout made = one.lengths;
    made.is_held = one.is_held.data();
    return made;
  }
  held_layout finest() const { return of(finest_); }

  template <class F>
  void over_inner(const held_layout& lengths, const F& f) const {
    if (lengths.width < 3 || lengths.height < 3) return;
    for_each_index(where_, extent{size(lengths.height - 2), size(lengths.width - 2)}, f);
  }
  template <class F>
  void inner(const F& f) const {
    over_inner(finest_.lengths, f);
  }

  template <class V>
  void scatter(const std::vector<std::size_t>& places, const std::vector<V>& values, V* to) const {
    if (places.empty()) return;
    const array<std::size_t> at(places, where_);
    const array<V> of(values, where_);
    for_each_index(where_, extent{at.size()}, put_value<V>{at.data(), of.data(), to});
  }

  void relax_colour(T* u, const T* g, int colour) const {
    if (on_.width < 3 || on_.height < 3) return;
    for_each_index(where_, extent{size(on_.height - 2), size((on_.width - 1) / 2)},
                   colour_point<T>{on_, finest(), g, u, colour});
  }

  void find_residual(const T* u, const T* g) {
    inner(fine_residual_point<T>{on_, finest(), u, g, finest_.residual.data()});
  }

  double largest(const array<T>& values) const {
    const minmax_result<T> both = minmax(where_, values);
    return std::max(std::abs(static_cast<double>(both.min)), std::abs(static_cast<double>(both.max)));
  }

  void make_residual(level& one) const {
    one.residual = array<T>(size(one.lengths.plane), where_);
    one.residual.fill(0);
  }

  /// The grids and operators for the points that are held now.
  void prepare() {
    if (is_current_) return;
    if (finest_.residual.size() == 0) make_residual(finest_);
    if (levels_.empty()) make_levels();
    level* fine = &finest_;
    for (level& coarse : levels_) {
      for_each_index(where_, extent{size(coarse.lengths.height), size(coarse.lengths.width)},
                     coarse_held_point{of(*fine), coarse.by, coarse.lengths.width, coarse.lengths.height,
                                       coarse.lengths.pitch, coarse.is_held.data()});
      if (fine == &finest_) {
        find_operator(*fine, five_points<T>{on_.across, on_.down}, coarse);
      } else {
        find_operator(*fine, nine_points<T>{fine->operator_entries.data()}, coarse);
      }
      fine = &coarse;
    }
    is_current_ = true;
  }

  template <class Operator>
  void find_operator(level& fine, const Operator& by, level& coarse) const {
    const held_layout from = of(fine), to = of(coarse);
    T* const weights = fine.weights.data();
    over_inner(from, weight_point<T, Operator, false>{from, by, coarse.by, to.is_held, to.pitch, weights});
    if (coarse.by.across && coarse.by.down)
      over_inner(from, weight_point<T, Operator, true>{from, by, coarse.by, to.is_held, to.pitch, weights});
    over_inner(to,
               galerkin_point<T, Operator>{from, by, coarse.by, weights, to, coarse.operator_entries.data()});
  }

  /// Only the axis with the closer points is halved until both are about alike, as for other grids.
  void make_levels() {
    double across = static_cast<double>(on_.width - 1), down = static_cast<double>(on_.height - 1);
    held_layout fine = finest_.lengths;
    for (;;) {
      const auto is_halved = [](std::ptrdiff_t points, double mine, std::ptrdiff_t others, double theirs) {
        return points > 3 && (others <= 3 || 2 * mine * mine >= theirs * theirs);
      };
      const halving by{is_halved(fine.width, across, fine.height, down),
                       is_halved(fine.height, down, fine.width, across)};
      if ((!by.across && !by.down) || fine.width < 3 || fine.height < 3) break;
      const auto halved = [](std::ptrdiff_t points, bool is) { return is ? (points - 2) / 2 + 2 : points; };
      level made;
      const grid<T> shape = make_grid<T>(halved(fine.width, by.across), halved(fine.height, by.down));
      made.lengths = {shape.width, shape.height, shape.pitch, shape.pitch * shape.height, nullptr};
      made.by = by;
      const std::size_t points = size(made.lengths.plane);
      made.is_held = array<std::uint8_t>(points, where_);
      made.operator_entries = array<T>(entries * points, where_);
      made.values = array<T>(points, where_);
      made.source = array<T>(points, where_);
      made.values.fill(0);
      made.source.fill(0);
      make_residual(made);
      (levels_.empty() ? finest_ : levels_.back()).weights = array<T>(parents * size(fine.plane), where_);
      levels_.push_back(std::move(made));
      if (by.across) across /= 2;
      if (by.down) down /= 2;
      fine = levels_.back().lengths;
    }
  }

  void restrict_to(const level& fine, level& coarse) {
    const held_layout to = of(coarse);
    over_inner(to, restrict_point<T>{of(fine), coarse.by, fine.weights.data(), fine.residual.data(), to,
                                     coarse.source.data(), coarse.values.data()});
    over_inner(to, first_change_point<T>{
                       to, {coarse.operator_entries.data()}, coarse.source.data(), coarse.residual.data()});
    coarse.brought = largest(coarse.residual);
  }

  void prolong(const level& fine, const level& coarse, T* to) const {
    over_inner(fine.lengths, prolong_point<T>{of(fine), coarse.by, fine.weights.data(), coarse.lengths.pitch,
                                              coarse.values.data(), to});
  }

  void relax_coarse(level& one, int colour) const {
    const held_layout lengths = of(one);
    for_each_index(where_, extent{size((lengths.height - 1) / 2), size((lengths.width - 1) / 2)},
                   coarse_colour_point<T>{
                       lengths, {one.operator_entries.data()}, one.source.data(), one.values.data(), colour});
  }

  void coarse_cycle(std::size_t number) {
    level& now = levels_[number];
    constexpr int colours = 4;
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (int colour = 0; colour < colours; ++colour) relax_coarse(now, colour);
    // The coarsest has one point, which is solved for.
    if (number + 1 == levels_.size()) return;
    over_inner(now.lengths, coarse_residual_point<T>{of(now),
                                                     {now.operator_entries.data()},
                                                     now.values.data(),
                                                     now.source.data(),
                                                     now.residual.data()});
    restrict_to(now, levels_[number + 1]);
    coarse_cycle(number + 1);
    prolong(now, levels_[number + 1], now.values.data());
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (int colour = colours; colour-- > 0;) relax_coarse(now, colour);
  }

  target where_;
  grid<T> on_;
  level finest_;
  std::vector<level> levels_;
  bool is_current_ = false;
};

}  // namespace HD_BUILD
}  // namespace heddle::laplace
