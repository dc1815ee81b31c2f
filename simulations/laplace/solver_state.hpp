#pragma once

#include "laplace/grid.hpp"
#include "laplace/held.hpp"
#include "laplace/laplace.hpp"
#include "laplace/levels.hpp"
#include "laplace/machine.hpp"
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

/// The state of a solver.
namespace heddle::laplace {

template <class T>
T largest_of_ranks(const ranks& all, T mine) {
  const array<T> of_ranks = all.all_gather(mine);
  return *std::max_element(of_ranks.begin(), of_ranks.end());
}

/// The largest value that is taken: sums of a few neighbours, on every grid of a cycle, stay finite.
template <class T>
inline constexpr T largest_value = std::numeric_limits<T>::max() / 1024;

template <class T>
[[noreturn]] void fail_out_of_range(const char* what, std::size_t row, std::size_t column, T value) {
  const std::string place = fmt::format("in row {}, column {}", row, column);
  if (std::isfinite(value)) {
    fail(fmt::format("the {} is {:.4g} {}, and {:.4g} is the largest that {} leaves room for", what, value,
                     place, largest_value<T>, name(dtype_of<T>)));
  }
  fail(fmt::format("the {} {} {}, and not a finite number", what,
                   std::isnan(value) ? "is NaN" : "is infinite", place));
}

/// Of rows from `first_row` on.
template <class T>
void check_range(const char* what, const T* values, std::size_t size, std::size_t width,
                 std::size_t first_row, int threads) {
  const auto fits = [](T value) { return std::abs(value) <= largest_value<T>; };
  cpu::for_slices(threads, size, std::size_t{1} << 16, [&](std::size_t first, std::size_t last) {
    const T* const beyond = std::find_if_not(values + first, values + last, fits);
    if (beyond != values + last) {
      const auto index = static_cast<std::size_t>(beyond - values);
      fail_out_of_range(what, first_row + index / width, index % width, *beyond);
    }
  });
}

template <class T>
struct solver<T>::state {
  target where;
  std::optional<ranks> all;
  method how;
  shape lengths;
  std::optional<level<T>> fine;
  std::unique_ptr<machine<T>> device;
  array<T> first, second;  // the points, alternately
  array<T> source;
  std::vector<coarse_level<T>> coarse;
  T* u = nullptr;
  T* other = nullptr;
  std::size_t done = 0;
  double reference = 0;
  bool is_restricted = false;  // the residual of u is on the first coarse grid already
  bool had_cycle = false;
  // Of inner points that stay, where there were any, or anything else was changed.
  std::unique_ptr<held_machine<T>> held;
  std::vector<std::uint8_t> is_held;  // of the rows in memory, 0 at edges
  std::size_t held_count = 0;
  // Jacobi's sweeps over ranks: rows at the edges and those beside them, and what comes from neighbours.
  array<T> edges[2], received[2];

  const grid<T>& on() const { return fine->on; }
  const T* g() const { return source.size() == 0 ? nullptr : fine->row_0(source); }
  bool has_inner_points() const { return on().width > 2 && on().height > 2; }

  /// Own rows of `width` elements on the CPU to rows of `pitch` elements there.
  std::vector<T> pitched(const T* from, bool only_edges, double scale) const {
    const auto points = static_cast<std::size_t>(on().points_in_memory());
    require_memory(points * sizeof(T));
    std::vector<T> rows(points);
    for (std::ptrdiff_t r = fine->own.first; r < fine->own.last; ++r) {
      const bool is_edge = r == 0 || r == on().height - 1;
      for (std::ptrdiff_t c = 0; c < on().width; ++c) {
        if (only_edges && !is_edge && c != 0 && c != on().width - 1) continue;
        const T value = from[(r - fine->own.first) * on().width + c];
        rows[static_cast<std::size_t>((r - on().first) * on().pitch + c)] =
            scale == 1 ? value : static_cast<T>(scale * static_cast<double>(value));
      }
    }
    return rows;
  }
  /// The same on the target, with the rows of neighbours.
  array<T> placed(const T* from, bool only_edges, double scale) const {
    array<T> made(pitched(from, only_edges, scale), where);
    fine->exchange(fine->row_0(made));
    return made;
  }

  /// On the target and with the rows that `first` begins with: see the constructors.
  void begin(const T* points, const T* values);

  double largest_residual(const T* of) {
    if (held_count > 0) return largest(held->largest_residual(of, g()));
    return largest(device->largest_residual(on(), of, g(), fine->own));
  }

  /// The outermost points of the rows at the edges of this rank.
  void keep_edges();

  // Changes while it runs. Those of points that are not here leave this rank as it is.
  void begin_change();
  bool is_here(std::size_t row) const;
  std::uint8_t& held_flag(std::size_t row, std::size_t column);
  void hold_rows(const std::uint8_t* mask);  // of the rows in memory
  std::size_t place_of(const char* what, std::size_t row, std::size_t column) const;
  void put(const std::vector<std::size_t>& places, const std::vector<T>& values);
  void hold_inner(const std::vector<std::size_t>& places, bool are_held);
  void after_change();
  void iterate_held(std::size_t count);
  double largest(auto mine) const {
    return static_cast<double>(fine->halos ? largest_of_ranks(*all, mine) : mine);
  }

  void sweep_jacobi(std::size_t count);

  /// The residual of a level to the source of the next coarser one.
  T restrict_to(std::size_t number, bool is_wanted) {
    coarse_level<T>& to = coarse[number];
    const level<T>& from = number == 0 ? *fine : coarse[number - 1];
    const T* const values = number == 0 ? u : nullptr;
    const T* const sources = number == 0 ? g() : coarse[number - 1].g();
    T most = 0;
    const auto restrict_rows = [&](const row_range& rows) {
      most = std::max(most, device->restrict_residual(from.on, values, sources, to.on, to.g(),
                                                      to.across.view(), to.down.view(), rows, is_wanted));
    };
    if (to.halos || !from.halos) {
      to.compute(to.g(), restrict_rows);
      return most;
    }
    // The first grid that every rank has whole.
    const auto me = static_cast<std::size_t>(all->rank());
    const row_range mine{static_cast<std::ptrdiff_t>(to.begins[me]),
                         static_cast<std::ptrdiff_t>(to.begins[me + 1])};
    restrict_rows(mine);
    std::vector<T> rows(static_cast<std::size_t>(mine.count() * to.on.pitch));
    copy(rows.data(), target(), to.g() + mine.first * to.on.pitch, where, rows.size() * sizeof(T));
    const array<T> of_ranks = all->all_gather(rows);
    copy(to.g(), where, of_ranks.data(), target(), of_ranks.size() * sizeof(T));
    return most;
  }

  void relax(const level<T>& at, const T* from, const correction<T>& by, const T* sources, T* to,
             int sweeps) {
    at.compute(to, [&](const row_range& rows) { device->relax(at.on, from, by, sources, to, sweeps, rows); });
  }

  /// One multigrid cycle: the residual goes down to the coarsest grid; on the way up each grid adds what the
  /// coarser one found and relaxes it.
  void cycle() {
    constexpr int sweeps = 3;
    for (std::size_t number = is_restricted ? 1 : 0; number < coarse.size(); ++number)
      restrict_to(number, false);
    for (std::size_t number = coarse.size(); number-- > 0;) {
      coarse_level<T>& now = coarse[number];
      const bool is_coarsest = number + 1 == coarse.size();
      const correction<T> from = is_coarsest ? correction<T>{} : coarse[number + 1].to_finer();
      relax(now, nullptr, from, now.g(), now.v(), is_coarsest ? 1 : sweeps);
    }
    relax(*fine, u, coarse.empty() ? correction<T>{} : coarse[0].to_finer(), g(), other, sweeps);
    std::swap(u, other);
    is_restricted = false;
    had_cycle = true;
  }
};

}  // namespace heddle::laplace
