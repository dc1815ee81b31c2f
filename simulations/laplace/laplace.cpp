#include "laplace/laplace.hpp"

#include "laplace/grid.hpp"
#include "laplace/machine.hpp"
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace heddle::laplace {

const char* name(method how) noexcept {
  constexpr const char* names[] = {"jacobi", "red-black", "multigrid"};
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

template <class T>
array<T> sine_edges(std::size_t width, std::size_t height) {
  array<T> edges({height, width});
  edges.fill(0);
  if (width == 0) return edges;
  for (std::size_t row = 0; row < height; ++row) {
    edges.data()[row * width] = static_cast<T>(sine_at(0, width, row, height));
    edges.data()[row * width + width - 1] = static_cast<T>(sine_at(width - 1, width, row, height));
  }
  return edges;
}

template <class T>
double sine_error(const array_view<const T>& u) {
  const std::size_t height = u.shape()[0], width = u.shape()[1];
  std::vector<double> across(width);  // the solution is a product
  for (std::size_t c = 0; c < width; ++c) across[c] = std::exp(-std::numbers::pi * place(c, width));
  double most = 0;
  for (std::size_t row = 0; row < height; ++row) {
    const double down = row == 0 || row == height - 1 ? 0 : std::sin(std::numbers::pi * place(row, height));
    for (std::size_t c = 0; c < width; ++c) {
      most = std::max(most, std::abs(static_cast<double>(u.data()[row * width + c]) - across[c] * down));
    }
  }
  return most;
}

namespace {

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

/// A coarser grid: the correction that is sought there, what it is sought for, and the way from the finer
/// one.
template <class T>
struct coarse_level {
  grid<T> on;
  array<T> values, source;
  placed_transfer<T> across, down;

  coarse_level(const grid<T>& made, const grid<T>& finer, const target& where)
      : on(made),
        values(static_cast<std::size_t>(made.points()), where),
        source(static_cast<std::size_t>(made.points()), where),
        across(finer.width, made.width, where),
        down(finer.height, made.height, where) {
    values.fill(0);
    source.fill(0);
  }
  correction<T> to_finer() const { return {values.data(), on.pitch, across.view(), down.view()}; }
};

/// The largest value that is taken: sums of a few neighbours, on every grid of a cycle, stay finite.
template <class T>
constexpr T largest_value = std::numeric_limits<T>::max() / 1024;

template <class T>
[[noreturn]] void fail_out_of_range(const char* what, std::size_t index, std::size_t width, T value) {
  const std::string place = fmt::format("in row {}, column {}", index / width, index % width);
  if (std::isfinite(value)) {
    fail(fmt::format("the {} is {:.4g} {}, and {:.4g} is the largest that {} leaves room for", what, value,
                     place, largest_value<T>, name(dtype_of<T>)));
  }
  fail(fmt::format("the {} {} {}, and not a finite number", what,
                   std::isnan(value) ? "is NaN" : "is infinite", place));
}

template <class T>
void check_range(const char* what, const T* values, std::size_t size, std::size_t width, int threads) {
  const auto fits = [](T value) { return std::abs(value) <= largest_value<T>; };
  cpu::for_slices(threads, size, std::size_t{1} << 16, [&](std::size_t first, std::size_t last) {
    const T* const beyond = std::find_if_not(values + first, values + last, fits);
    if (beyond != values + last) {
      fail_out_of_range(what, static_cast<std::size_t>(beyond - values), width, *beyond);
    }
  });
}

}  // namespace

template <class T>
struct solver<T>::state {
  target where;
  method how;
  shape lengths;
  grid<T> on;
  std::unique_ptr<machine<T>> device;
  array<T> first, second;  // the points, in turn
  array<T> source;
  std::vector<coarse_level<T>> coarse;
  T* u = nullptr;
  T* other = nullptr;
  std::size_t done = 0;
  double reference = 0;
  bool is_restricted = false;  // the residual of u is on the first coarse grid already

  const T* g() const { return source.size() == 0 ? nullptr : source.data(); }
  bool has_inner_points() const { return on.width > 2 && on.height > 2; }

  /// Rows of `width` elements on the CPU to rows of `pitch` elements there.
  std::vector<T> pitched(const T* from, bool only_edges, double scale) const {
    const auto points = static_cast<std::size_t>(on.points());
    require_memory(points * sizeof(T));
    std::vector<T> rows(points);
    for (std::ptrdiff_t r = 0; r < on.height; ++r) {
      const bool is_edge = r == 0 || r == on.height - 1;
      for (std::ptrdiff_t c = 0; c < on.width; ++c) {
        if (only_edges && !is_edge && c != 0 && c != on.width - 1) continue;
        const T value = from[r * on.width + c];
        rows[static_cast<std::size_t>(r * on.pitch + c)] =
            scale == 1 ? value : static_cast<T>(scale * static_cast<double>(value));
      }
    }
    return rows;
  }

  /// One multigrid cycle: the residual goes down to the coarsest grid; on the way up each grid adds what the
  /// coarser one found and relaxes it.
  void cycle() {
    constexpr int sweeps = 3;
    const grid<T>* finer = &on;
    for (std::size_t level = 0; level < coarse.size(); ++level) {
      coarse_level<T>& to = coarse[level];
      const bool is_done = level == 0 && is_restricted;
      const T* const values = level == 0 ? u : nullptr;
      const T* const sources = level == 0 ? g() : coarse[level - 1].source.data();
      if (!is_done) {
        device->restrict_residual(*finer, values, sources, to.on, to.source.data(), to.across.view(),
                                  to.down.view(), false);
      }
      finer = &to.on;
    }
    for (std::size_t level = coarse.size(); level-- > 0;) {
      coarse_level<T>& now = coarse[level];
      const bool is_coarsest = level + 1 == coarse.size();
      const correction<T> from = is_coarsest ? correction<T>{} : coarse[level + 1].to_finer();
      device->relax(now.on, nullptr, from, now.source.data(), now.values.data(), is_coarsest ? 1 : sweeps);
    }
    const correction<T> from = coarse.empty() ? correction<T>{} : coarse[0].to_finer();
    device->relax(on, u, from, g(), other, sweeps);
    std::swap(u, other);
    is_restricted = false;
  }
};

/// Elements where this thread reads them: as they are, or a copy of what is on a GPU.
template <class T>
static const T* on_cpu(const array_view<const T>& x, array<T>& copy) {
  if (!x.where().is_gpu()) return x.data();
  copy = x.on(target());
  return copy.data();
}

template <class T>
solver<T>::solver(const target& requested, method how, const array_view<const T>& start,
                  const array_view<const T>& source)
    : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.lengths = start.shape();
  const std::size_t axes = s.lengths.axes();
  if (axes != 2 || start.size() == 0) {
    fail(fmt::format(
        "laplace: the edges have shape {}, where (rows, columns) with a point at least are needed",
        s.lengths.text()));
  }
  const bool has_source = source.size() != 0;
  if (has_source && !(source.shape() == s.lengths)) {
    fail(fmt::format("laplace: the source has shape {}, where the edges have {}", source.shape().text(),
                     s.lengths.text()));
  }
  operation running("laplace", start.size(), name(dtype_of<T>));
  s.where = resolve(requested, {start.size() * sizeof(T) * (has_source ? 2 : 1), start.size() * sizeof(T),
                                start.where(), true});
  running.runs_on(s.where);
  s.how = how;
  s.on = make_grid<T>(static_cast<std::ptrdiff_t>(s.lengths[1]), static_cast<std::ptrdiff_t>(s.lengths[0]));
  s.device = s.where.is_gpu() ? make_gpu_machine<T>(s.where) : make_cpu_machine<T>(s.where.threads());

  array<T> copied_points, copied_values;
  const T* const points = on_cpu(start, copied_points);
  const int threads = s.where.is_gpu() ? available_cores() : s.where.threads();
  check_range("value of the edges", points, start.size(), s.lengths[1], threads);
  if (has_source) {
    const T* const values = on_cpu(source, copied_values);
    check_range("value of the source", values, source.size(), s.lengths[1], threads);
    s.source = array<T>(s.pitched(values, false, s.on.source_scale), s.where);
  }
  s.first = array<T>(s.pitched(points, true, 1), s.where);
  s.second = array<T>(s.pitched(points, false, 1), s.where);
  s.u = s.second.data();
  s.other = s.first.data();
  if (!s.has_inner_points()) return;
  s.reference = static_cast<double>(s.device->largest_residual(s.on, s.other, s.g()));
  if (s.reference == 0) s.reference = static_cast<double>(s.device->largest_residual(s.on, s.u, s.g()));
  if (how == method::multigrid) {
    grid<T> finer = s.on;
    for (;;) {
      const extents next = coarser({finer.width, finer.height});
      if (next == extents{finer.width, finer.height}) break;
      const grid<T> made = make_grid<T>(next.width, next.height);
      s.coarse.emplace_back(made, finer, s.where);
      finer = made;
    }
  }
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
void solver<T>::iterate(std::size_t count) {
  state& s = *state_;
  operation running("laplace", s.lengths.elements(), name(dtype_of<T>));
  running.runs_on(s.where);
  s.done += count;
  if (!s.has_inner_points() || count == 0) return;
  switch (s.how) {
    case method::jacobi: {
      T* const result = s.device->jacobi(s.on, s.u, s.other, s.g(), count);
      if (result != s.u) std::swap(s.u, s.other);
      break;
    }
    case method::red_black:
      for (std::size_t left = count; left > 0;) {
        const int now = static_cast<int>(std::min<std::size_t>(left, most_sweeps));
        s.device->relax(s.on, s.u, {}, s.g(), s.other, now);
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
  if (s.coarse.empty()) return static_cast<double>(s.device->largest_residual(s.on, s.u, s.g()));
  // The next cycle begins with the residual on the coarser grid, which takes the same reading of the memory.
  coarse_level<T>& to = s.coarse.front();
  s.is_restricted = true;
  return static_cast<double>(s.device->restrict_residual(s.on, s.u, s.g(), to.on, to.source.data(),
                                                         to.across.view(), to.down.view(), true));
}

template <class T>
array<T> solver<T>::solution() const {
  const state& s = *state_;
  const std::size_t pitch = static_cast<std::size_t>(s.on.pitch), width = s.lengths[1];
  array<T> result(s.lengths);
  const array_view<const T> rows(s.u, shape{s.lengths[0], pitch}, s.where);
  const array<T> here = rows.on(target());
  for (std::size_t r = 0; r < s.lengths[0]; ++r) {
    std::copy_n(here.data() + r * pitch, width, result.data() + r * width);
  }
  return result;
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
template class solver<float>;
template class solver<double>;

}  // namespace heddle::laplace
