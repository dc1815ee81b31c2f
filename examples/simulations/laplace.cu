// Laplace's equation on a rectangle with fixed edges: Jacobi's sweeps, and a reduction for the residual.
// Change `sweeps_a_check`: a residual costs a pass over the grid, so it is not asked for after every sweep.
// Twice the side takes four times the sweeps; `heddle laplace` has multigrid, which takes a dozen passes.
#include "../on_each_target.hpp"
#include <heddle/reduce.hpp>
#include <heddle/stencil.hpp>

#include <cmath>

namespace hd = heddle;

struct mean_of_neighbours {
  template <class Cells>
  HD_FN double operator()(const Cells& u) const {
    return (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)) / 4;
  }
};

void show(const hd::target& where) {
  const std::size_t rows = 20, columns = 30, sweeps_a_check = 50;
  // The edges are those of u = x y, which solves the equation on any grid.
  hd::array<double> start({rows, columns});
  start.fill(0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1) start.set(static_cast<double>(r * c), r, c);
    }
  }
  hd::array<double> u = start.on(where), next = hd::empty_like(u);
  std::size_t sweeps = 0;
  double residual = 1;
  while (residual > 1e-9) {
    hd::stencil(where, u, u, hd::dirichlet{}, mean_of_neighbours{}, sweeps_a_check);
    hd::stencil(where, u, next, hd::dirichlet{}, mean_of_neighbours{});
    residual = hd::transform_reduce(
        where, next, u, [] HD_FN(double a, double b) { return a < b ? b - a : a - b; }, hd::maximum{});
    std::swap(u, next);
    sweeps += sweeps_a_check + 1;
    examples::expect(sweeps < 100'000, "the sweeps converge");
  }
  const std::vector<double> found = u.to_vector();
  double error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error = std::max(error, std::abs(found[i] - static_cast<double>((i / columns) * (i % columns))));
  }
  examples::expect(error < 1e-6, "the solution x y");
  std::printf("  %zu x %zu: residual %.1e after %zu sweeps, largest error %.1e\n", rows, columns, residual,
              sweeps, error);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
