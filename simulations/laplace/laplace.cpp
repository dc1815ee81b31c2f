#include "laplace/laplace.hpp"

#include "laplace/grid.hpp"
#include "laplace/machine.hpp"
#include "laplace/solver_changes.hpp"
#include "laplace/solver_state.hpp"
#include "target_for_steps.hpp"
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace heddle::laplace {

const char* name(method how) noexcept {
  constexpr const char* names[] = {"jacobi", "red-black", "multigrid"};
  static_assert(std::size(names) == std::size(methods));
  return names[static_cast<int>(how)];
}

double sine_solution(double x, double y) noexcept {
  return std::exp(-std::numbers::pi * x) * std::sin(std::numbers::pi * y);
}

namespace {

/// Where point `number` of an axis is.
double place(std::size_t number, std::size_t points) {
  return points < 2 ? 0 : static_cast<double>(number) / static_cast<double>(points - 1);
}

/// At a multiple of π the sine is 0, and not what is left of the rounding of π.
double sine_at(std::size_t column, std::size_t width, std::size_t row, std::size_t height) {
  if (row == 0 || row == height - 1) return 0;
  return sine_solution(place(column, width), place(row, height));
}

}  // namespace

namespace {

template <class T>
array<T> sine_rows(std::size_t width, std::size_t height, std::size_t first, std::size_t rows) {
  array<T> edges({rows, width});
  edges.fill(0);
  if (width == 0) return edges;
  for (std::size_t row = 0; row < rows; ++row) {
    edges.data()[row * width] = static_cast<T>(sine_at(0, width, first + row, height));
    edges.data()[row * width + width - 1] = static_cast<T>(sine_at(width - 1, width, first + row, height));
  }
  return edges;
}

/// Of rows from `first` on.
template <class T>
double error_of_rows(const T* u, std::size_t width, std::size_t height, std::size_t first, std::size_t rows) {
  std::vector<double> across(width);  // the solution is a product
  for (std::size_t c = 0; c < width; ++c) across[c] = std::exp(-std::numbers::pi * place(c, width));
  double most = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t row = first + r;
    const double down = row == 0 || row == height - 1 ? 0 : std::sin(std::numbers::pi * place(row, height));
    for (std::size_t c = 0; c < width; ++c)
      most = std::max(most, std::abs(static_cast<double>(u[r * width + c]) - across[c] * down));
  }
  return most;
}

}  // namespace

template <class T>
array<T> sine_edges(std::size_t width, std::size_t height) {
  return sine_rows<T>(width, height, 0, height);
}
template <class T>
distributed_array<T> sine_edges(const ranks& all, std::size_t width, std::size_t height) {
  const std::vector<std::size_t> begins = even_rows(height, all.size());
  const auto me = static_cast<std::size_t>(all.rank());
  const array<T> rows = sine_rows<T>(width, height, begins[me], begins[me + 1] - begins[me]);
  return {all, shape{height, width}, begins, rows.on(all.where())};
}

template <class T>
double sine_error(const array_view<const T>& u) {
  return error_of_rows(u.data(), u.shape()[1], u.shape()[0], 0, u.shape()[0]);
}
template <class T>
double sine_error(const distributed_array<T>& u) {
  const array<T> rows = u.local().on(target());
  return largest_of_ranks(u.all(),
                          error_of_rows(rows.data(), u.shape()[1], u.shape()[0], u.first_row(), u.rows()));
}

template <class T>
void solver<T>::state::sweep_jacobi(std::size_t count) {
  const level<T>& at = *fine;
  const row_range& own = at.own;
  for (std::size_t left = count; left > 0;) {
    const std::size_t now = device->jacobi_at_once(left, g() != nullptr);
    if (at.halos) {
      // A pass may write over rows beside those that are asked for: the edges get memory of their own, and
      // all is computed beside the exchange, the edges again.
      memory_part sent[2], came[2];
      for (const int side : {0, 1}) {
        if (!(side == 0 ? at.halos->has_before() : at.halos->has_after())) continue;
        const std::ptrdiff_t first = side == 0 ? own.first : own.last - halo_rows;
        T* const row_0 = edges[side].data() - (first - halo_rows) * at.on.pitch;
        device->jacobi(at.on, u, row_0, g(), now, {first, first + halo_rows});
        sent[side] = at.part(row_0, first);
        came[side] = {received[side].data(), at.bytes(halo_rows)};
      }
      at.halos->start(sent[0], sent[1], came[0], came[1]);
      device->jacobi(at.on, u, other, g(), now, own);
      at.halos->finish();
      const auto arrive = [&](const memory_part& rows, std::ptrdiff_t first) {
        if (rows.bytes > 0) copy(other + first * at.on.pitch, where, rows.data, where, rows.bytes);
      };
      arrive(came[0], own.first - halo_rows);
      arrive(came[1], own.last);
    } else {
      device->jacobi(at.on, u, other, g(), now, own);
    }
    std::swap(u, other);
    left -= now;
  }
}

/// Elements where this thread reads them: as they are, or a copy of what is on a GPU.
template <class T>
static const T* on_cpu(const array_view<const T>& x, array<T>& copy) {
  if (!x.where().is_gpu()) return x.data();
  copy = x.on(target());
  return copy.data();
}

/// Throws unless points and their source have the shapes that they need.
static void check_shapes(const shape& points, const shape& source) {
  if (points.axes() != 2 || points.elements() == 0) {
    fail(fmt::format(
        "laplace: the edges have shape {}, where (rows, columns) with a point at least are needed",
        points.text()));
  }
  if (source.elements() != 0 && !(source == points)) {
    fail(fmt::format("laplace: the source has shape {}, where the edges have {}", source.text(),
                     points.text()));
  }
}

template <class T>
void solver<T>::state::begin(const T* points, const T* values) {
  const auto first_row = static_cast<std::size_t>(fine->own.first);
  const std::size_t size = static_cast<std::size_t>(fine->own.count()) * lengths[1];
  device = where.is_gpu() ? make_gpu_machine<T>(where) : make_cpu_machine<T>(where.threads());
  const int threads = where.is_gpu() ? available_cores() : where.threads();
  check_range("value of the edges", points, size, lengths[1], first_row, threads);
  if (values != nullptr) {
    check_range("value of the source", values, size, lengths[1], first_row, threads);
    source = placed(values, false, on().source_scale);
  }
  first = placed(points, true, 1);
  second = placed(points, false, 1);
  u = fine->row_0(second);
  other = fine->row_0(first);
  if (!has_inner_points()) return;
  reference = largest_residual(other);
  if (reference == 0) reference = largest_residual(u);
  if (how == method::multigrid) {
    for (;;) {
      const level<T>& finer = coarse.empty() ? *fine : coarse.back();
      const extents now{finer.on.width, finer.on.height}, next = coarser(now);
      if (next == now) break;
      coarse_level<T> made(make_grid<T>(next.width, next.height), finer, where);
      coarse.push_back(std::move(made));
    }
  }
  keep_edges();
}

template <class T>
void solver<T>::state::keep_edges() {
  if (how != method::jacobi || !fine->halos) return;
  const std::ptrdiff_t begins[2] = {fine->own.first, fine->own.last - halo_rows};
  const bool has[2] = {fine->halos->has_before(), fine->halos->has_after()};
  for (const int side : {0, 1}) {
    if (!has[side]) continue;
    // The outermost points of rows stay as they are.
    edges[side] = array<T>(static_cast<std::size_t>(3 * halo_rows * on().pitch), where);
    received[side] = array<T>(static_cast<std::size_t>(halo_rows * on().pitch), where);
    // Blocks of fewer rows than two halos end before the copy would.
    const std::ptrdiff_t from = begins[side] - halo_rows,
                         low = std::max(from, fine->own.first - (has[0] ? halo_rows : 0)),
                         high = std::min(from + 3 * halo_rows, fine->own.last + (has[1] ? halo_rows : 0));
    copy(edges[side].data() + (low - from) * on().pitch, where, u + low * on().pitch, where,
         fine->bytes(high - low));
  }
}

template <class T>
solver<T>::solver(const target& requested, method how, const array_view<const T>& start,
                  const array_view<const T>& source)
    : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.lengths = start.shape();
  s.how = how;
  check_shapes(start.shape(), source.shape());
  const bool has_source = source.size() != 0;
  operation running("laplace", start.size(), name(dtype_of<T>));
  // Multigrid keeps a solution, a source and a residual, and a third as much on its coarser grids.
  s.where = target_for_steps(requested, 4 * start.size() * sizeof(T));
  running.runs_on(s.where);
  s.fine.emplace(
      make_grid<T>(static_cast<std::ptrdiff_t>(s.lengths[1]), static_cast<std::ptrdiff_t>(s.lengths[0])));
  array<T> copied_points, copied_values;
  s.begin(on_cpu(start, copied_points), has_source ? on_cpu(source, copied_values) : nullptr);
}

template <class T>
solver<T>::solver(const ranks& all, method how, const distributed_array<T>& start)
    : solver(all, how, start, distributed_array<T>(all, shape{0})) {}

template <class T>
solver<T>::solver(const ranks& all, method how, const distributed_array<T>& start,
                  const distributed_array<T>& source)
    : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.lengths = start.shape();
  s.how = how;
  s.all = all;
  s.where = all.where();
  check_shapes(start.shape(), source.shape());
  operation running("laplace", start.size(), name(dtype_of<T>));
  running.runs_on(s.where);
  auto halos = std::make_shared<halo_exchange>(all, even_rows(s.lengths[0], all.size()), false);
  // With fewer rows than neighbours exchange every rank computes all.
  const bool all_have_rows = s.lengths[0] >= static_cast<std::size_t>(all.size());
  if (halos->is_whole() || !all_have_rows || halos->least_rows() < halo_rows) halos = nullptr;
  s.fine.emplace(
      make_grid<T>(static_cast<std::ptrdiff_t>(s.lengths[1]), static_cast<std::ptrdiff_t>(s.lengths[0])),
      halos);
  const auto rows_of = [&](const distributed_array<T>& x) {
    if (x.size() == 0) return array<T>(0);
    if (!halos) return x.gather();
    if (x.begins() == halos->begins()) return x.local().on(target());
    const distributed_array<T> moved = x.redistributed(halos->begins());
    return moved.local().on(target());
  };
  const array<T> points = rows_of(start), values = rows_of(source);
  s.begin(points.data(), source.size() != 0 ? values.data() : nullptr);
}

template <class T>
const ranks* solver<T>::all() const noexcept {
  return state_->all ? &*state_->all : nullptr;
}

template <class T>
solver<T>::~solver() = default;

template <class T>
const target& solver<T>::where() const noexcept {
  return state_->where;
}

template <class T>
std::size_t solver<T>::iterations() const noexcept {
  return state_->done;
}

template <class T>
std::size_t solver<T>::points() const noexcept {
  return state_->lengths[0] * state_->lengths[1];
}

template <class T>
double solver<T>::first_residual() const noexcept {
  return state_->reference;
}

template <class T>
std::uint64_t solver<T>::bytes_of(std::size_t count) const {
  const state& s = *state_;
  if (s.held_count > 0 || !s.has_inner_points()) return 0;
  const auto points = [](const grid<T>& on) { return static_cast<std::uint64_t>(on.width * on.height); };
  const bool has_source = s.g() != nullptr;
  const std::uint64_t sweep = (2 + (has_source ? 1 : 0)) * points(s.on());
  std::uint64_t elements = 0;
  switch (s.how) {
    case method::jacobi:
      for (std::size_t left = count; left > 0;) {
        const std::size_t now = s.device->jacobi_at_once(left, has_source), passes = left / now;
        elements += passes * sweep;
        left -= passes * now;
      }
      break;
    case method::red_black:
      elements = (count + most_sweeps - 1) / most_sweeps * sweep;
      break;
    case method::multigrid: {
      // The finest grid is read for the residual, and then read and written.
      std::uint64_t cycle = sweep + (1 + (has_source ? 1 : 0)) * points(s.on());
      // A coarser one begins with 0. Its source is written, read for the next one's, and read again; its
      // values are written and read.
      for (const coarse_level<T>& one : s.coarse) cycle += 5 * points(one.on);
      elements = count * cycle;
      break;
    }
  }
  return elements * sizeof(T);
}

template <class T>
void solver<T>::iterate(std::size_t count) {
  state& s = *state_;
  operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  running.runs_on(s.where);
  s.done += count;
  if (!s.has_inner_points() || count == 0) return;
  if (s.held_count > 0) return s.iterate_held(count);
  switch (s.how) {
    case method::jacobi:
      s.sweep_jacobi(count);
      break;
    case method::red_black:
      for (std::size_t left = count; left > 0;) {
        const int now = static_cast<int>(std::min<std::size_t>(left, most_sweeps));
        s.relax(*s.fine, s.u, {}, s.g(), s.other, now);
        std::swap(s.u, s.other);
        left -= static_cast<std::size_t>(now);
      }
      break;
    case method::multigrid:
      for (std::size_t left = count; left > 0; --left) s.cycle();
      break;
  }
}

template <class T>
double solver<T>::residual() {
  state& s = *state_;
  if (!s.has_inner_points()) return 0;
  operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  running.runs_on(s.where);
  if (s.coarse.empty() || s.held_count > 0) return s.largest_residual(s.u);
  // The next cycle begins with the residual on the coarser grid, which takes the same reading of the memory.
  s.is_restricted = true;
  return s.largest(s.restrict_to(0, true));
}

template <class T>
array<T> solver<T>::solution() const {
  const state& s = *state_;
  if (s.fine->halos) return solution_of_ranks().gather();
  const std::size_t pitch = static_cast<std::size_t>(s.on().pitch), width = s.lengths[1];
  array<T> result(s.lengths);
  const array_view<const T> rows(s.u, shape{s.lengths[0], pitch}, s.where);
  const array<T> here = rows.on(target());
  for (std::size_t r = 0; r < s.lengths[0]; ++r) {
    std::copy_n(here.data() + r * pitch, width, result.data() + r * width);
  }
  return result;
}

template <class T>
distributed_array<T> solver<T>::solution_of_ranks() const {
  const state& s = *state_;
  if (!s.all) fail("laplace: solution_of_ranks of a solver on one machine: use solution()");
  const std::vector<std::size_t> begins = even_rows(s.lengths[0], s.all->size());
  const auto me = static_cast<std::size_t>(s.all->rank());
  const std::size_t count = begins[me + 1] - begins[me], width = s.lengths[1];
  const auto pitch = static_cast<std::size_t>(s.on().pitch);
  array<T> rows({count, width});
  if (count > 0) {
    const array_view<const T> there(s.u + begins[me] * pitch, shape{count, pitch}, s.where);
    const array<T> here = there.on(target());
    for (std::size_t r = 0; r < count; ++r)
      std::copy_n(here.data() + r * pitch, width, rows.data() + r * width);
  }
  return {*s.all, s.lengths, begins, rows.on(s.where)};
}

template <class T>
double solve(solver<T>& problem, method how, const stopping& when, const after_piece& then) {
  const bool is_cycle = how == method::multigrid;
  const std::size_t most = when.max_iterations.value_or(is_cycle ? 100 : 1'000'000);
  const std::size_t every = when.check_every != 0 ? when.check_every : is_cycle ? 1 : 100;
  double residual = problem.residual();
  // Jacobi's sweeps are fused by eights; on a CPU that many of a large grid would take too long to stop.
  constexpr std::size_t few_points = std::size_t{1} << 26;
  std::size_t piece = problem.where().is_gpu() || problem.points() <= few_points ? 8 : 1;
  while (problem.iterations() < most && !(residual <= when.tolerance * problem.first_residual())) {
    std::size_t left = std::min(every, most - problem.iterations());
    while (left > 0) {
      const auto began = std::chrono::steady_clock::now();
      const std::size_t now = std::min(left, piece);
      problem.iterate(now);
      left -= now;
      if (left == 0) residual = problem.residual();
      problem.where().wait();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      if (took.count() < 0.05 && piece < every) piece *= 2;
      if (took.count() > 0.2) piece = std::max<std::size_t>(piece / 2, 1);
      // All ranks go the same way.
      if (problem.all() != nullptr) problem.all()->broadcast(piece);
      then(residual);
    }
  }
  return residual;
}

template double solve<float>(solver<float>&, method, const stopping&, const after_piece&);
template double solve<double>(solver<double>&, method, const stopping&, const after_piece&);
template array<float> sine_edges<float>(std::size_t, std::size_t);
template array<double> sine_edges<double>(std::size_t, std::size_t);
template double sine_error<float>(const array_view<const float>&);
template double sine_error<double>(const array_view<const double>&);
template distributed_array<float> sine_edges<float>(const ranks&, std::size_t, std::size_t);
template distributed_array<double> sine_edges<double>(const ranks&, std::size_t, std::size_t);
template double sine_error<float>(const distributed_array<float>&);
template double sine_error<double>(const distributed_array<double>&);
template class solver<float>;
template class solver<double>;

}  // namespace heddle::laplace
