#pragma once

#include "laplace/solver_state.hpp"
#include <heddle/error.hpp>
#include <heddle/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

/// Changes of a solver while it runs.
namespace heddle::laplace {

template <class T>
void solver<T>::state::begin_change() {
  // Sweeps with points that are held leave the rows beside the first of a neighbour as they were.
  if (held_count > 0) fine->exchange(u);
  if (held) return;
  held = where.is_gpu() ? make_gpu_held_machine<T>(where, *fine) : make_cpu_held_machine<T>(where, *fine);
  is_held.assign(static_cast<std::size_t>(on().last - on().first) * lengths[1], 0);
}

/// Of an element in memory.
template <class T>
std::size_t solver<T>::state::place_of(const char* what, std::size_t row, std::size_t column) const {
  if (row >= lengths[0] || column >= lengths[1]) {
    fail(fmt::format("{}: row {}, column {} is outside of {} rows and {} columns", what, row, column,
                     lengths[0], lengths[1]));
  }
  return row * static_cast<std::size_t>(on().pitch) + column;
}

/// Whether the rows in memory have a point: those of this rank, and those of neighbours beside them.
template <class T>
bool solver<T>::state::is_here(std::size_t row) const {
  const auto number = static_cast<std::ptrdiff_t>(row);
  return number >= on().first && number < on().last;
}

template <class T>
std::uint8_t& solver<T>::state::held_flag(std::size_t row, std::size_t column) {
  return is_held[(row - static_cast<std::size_t>(on().first)) * lengths[1] + column];
}

template <class T>
void solver<T>::state::put(const std::vector<std::size_t>& places, const std::vector<T>& values) {
  // Both, as a sweep from one to the other leaves edges alone.
  held->put(places, values, u);
  held->put(places, values, other);
}

template <class T>
void solver<T>::state::hold_inner(const std::vector<std::size_t>& places, bool are_held) {
  const auto pitch = static_cast<std::size_t>(on().pitch);
  const auto first = static_cast<std::size_t>(fine->own.first),
             last = static_cast<std::size_t>(fine->own.last);
  std::vector<std::size_t> changed;
  std::size_t own_changes = 0;
  for (const std::size_t place : places) {
    const std::size_t row = place / pitch, column = place % pitch;
    if (row == 0 || column == 0 || row + 1 == lengths[0] || column + 1 == lengths[1]) continue;
    std::uint8_t& now = held_flag(row, column);
    if ((now != 0) == are_held) continue;
    now = are_held ? 1 : 0;
    changed.push_back(place);
    if (row >= first && row < last) ++own_changes;
  }
  std::size_t changes = own_changes;
  if (fine->halos) {
    changes = 0;
    for (const std::size_t of_rank : all->all_gather(own_changes)) changes += of_rank;
  }
  if (are_held) {
    held_count += changes;
  } else {
    held_count -= changes;
  }
  held->hold(changed, are_held);
}

/// Values that are relative to the beginning become relative to 0 inside, with the walls and charges of now.
template <class T>
void solver<T>::state::after_change() {
  is_restricted = false;
  had_cycle = false;
  if (!has_inner_points()) return;
  keep_edges();
  const std::ptrdiff_t first = on().first * on().pitch;
  copy(other + first, where, u + first, where, static_cast<std::size_t>(on().points_in_memory()) * sizeof(T));
  held->clear(other);
  reference = largest_residual(other);
  if (reference == 0) reference = largest_residual(u);
}

template <class T>
void solver<T>::state::iterate_held(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    switch (how) {
      case method::jacobi:
        held->jacobi(u, g(), other);
        std::swap(u, other);
        break;
      case method::red_black:
        held->red_black(u, g());
        break;
      case method::multigrid:
        held->cycle(u, g());
        had_cycle = true;
        break;
    }
  }
}

/// Places and values without those of points that come again.
template <class T>
struct last_values {
  std::vector<std::size_t> places;
  std::vector<T> values;

  void add(std::size_t place, T value) {
    const auto [found, is_new] = known_.emplace(place, places.size());
    if (is_new) {
      places.push_back(place);
      values.push_back(value);
    } else {
      values[found->second] = value;
    }
  }

 private:
  std::unordered_map<std::size_t, std::size_t> known_;
};

template <class T>
void require_in_range(const char* what, const point_value<T>& of) {
  if (!(std::abs(of.value) <= largest_value<T>)) fail_out_of_range(what, of.row, of.column, of.value);
}

template <class T>
void solver<T>::hold(std::span<const point_value<T>> points) {
  constexpr const char* what = "laplace: points to hold";
  state& s = *state_;
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  last_values<T> given;
  for (const point_value<T>& one : points) {
    const std::size_t place = s.place_of(what, one.row, one.column);
    require_in_range("value of a point to hold", one);
    if (s.is_here(one.row)) given.add(place, one.value);
  }
  s.begin_change();
  s.put(given.places, given.values);
  s.hold_inner(given.places, true);
  s.after_change();
}

template <class T>
void solver<T>::state::hold_rows(const std::uint8_t* mask) {
  constexpr const char* what = "laplace: points to hold";
  begin_change();
  std::vector<std::size_t> places;
  const auto first = static_cast<std::size_t>(on().first), last = static_cast<std::size_t>(on().last);
  for (std::size_t row = first; row < last; ++row) {
    for (std::size_t column = 0; column < lengths[1]; ++column) {
      if (mask[(row - first) * lengths[1] + column] != 0) places.push_back(place_of(what, row, column));
    }
  }
  hold_inner(places, true);
  after_change();
}

inline void require_shape_of_mask(const shape& mask, const shape& points) {
  if (mask == points) return;
  fail(fmt::format("laplace: points to hold: the mask has shape {}, where the points have {}", mask.text(),
                   points.text()));
}

template <class T>
void solver<T>::hold(const array_view<const std::uint8_t>& mask) {
  state& s = *state_;
  require_shape_of_mask(mask.shape(), s.lengths);
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  const array<std::uint8_t> here = mask.on(target());
  s.hold_rows(here.data() + static_cast<std::size_t>(s.on().first) * s.lengths[1]);
}

template <class T>
void solver<T>::hold(const distributed_array<std::uint8_t>& mask) {
  state& s = *state_;
  if (!s.all)
    fail("laplace: points to hold: the mask is spread over ranks, and the solver is on one machine");
  require_shape_of_mask(mask.shape(), s.lengths);
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  if (!s.fine->halos) return s.hold_rows(mask.gather().data());
  const distributed_array<std::uint8_t> own = mask.redistributed(s.fine->halos->begins());
  // With the rows of neighbours that are in memory.
  level<T> rows = *s.fine;
  rows.on.pitch = rows.on.width;
  array<std::uint8_t> here(static_cast<std::size_t>(rows.on.points_in_memory()), s.where);
  std::uint8_t* const row_0 = rows.row_0(here);
  copy(row_0 + rows.own.first * rows.on.pitch, s.where, own.local().data(), own.local().where(),
       own.local().size());
  rows.exchange(row_0);
  s.hold_rows(here.on(target()).data());
}

template <class T>
void solver<T>::release(std::span<const point> points) {
  constexpr const char* what = "laplace: points to release";
  state& s = *state_;
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  std::vector<std::size_t> places;
  for (const point& one : points) {
    const std::size_t place = s.place_of(what, one.row, one.column);
    if (s.is_here(one.row)) places.push_back(place);
  }
  s.begin_change();
  s.hold_inner(places, false);
  s.after_change();
}

template <class T>
void solver<T>::set_source(std::span<const point_value<T>> points) {
  constexpr const char* what = "laplace: the source";
  state& s = *state_;
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  last_values<T> given;
  for (const point_value<T>& one : points) {
    const std::size_t place = s.place_of(what, one.row, one.column);
    require_in_range("value of the source", one);
    if (s.is_here(one.row))
      given.add(place, static_cast<T>(s.on().source_scale * static_cast<double>(one.value)));
  }
  s.begin_change();
  if (s.source.size() == 0) {
    s.source = array<T>(static_cast<std::size_t>(s.on().points_in_memory()), s.where);
    s.source.fill(0);
  }
  s.held->put(given.places, given.values, s.fine->row_0(s.source));
  s.after_change();
}

template <class T>
void solver<T>::clear() {
  state& s = *state_;
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  s.begin_change();
  if (s.has_inner_points()) s.held->clear(s.u);
  s.after_change();
}

template <class T>
bool solver<T>::is_held(std::size_t row, std::size_t column) const {
  state& s = *state_;
  s.place_of("laplace: a point", row, column);
  const bool is_edge = row == 0 || column == 0 || row + 1 == s.lengths[0] || column + 1 == s.lengths[1];
  if (is_edge || s.held_count == 0) return is_edge;
  std::uint8_t is = s.is_here(row) ? s.held_flag(row, column) : std::uint8_t{0};
  if (s.fine->halos) {
    const std::vector<std::size_t>& begins = s.fine->halos->begins();
    const auto owner = std::upper_bound(begins.begin(), begins.end(), row) - begins.begin() - 1;
    s.all->broadcast(is, static_cast<int>(owner));
  }
  return is != 0;
}

template <class T>
std::size_t solver<T>::held_points() const noexcept {
  return state_->held_count;
}

template <class T>
grid_view<T> solver<T>::points_in_place() const {
  const state& s = *state_;
  if (s.all) fail("laplace: points_in_place of a solver over ranks: use solution_of_ranks()");
  return {s.u, s.lengths[1], s.lengths[0], static_cast<std::size_t>(s.on().pitch), s.where};
}

template <class T>
std::vector<level_state<T>> solver<T>::levels() const {
  const state& s = *state_;
  std::vector<level_state<T>> made;
  if (s.all || !s.had_cycle) return made;
  const auto size = [](std::ptrdiff_t n) { return static_cast<std::size_t>(n); };
  if (s.held_count > 0) {
    for (const level_memory<T>& one : s.held->levels()) {
      made.push_back(
          {{one.values, size(one.width), size(one.height), size(one.pitch), s.where}, one.residual});
    }
    return made;
  }
  for (const coarse_level<T>& one : s.coarse) {
    const minmax_result<T> both = minmax(s.where, one.source);
    made.push_back({{one.values.data(), size(one.on.width), size(one.on.height), size(one.on.pitch), s.where},
                    static_cast<double>(std::max(std::abs(both.min), std::abs(both.max)))});
  }
  return made;
}

}  // namespace heddle::laplace
