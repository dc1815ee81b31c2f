#pragma once

#include "distributed_checks.hpp"
#include "laplace/laplace.hpp"

#include <optional>
#include <string>

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

inline void check_solvers(const ranks& all) {
  using laplace::method;
  std::size_t number = 0;
  for (const method how : laplace::methods) {
    for (const shape& lengths :
         {shape{1, 1}, shape{2, 5}, shape{5, 3}, shape{40, 33}, shape{65, 65}, shape{190, 21}}) {
      if (number++ % 2 == 0) {
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
