// Lattice Boltzmann in 2-D (D2Q9): nine densities a cell stream to its neighbours and collide there.
// Change `tau`: the viscosity is (tau - 1/2) / 3, and the wave decays at its pace.
// A cell is a structure and a step a stencil: the shortest way. `heddle lbm` is the fast one, with obstacles.
#include "../on_each_target.hpp"
#include <heddle/stencil.hpp>

#include <cmath>
#include <numbers>

namespace hd = heddle;

struct cell {
  double f[9];
};

/// Where density i goes, number 4 being at rest, and its weight.
HD_FN int row_step(int i) {
  return i / 3 - 1;
}
HD_FN int column_step(int i) {
  return i % 3 - 1;
}
HD_FN double weight(int i) {
  const int moves = row_step(i) * row_step(i) + column_step(i) * column_step(i);
  return moves == 0 ? 4.0 / 9 : moves == 1 ? 1.0 / 9 : 1.0 / 36;
}
HD_FN double equilibrium(int i, double density, double x, double y) {
  const double along = column_step(i) * x + row_step(i) * y;
  return weight(i) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (x * x + y * y));
}

struct stream_and_collide {
  double tau;

  template <class Cells>
  HD_FN cell operator()(const Cells& u) const {
    cell next;
    double density = 0, x = 0, y = 0;
    for (int i = 0; i < 9; ++i) {
      next.f[i] = u(-row_step(i), -column_step(i)).f[i];
      density += next.f[i];
      x += next.f[i] * column_step(i);
      y += next.f[i] * row_step(i);
    }
    for (int i = 0; i < 9; ++i)
      next.f[i] += (equilibrium(i, density, x / density, y / density) - next.f[i]) / tau;
    return next;
  }
};

void show(const hd::target& where) {
  const std::size_t rows = 32, columns = 8, steps = 200;
  const double tau = 0.8, speed = 0.05, wave = 2 * std::numbers::pi / rows;
  std::vector<cell> start(rows * columns);
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double x = speed * std::sin(wave * static_cast<double>(k / columns));
    for (int i = 0; i < 9; ++i) start[k].f[i] = equilibrium(i, 1, x, 0);
  }
  hd::array<cell> flow({rows, columns}, where);
  flow.copy_from(start);
  hd::stencil(where, flow, flow, hd::periodic{}, stream_and_collide{tau}, steps);

  double amplitude = 0;
  const std::vector<cell> end = flow.to_vector();
  for (std::size_t k = 0; k < end.size(); ++k) {
    const double part_of_wave = std::sin(wave * static_cast<double>(k / columns));
    for (int i = 0; i < 9; ++i) amplitude += end[k].f[i] * column_step(i) * part_of_wave;
  }
  amplitude /= static_cast<double>(end.size()) / 2;
  const double decayed = speed * std::exp(-(tau - 0.5) / 3 * wave * wave * steps);
  examples::expect(std::abs(amplitude / decayed - 1) < 0.01, "a shear wave decays as its viscosity says");
  std::printf("  a wave of %.4f decays to %.5f in %zu steps; theory says %.5f\n", speed, amplitude, steps,
              decayed);
}

int main(int argc, char** argv) {
  return examples::on_each_target(argc, argv, show);
}
