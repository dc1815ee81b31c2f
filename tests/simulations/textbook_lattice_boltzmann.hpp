#pragma once

#include "lattice_boltzmann/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace heddle::tests {

using namespace heddle::lbm;

inline constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
inline constexpr int opposite_of[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

inline double weight(int i) {
  return i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
}

using nine = std::array<double, 9>;

inline double equilibrium(int i, double rho, double u, double v) {
  const double cu = cx[i] * u + cy[i] * v;
  return weight(i) * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (u * u + v * v));
}

/// The textbook: two lattices, whole populations, cell by cell; the nine velocities in another order than the
/// library's.
struct textbook {
  settings given;  // with the solid cells of all kinds
  double tau, force = 0;
  std::vector<nine> now;
  double drag = 0, lift = 0;

  explicit textbook(const flow& like) : given(like.given()), tau(like.about().relaxation_time) {
    const std::size_t cells = given.width * given.height;
    given.obstacles.resize(cells);
    for (std::size_t i = 0; i < cells; ++i) {
      given.obstacles[i] = like.is_solid(i % given.width, i / given.width);
    }
    if (given.which == flow_case::channel && !is_open()) {
      force = 8 * like.about().viscosity * given.velocity / static_cast<double>(given.height * given.height);
    }
    now.resize(cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      for (int i = 0; i < 9; ++i) {
        now[cell][i] = equilibrium(i, 1, is_open() ? inflow_velocity(cell / given.width) : 0, 0);
      }
    }
    if (given.which == flow_case::taylor_green) begin_vortices();
  }

  /// u = −a·cos(kx·x)·sin(ky·y) and v = b·sin(kx·x)·cos(ky·y) with a·kx = b·ky, the pressure of Euler's
  /// equation, and the stresses of their gradients.
  void begin_vortices() {
    const double kx = 2 * std::numbers::pi / static_cast<double>(given.width),
                 ky = 2 * std::numbers::pi / static_cast<double>(given.height);
    const double a = given.velocity * std::min(1.0, ky / kx), b = given.velocity * std::min(1.0, kx / ky);
    for (std::size_t cell = 0; cell < now.size(); ++cell) {
      const double px = kx * (static_cast<double>(cell % given.width) + 0.5),
                   py = ky * (static_cast<double>(cell / given.width) + 0.5);
      const double u = -a * std::cos(px) * std::sin(py), v = b * std::sin(px) * std::cos(py);
      const double rho = 1 - 0.75 * (a * a * std::cos(2 * px) + b * b * std::cos(2 * py));
      const double ux = a * kx * std::sin(px) * std::sin(py),
                   both = (b * kx - a * ky) * std::cos(px) * std::cos(py);  // du/dy + dv/dx
      // −2·ρ·τ·S/3
      const double factor = -2.0 / 3 * rho * tau;
      for (int i = 0; i < 9; ++i) {
        now[cell][i] = equilibrium(i, rho, u, v) + second(i, factor * ux, -factor * ux, factor * both / 2);
      }
    }
  }

  bool is_open() const {
    return given.which == flow_case::free || given.which == flow_case::cylinder ||
           (given.which == flow_case::channel && given.by == drive::inflow);
  }
  double inflow_velocity(std::size_t row) const {
    const double y = (static_cast<double>(row) + 0.5) / static_cast<double>(given.height);
    return given.velocity * (given.which == flow_case::free ? 1 : 4 * y * (1 - y));
  }
  double inflow_slope(std::size_t row) const {
    const double height = static_cast<double>(given.height), y = (static_cast<double>(row) + 0.5) / height;
    return given.which == flow_case::free ? 0 : given.velocity * 4 * (1 - 2 * y) / height;
  }

  std::size_t at(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return static_cast<std::size_t>(y) * given.width + static_cast<std::size_t>(x);
  }
  std::ptrdiff_t width() const { return static_cast<std::ptrdiff_t>(given.width); }
  std::ptrdiff_t height() const { return static_cast<std::ptrdiff_t>(given.height); }
  bool is_solid(std::size_t cell) const { return given.obstacles[cell] != 0; }

  struct macroscopic {
    double rho = 0, u = 0, v = 0;
    double xx = 0, yy = 0, xy = 0;  // second moments of what is not equilibrium
  };
  macroscopic macroscopic_of(const nine& f) const {
    macroscopic m;
    double x = force / 2, y = 0;
    for (int i = 0; i < 9; ++i) {
      m.rho += f[i];
      x += cx[i] * f[i];
      y += cy[i] * f[i];
    }
    m.u = x / m.rho;
    m.v = y / m.rho;
    for (int i = 0; i < 9; ++i) {
      const double rest = f[i] - equilibrium(i, m.rho, m.u, m.v);
      m.xx += cx[i] * cx[i] * rest;
      m.yy += cy[i] * cy[i] * rest;
      m.xy += cx[i] * cy[i] * rest;
    }
    return m;
  }
  /// Of second moments, by the second Hermite polynomials.
  static double second(int i, double xx, double yy, double xy) {
    return weight(i) * 4.5 *
           ((cx[i] * cx[i] - 1.0 / 3) * xx + (cy[i] * cy[i] - 1.0 / 3) * yy + 2 * cx[i] * cy[i] * xy);
  }
  /// Of third and fourth ones: xxy, xyy and xxyy.
  static double higher(int i, double xxy, double xyy, double xxyy) {
    const double hx = cx[i] * cx[i] - 1.0 / 3, hy = cy[i] * cy[i] - 1.0 / 3;
    return weight(i) * (13.5 * (hx * cy[i] * xxy + hy * cx[i] * xyy) + 20.25 * hx * hy * xxyy);
  }

  void collide(nine& f) const {
    const auto [rho, u, v, xx, yy, xy] = macroscopic_of(f);
    double time = tau;
    if (given.smagorinsky > 0) {
      // S. Hou et al.: τ with the viscosity ν + C²·|S|, and |S| from the stress at that τ.
      const double stress = std::sqrt(2 * (xx * xx + yy * yy + 2 * xy * xy));
      time = (tau + std::sqrt(tau * tau + 18 * given.smagorinsky * given.smagorinsky * stress / rho)) / 2;
    }
    const double magic = is_open() ? std::min(3.0 / 16, tau - 0.5) : 3.0 / 16;
    const double even = 1 / time, odd = given.how == collision::trt ? 1 / (0.5 + magic / (time - 0.5)) : even;
    const nine before = f;
    const auto linear = [&](int i) { return weight(i) * 3 * cx[i] * force; };
    const auto square = [&, u = u, v = v](int i) {
      return weight(i) * force * (9 * (cx[i] * u + cy[i] * v) * cx[i] - 3 * u);
    };
    for (int i = 0; i < 9; ++i) {
      const int o = opposite_of[i];
      const double equal = equilibrium(i, rho, u, v), against = equilibrium(o, rho, u, v);
      if (given.how == collision::regularized) {
        const double stays = 1 - even;
        f[i] = equal + higher(i, rho * u * u * v, rho * u * v * v, rho * u * u * v * v) +
               stays * (second(i, xx, yy, xy) + higher(i, 2 * u * xy + v * xx, 2 * v * xy + u * yy,
                                                       v * v * xx + u * u * yy + 4 * u * v * xy)) +
               linear(i) / 2 + (1 - even / 2) * square(i);
      } else {
        f[i] = before[i] - even * ((before[i] + before[o]) / 2 - (equal + against) / 2) -
               odd * ((before[i] - before[o]) / 2 - (equal - against) / 2) + (1 - even / 2) * square(i) +
               (1 - odd / 2) * linear(i);
      }
    }
  }

  bool is_in_circle(std::ptrdiff_t x, std::ptrdiff_t y) const {
    const double unit = static_cast<double>(given.height) / 0.41;
    return given.which == flow_case::cylinder &&
           std::hypot(static_cast<double>(x) - 0.2 * unit, static_cast<double>(y) + 0.5 - 0.2 * unit) <
               0.05 * unit;
  }
  /// The part of its way after which what leaves (x, y) with cx[o], cy[o] meets the circle of 2D-1 and 2D-2.
  double meets_circle(std::ptrdiff_t x, std::ptrdiff_t y, int o) const {
    const double unit = static_cast<double>(given.height) / 0.41;
    const double dx = static_cast<double>(x) - 0.2 * unit, dy = static_cast<double>(y) + 0.5 - 0.2 * unit;
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double q = (low + high) / 2;
      (std::hypot(dx + q * cx[o], dy + q * cy[o]) > 0.05 * unit ? low : high) = q;
    }
    return high;
  }

  void step() {
    const bool wraps_x = !is_open() && given.which != flow_case::cavity,
               wraps_y = given.which == flow_case::free || given.which == flow_case::taylor_green;
    std::vector<nine> after = now;
    for (std::size_t cell = 0; cell < after.size(); ++cell) collide(after[cell]);
    drag = lift = 0;
    for (std::ptrdiff_t y = 0; y < height(); ++y) {
      for (std::ptrdiff_t x = 0; x < width(); ++x) {
        if (is_solid(at(x, y))) continue;
        for (int i = 0; i < 9; ++i) {
          std::ptrdiff_t from_x = x - cx[i], from_y = y - cy[i];
          if (wraps_x) from_x = (from_x + width()) % width();
          if (wraps_y) from_y = (from_y + height()) % height();
          if (is_open() && (from_x < 0 || from_x == width())) continue;
          const int o = opposite_of[i];
          const double left = after[at(x, y)][o];
          double& arrives = now[at(x, y)][i];
          if (from_x < 0 || from_y < 0 || from_x == width() || from_y == height()) {
            // Beside a solid cell the lid is a wall at rest, as at its corners.
            const bool lid = given.which == flow_case::cavity && from_y == height() && from_x >= 0 &&
                             from_x < width() && !is_solid(at(from_x, y));
            arrives = left + (lid ? 6 * weight(i) * cx[i] * given.velocity : 0);
          } else if (is_solid(at(from_x, from_y))) {
            arrives = left;
            if (is_in_circle(from_x, from_y) && !is_solid(at(x + cx[i], y + cy[i]))) {
              // M. Bouzidi, M. Firdaouss and P. Lallemand (2001), (5).
              const double q = meets_circle(x, y, o);
              arrives = q < 0.5 ? 2 * q * left + (1 - 2 * q) * after[at(x + cx[i], y + cy[i])][o]
                                : left / (2 * q) + (2 * q - 1) / (2 * q) * after[at(x, y)][i];
            }
            drag -= cx[i] * (left + arrives - 2 * weight(i));
            lift -= cy[i] * (left + arrives - 2 * weight(i));
          } else {
            arrives = after[at(from_x, from_y)][i];
          }
        }
      }
    }
    if (is_open()) let_flow();
  }

  /// Inflow and outflow, whose columns get whole populations.
  void let_flow() {
    double leaves = 0, comes = 0, outflows = 0;
    for (std::ptrdiff_t y = 0; y < height(); ++y) {
      const auto row = static_cast<std::size_t>(y);
      nine& first = now[at(0, y)];
      const nine& last = now[at(width() - 1, y)];
      if (!is_solid(at(0, y))) {
        const double u = inflow_velocity(row);
        const double rho = (first[0] + first[2] + first[4] + 2 * (first[3] + first[6] + first[7])) / (1 - u);
        for (int i = 0; i < 9; ++i) {
          first[i] = equilibrium(i, rho, u, 0) + second(i, 0, 0, -rho * tau / 3 * inflow_slope(row));
        }
        comes += u;
      }
      if (!is_solid(at(width() - 1, y))) {
        leaves += last[0] + last[2] + last[4] + 2 * (last[1] + last[5] + last[8]) - 1;
        outflows += 1;
      }
    }
    const double rho = 1 + (leaves - comes) / outflows / (1 + 1 / std::sqrt(3.0));
    for (std::ptrdiff_t y = 0; y < height(); ++y) {
      if (is_solid(at(width() - 1, y))) continue;
      const macroscopic beside = macroscopic_of(now[at(width() - 2, y)]);
      for (int i = 0; i < 9; ++i) {
        now[at(width() - 1, y)][i] =
            equilibrium(i, rho, beside.u, beside.v) + second(i, beside.xx, beside.yy, beside.xy);
      }
    }
  }

  moments<double> of(std::size_t cell) const {
    double rho = 0, x = force / 2, y = 0;
    for (int i = 0; i < 9; ++i) {
      rho += now[cell][i];
      x += cx[i] * now[cell][i];
      y += cy[i] * now[cell][i];
    }
    return {rho - 1, x / rho, y / rho};
  }
};

}  // namespace heddle::tests
