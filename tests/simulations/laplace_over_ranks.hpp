#pragma once

#include "laplace/laplace.hpp"
#include "tests/distributed/distributed_checks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Laplace's and Poisson's equation over ranks, against the same on one machine.
namespace heddle::tests {

template <class T>
void check_solver(const ranks& all, laplace::method how, const shape& lengths, bool has_source) {
  using namespace laplace;
  const std::string what = std::string(name(how)) + " of " + lengths.text() + " " + impl::type_name<T>() +
                           (has_source ? " with a source" : "");
  const array<T> start = numbers<T>(lengths);
  const array<T> source = has_source ? numbers<T>(lengths) : array<T>(0);
  solver<T> alone(target(), how, start, source);
  const auto begins = blocks_to_try(all, lengths)[has_source ? 2 : 0];
  const distributed_array<T> x = spread(all, start, begins);
  std::optional<solver<T>> spread_solver;
  if (has_source) {
    spread_solver.emplace(all, how, x, spread(all, source, begins));
  } else {
    spread_solver.emplace(all, how, x);
  }
  solver<T>& over = *spread_solver;
  expect(over.first_residual() == alone.first_residual(), "the first residual: " + what);
  for (const std::size_t count : {1, 2, 13, 0, 4}) {
    alone.iterate(count);
    over.iterate(count);
    if (count != 2) expect(over.residual() == alone.residual(), "the residual: " + what);
    expect(same_bytes(over.solution(), alone.solution()), "the points: " + what);
  }
  expect(same_bytes(over.solution_of_ranks().gather(), alone.solution()), "the rows of ranks: " + what);
}

/// Of the small ones every so many.
inline void check_solvers(const ranks& all, std::size_t every) {
  using laplace::method;
  std::size_t number = 0;
  for (const method how : laplace::methods) {
    for (const shape& lengths : {shape{1, 1}, shape{2, 5}, shape{5, 3}, shape{60, 1}, shape{61, 2},
                                 shape{59, 3}, shape{40, 33}, shape{65, 65}, shape{190, 21}}) {
      if (number++ % every != 0) continue;
      if (number % 2 == 1) {
        check_solver<float>(all, how, lengths, number % 4 == 1);
      } else {
        check_solver<double>(all, how, lengths, number % 4 == 2);
      }
    }
    check_solver<float>(all, how, {257, 129}, false);
  }
  // Several grids that ranks have parts of, also where one axis alone is coarsened.
  check_solver<float>(all, method::multigrid, {500, 40}, true);
  check_solver<double>(all, method::multigrid, {240, 600}, false);
}

/// Points that are held, charged and released between iterations: walls within a block of rows and through
/// all of them, edges with other values, and none at last.
template <class T>
void check_held_points(const ranks& all, laplace::method how, const shape& lengths) {
  using namespace laplace;
  const std::size_t height = lengths[0], width = lengths[1];
  const std::string what =
      std::string(name(how)) + " with held points of " + lengths.text() + " " + impl::type_name<T>();
  const array<T> start = numbers<T>(lengths);
  solver<T> alone(target(), how, start), over(all, how, spread(all, start, blocks_to_try(all, lengths)[2]));
  const auto expect_same = [&](const std::string& when) {
    expect(same_bytes(over.solution(), alone.solution()), "the points, " + when + ": " + what);
    expect(over.residual() == alone.residual() && over.first_residual() == alone.first_residual(),
           "the residuals, " + when + ": " + what);
  };
  const auto both = [&](const auto& change, const std::string& when) {
    change(alone);
    change(over);
    expect(over.held_points() == alone.held_points(), "the number of points, " + when + ": " + what);
    for (std::size_t row = 0; row < height; row += 1 + height / 5)
      for (const std::size_t column : {width / 3, width / 2})
        expect(over.is_held(row, column) == alone.is_held(row, column),
               "a held point, " + when + ": " + what);
    expect_same(when);
    for (const std::size_t count : {1, 3}) {
      alone.iterate(count);
      over.iterate(count);
      expect_same(when + ", iterated");
    }
  };
  std::vector<point_value<T>> walls, charges;
  for (std::size_t row = 0; row < height; ++row) {
    if (row != height / 2) walls.push_back({row, width / 3, T(2)});
    if (row % 5 == 2) walls.push_back({row, width - 1 - row % width, T(-1)});
    walls.push_back({row, row % 2 == 0 ? 0 : width - 1, static_cast<T>(row) / 8});
    if (row % 3 == 0) charges.push_back({row, row * 7 % width, static_cast<T>(100 + row)});
  }
  walls.push_back({0, width / 4, T(0.5)});
  walls.push_back({height - 1, 0, T(0.25)});
  both([&](solver<T>& s) { s.hold(walls); }, "held");
  both([&](solver<T>& s) { s.set_source(charges); }, "charged");
  array<std::uint8_t> mask(lengths);
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = random_bits(i) % 11 == 0;
  alone.hold(mask);
  over.hold(spread(all, mask, blocks_to_try(all, lengths)[1]));
  refuses([&] { alone.hold(spread(all, mask, blocks_to_try(all, lengths)[0])); },
          "the mask is spread over ranks, and the solver is on one machine");
  both([](solver<T>&) {}, "held by a mask");
  both([](solver<T>& s) { s.clear(); }, "cleared");
  std::vector<point> some, every;
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      every.push_back({row, column});
      if (row > height / 3) some.push_back({row, column});
    }
  both([&](solver<T>& s) { s.release(some); }, "partly released");
  both([&](solver<T>& s) { s.release(every); }, "released");
  both([&](solver<T>& s) { s.hold(mask); }, "held again");
}

inline void check_held_solvers(const ranks& all, std::size_t every) {
  using laplace::method;
  std::size_t number = 0;
  for (const method how : laplace::methods) {
    // With fewer rows than ranks exchange, in thin and in thick blocks.
    for (const shape& lengths : {shape{9, 20}, shape{60, 33}, shape{190, 21}}) {
      if (number++ % every != 0) continue;
      if (number % 2 == 1) {
        check_held_points<float>(all, how, lengths);
      } else {
        check_held_points<double>(all, how, lengths);
      }
    }
  }
  // Several levels that ranks have parts of, also where one axis alone is halved.
  check_held_points<double>(all, method::multigrid, {230, 20});
  if (every == 1) check_held_points<float>(all, method::multigrid, {100, 260});
}

/// They stop after the same sweep.
inline void check_solves(const ranks& all) {
  using namespace laplace;
  for (const method how : methods) {
    const array<double> edges = sine_edges<double>(61, 80);
    solver<double> alone(target(), how, edges), over(all, how, sine_edges<double>(all, 61, 80));
    stopping when;
    when.tolerance = how == method::multigrid ? 1e-11 : 1e-3;
    when.check_every = how == method::multigrid ? 1 : 7;
    const double wanted = solve(alone, how, when), residual = solve(over, how, when);
    expect(residual == wanted && over.iterations() == alone.iterations(),
           std::string(name(how)) + " stops after " + std::to_string(over.iterations()) +
               " iterations and not " + std::to_string(alone.iterations()));
    const array<double> points = alone.solution();
    expect(sine_error(over.solution_of_ranks()) == sine_error<double>(points.view()), "the error");
  }
  std::string message;
  try {
    solver<float>(all, method::jacobi, distributed_array<float>(all, {4}));
  } catch (const error& e) {
    message = e.what();
  }
  expect(message.find("where (rows, columns)") != std::string::npos, message);
}

}  // namespace heddle::tests
