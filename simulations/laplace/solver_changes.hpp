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

/// What is changed of a solver while it runs.
namespace heddle::laplace {

template <class T>
held_machine<T>& solver<T>::state::changes(const char* what) {
  if (all) fail(fmt::format("{} of a solver over ranks: make one of solution() on one machine", what));
  if (!held) {
    held = where.is_gpu() ? make_gpu_held_machine<T>(where, on()) : make_cpu_held_machine<T>(where, on());
    is_held.assign(lengths.elements(), 0);
  }
  return *held;
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

template <class T>
void solver<T>::state::put(const std::vector<std::size_t>& places, const std::vector<T>& values) {
  // Both, as a sweep from one to the other leaves edges alone.
  held->put(places, values, u);
  held->put(places, values, other);
}

template <class T>
void solver<T>::state::hold_inner(const std::vector<std::size_t>& places, bool are_held) {
  const auto pitch = static_cast<std::size_t>(on().pitch);
  std::vector<std::size_t> changed;
  for (const std::size_t place : places) {
    const std::size_t row = place / pitch, column = place % pitch;
    if (row == 0 || column == 0 || row + 1 == lengths[0] || column + 1 == lengths[1]) continue;
    std::uint8_t& now = is_held[row * lengths[1] + column];
    if ((now != 0) == are_held) continue;
    now = are_held ? 1 : 0;
    changed.push_back(place);
  }
  if (are_held) {
    held_count += changed.size();
  } else {
    held_count -= changed.size();
  }
  held->hold(changed, are_held);
}

/// What is relative to the beginning is relative to 0 inside with the walls and charges of now.
template <class T>
void solver<T>::state::after_change() {
  is_restricted = false;
  had_cycle = false;
  if (!has_inner_points()) return;
  copy(other, where, u, where, static_cast<std::size_t>(on().points_in_memory()) * sizeof(T));
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
  s.changes(what);
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  last_values<T> given;
  for (const point_value<T>& one : points) {
    const std::size_t place = s.place_of(what, one.row, one.column);
    require_in_range("value of a point to hold", one);
    given.add(place, one.value);
  }
  s.put(given.places, given.values);
  s.hold_inner(given.places, true);
  s.after_change();
}

template <class T>
void solver<T>::hold(const array_view<const std::uint8_t>& mask) {
  constexpr const char* what = "laplace: points to hold";
  state& s = *state_;
  if (!(mask.shape() == s.lengths)) {
    fail(fmt::format("{}: the mask has shape {}, where the points have {}", what, mask.shape().text(),
                     s.lengths.text()));
  }
  s.changes(what);
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  const array<std::uint8_t> here = mask.on(target());
  std::vector<std::size_t> places;
  for (std::size_t row = 0; row < s.lengths[0]; ++row) {
    for (std::size_t column = 0; column < s.lengths[1]; ++column) {
      if (here.data()[row * s.lengths[1] + column] != 0) places.push_back(s.place_of(what, row, column));
    }
  }
  s.hold_inner(places, true);
  s.after_change();
}

template <class T>
void solver<T>::release(std::span<const point> points) {
  constexpr const char* what = "laplace: points to release";
  state& s = *state_;
  s.changes(what);
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  std::vector<std::size_t> places;
  for (const point& one : points) places.push_back(s.place_of(what, one.row, one.column));
  s.hold_inner(places, false);
  s.after_change();
}

template <class T>
void solver<T>::set_source(std::span<const point_value<T>> points) {
  constexpr const char* what = "laplace: the source";
  state& s = *state_;
  s.changes(what);
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  last_values<T> given;
  for (const point_value<T>& one : points) {
    const std::size_t place = s.place_of(what, one.row, one.column);
    require_in_range("value of the source", one);
    given.add(place, static_cast<T>(s.on().source_scale * static_cast<double>(one.value)));
  }
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
  s.changes("laplace: clear()");
  const operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  if (s.has_inner_points()) s.held->clear(s.u);
  s.after_change();
}

template <class T>
bool solver<T>::is_held(std::size_t row, std::size_t column) const {
  const state& s = *state_;
  s.place_of("laplace: a point", row, column);
  const bool is_edge = row == 0 || column == 0 || row + 1 == s.lengths[0] || column + 1 == s.lengths[1];
  return is_edge || (!s.is_held.empty() && s.is_held[row * s.lengths[1] + column] != 0);
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
