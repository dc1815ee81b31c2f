#include "lattice_boltzmann/gpu_kernels.cuh"

// The kernels of the lattice Boltzmann method, behind kernels that take plain arguments:
// tests/checker/own_lattice_boltzmann_test.py. `numbers` is even, odd, magic, tau, eddy, force x, force y,
// unit.

using namespace heddle::lbm;
using heddle::lbm::gpu::device_math;

template <class S>
__device__ rates<arithmetic<S>> rates_of(const double* numbers) {
  using R = arithmetic<S>;
  rates<R> made;
  R* const to[] = {&made.even, &made.odd,     &made.magic,   &made.tau,
                   &made.eddy, &made.force_x, &made.force_y, &made.unit};
  for (int i = 0; i < 8; ++i) *to[i] = static_cast<R>(numbers[i]);
  made.units = 1 / made.unit;
  return made;
}

template <class S, collision_kind Kind, bool General>
__device__ void step(S* memory, long long width, long long height, const double* numbers, bool exchanged) {
  const layout grid = layout::of(width, height, sizeof(S));
  populations<S> from = populations<S>::at(memory, grid, exchanged);
  for (int p = 0; p < pairs; ++p) from.ahead[p] += pair_y(p) * grid.pitch;
  constexpr unsigned cells = gpu::step_threads<S> * gpu::cells_of_thread<S>;
  const gpu::tiling over{grid, (static_cast<unsigned>(width) + cells - 1) / cells};
  if constexpr (is_fixed<S>) {
    gpu::step_pairs<Kind, General>(from, over, rates_of<S>(numbers));
  } else {
    gpu::step_words<S, Kind, General>(from, over, rates_of<S>(numbers));
  }
}
#define STEP(NAME, S, KIND, GENERAL)                                                        \
  __global__ void NAME(S* memory, long long width, long long height, const double* numbers, \
                       bool exchanged) {                                                    \
    step<S, collision_kind::KIND, GENERAL>(memory, width, height, numbers, exchanged);      \
  }
STEP(step_float, float, two_rates, false)
STEP(step_double, double, two_rates, true)
STEP(step_double_regularized, double, regularized, true)
STEP(step_fixed, fixed16, two_rates, false)
STEP(step_fixed_regularized, fixed16, regularized, true)

template <class R>
struct boundary_arrays {
  const unsigned long long *links, *ghosts, *images, *inflow, *outflow;
  const R *second, *velocity, *slope;
};
/// `counts`: walls, moving, obstacles, curved, copies, inflows, outflows.
template <class R>
__device__ boundary_view<R> view_of(const boundary_arrays<R>& a, const long long* counts,
                                    const double* numbers) {
  const auto number = [&](int i) { return static_cast<std::size_t>(counts[i]); };
  const auto places = [](const unsigned long long* x) { return reinterpret_cast<const std::uint64_t*>(x); };
  return {.links = places(a.links),
          .second = a.second,
          .walls = number(0),
          .moving = number(1),
          .obstacles = number(2),
          .curved = number(3),
          .ghosts = places(a.ghosts),
          .images = places(a.images),
          .copies = number(4),
          .inflow = places(a.inflow),
          .inflow_velocity = a.velocity,
          .inflow_slope = a.slope,
          .inflows = number(5),
          .outflow = places(a.outflow),
          .outflows = number(6),
          .mean_outflow = R(0.05),
          .unit = static_cast<R>(numbers[7])};
}
#define BOUNDARIES(SUFFIX, S, R)                                                                             \
  __global__ void exchange_##SUFFIX(S* memory, long long width, long long height,                            \
                                    const unsigned long long* links, const R* second,                        \
                                    const unsigned long long* ghosts, const unsigned long long* images,      \
                                    const long long* counts, const double* numbers, double* brought) {       \
    const layout grid = layout::of(width, height, sizeof(S));                                                \
    gpu::exchange_links<S>(                                                                                  \
        populations<S>::at(memory, grid, false), grid,                                                       \
        view_of<R>({links, ghosts, images, nullptr, nullptr, second, nullptr, nullptr}, counts, numbers),    \
        brought);                                                                                            \
  }                                                                                                          \
  __global__ void excess_##SUFFIX(S* memory, long long width, long long height,                              \
                                  const unsigned long long* outflow, const long long* counts,                \
                                  const double* numbers, R* found) {                                         \
    const layout grid = layout::of(width, height, sizeof(S));                                                \
    gpu::find_outflow<S>(                                                                                    \
        populations<S>::at(memory, grid, false), grid,                                                       \
        view_of<R>({nullptr, nullptr, nullptr, nullptr, outflow, nullptr, nullptr, nullptr}, counts,         \
                   numbers),                                                                                 \
        nullptr, static_cast<std::size_t>(counts[6]), found);                                                \
  }                                                                                                          \
  __global__ void leaving_##SUFFIX(S* memory, long long width, long long height,                             \
                                   const unsigned long long* outflow, const long long* counts,               \
                                   const double* numbers, R* leaving) {                                      \
    const layout grid = layout::of(width, height, sizeof(S));                                                \
    gpu::leaving_of_outflow<S>(                                                                              \
        populations<S>::at(memory, grid, false), grid,                                                       \
        view_of<R>({nullptr, nullptr, nullptr, nullptr, outflow, nullptr, nullptr, nullptr}, counts,         \
                   numbers),                                                                                 \
        leaving);                                                                                            \
  }                                                                                                          \
  __global__ void copies_##SUFFIX(S* memory, long long width, long long height,                              \
                                  const unsigned long long* ghosts, const unsigned long long* images,        \
                                  const long long* counts, const double* numbers, std::size_t count) {       \
    const layout grid = layout::of(width, height, sizeof(S));                                                \
    gpu::copy_in_ring<S>(                                                                                    \
        populations<S>::at(memory, grid, false),                                                             \
        view_of<R>({nullptr, ghosts, images, nullptr, nullptr, nullptr, nullptr, nullptr}, counts, numbers), \
        count);                                                                                              \
  }                                                                                                          \
  __global__ void ends_##SUFFIX(S* memory, long long width, long long height,                                \
                                const unsigned long long* inflow, const R* velocity, const R* slope,         \
                                const unsigned long long* outflow, const long long* counts,                  \
                                const double* numbers, const R* found, double* brought) {                    \
    const layout grid = layout::of(width, height, sizeof(S));                                                \
    gpu::open_ends<S>(                                                                                       \
        populations<S>::at(memory, grid, false), grid,                                                       \
        view_of<R>({nullptr, nullptr, nullptr, inflow, outflow, nullptr, velocity, slope}, counts, numbers), \
        rates_of<S>(numbers), found, brought);                                                               \
  }
BOUNDARIES(double, double, double)
BOUNDARIES(fixed, fixed16, float)

__global__ void load(float* memory, long long width, long long height, long long first, long long count,
                     float* rows) {
  const layout grid = layout::of(width, height, 4);
  gpu::move_rows<float, true>(populations<float>::at(memory, grid, false), grid, first, count, rows);
}
__global__ void store(float* memory, long long width, long long height, long long first, long long count,
                      float* rows) {
  const layout grid = layout::of(width, height, 4);
  gpu::move_rows<float, false>(populations<float>::at(memory, grid, false), grid, first, count, rows);
}
__global__ void look(double* memory, long long width, long long height, const double* numbers,
                     moments<double>* to) {
  const layout grid = layout::of(width, height, 8);
  gpu::read_moments<double>(populations<double>::at(memory, grid, false), grid, rates_of<double>(numbers), 0,
                            height, to);
}
__global__ void excess_mass(double* memory, long long width, long long height, const double* numbers,
                            const unsigned char* solid, double* of_rows) {
  const layout grid = layout::of(width, height, 8);
  gpu::sum_excess<double>(populations<double>::at(memory, grid, false), grid, rates_of<double>(numbers),
                          solid, of_rows);
}
__global__ void bad(double* memory, long long width, long long height, const double* numbers,
                    const unsigned char* solid, unsigned long long* lowest) {
  const layout grid = layout::of(width, height, 8);
  gpu::find_bad<double>(populations<double>::at(memory, grid, false), grid, rates_of<double>(numbers), solid,
                        lowest);
}
__global__ void change(double* memory, long long width, long long height, const double* numbers,
                       const unsigned char* solid, double* before, unsigned long long* most) {
  const layout grid = layout::of(width, height, 8);
  gpu::find_change<double>(populations<double>::at(memory, grid, false), grid, rates_of<double>(numbers),
                           solid, before, most);
}
__global__ void forces(double* memory, long long width, long long height, const unsigned long long* links,
                       std::size_t count, std::size_t half_way, double* x, double* y) {
  const layout grid = layout::of(width, height, 8);
  gpu::forces_of_links<double>(populations<double>::at(memory, grid, false),
                               reinterpret_cast<const std::uint64_t*>(links), count, half_way, 1, x, y);
}
