#pragma once

#include "lattice_boltzmann/collision.hpp"

#include <cstddef>

/// The step on a CPU, compiled for several instruction sets.
namespace heddle::lbm {

template <class S>
struct cpu_kernels {
  using rows = void(const populations<S>& at, const layout& grid, const rates<arithmetic<S>>& given,
                    std::ptrdiff_t first, std::ptrdiff_t last);
  /// Streams and collides rows first … last−1: by kind of collision, without and with force and eddy
  /// viscosity.
  rows* step[2][2];

  /// Whether one of the cells of row y, whole registers of them, is_bad. `checked` becomes how many they are.
  bool (*any_bad)(const populations<S>& at, const layout& grid, const rates<arithmetic<S>>& given,
                  std::ptrdiff_t y, std::ptrdiff_t& checked);
};

template <class S>
cpu_kernels<S> baseline_kernels();
template <class S>
cpu_kernels<S> avx2_kernels();
template <class S>
cpu_kernels<S> avx512_kernels();

}  // namespace heddle::lbm
