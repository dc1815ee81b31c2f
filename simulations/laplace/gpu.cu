#include "laplace/drawing.hpp"
#include "laplace/gpu_kernels.cuh"
#include "laplace/held_levels.hpp"
#include "laplace/machine.hpp"
#include <heddle/array.hpp>
#include <heddle/support/launch.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace heddle::laplace {
namespace {

using heddle::gpu::check;
using heddle::gpu::current_device;
using namespace gpu;

template <class T, int Sweeps, bool Square, bool HasSource>
void launch_jacobi(const target& where, const grid<T>& on, const T* u, const T* g, T* v,
                   const row_range& rows) {
  const auto kernel = jacobi_sweeps<T, Sweeps, Square, HasSource>;
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, jacobi_threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  jacobi_shape shape{on.width, on.height, on.pitch, 0, 0, 0, rows.first, rows.last, on.first, on.last - 1};
  constexpr std::ptrdiff_t columns = panel_columns<T, Sweeps>;
  shape.panels = static_cast<unsigned>((on.width + columns - 1) / columns);
  // As many warps as run at once, so that all end together; chunks that are not small beside what is computed
  // twice above and below them.
  const std::ptrdiff_t warps = static_cast<std::ptrdiff_t>(heddle::gpu::multiprocessors(where)) * resident *
                               static_cast<std::ptrdiff_t>(jacobi_threads / 32);
  const std::ptrdiff_t least_rows = std::max<std::ptrdiff_t>(4 * Sweeps, 16);
  const std::ptrdiff_t chunks = std::clamp<std::ptrdiff_t>(
      warps / shape.panels, 1, std::max<std::ptrdiff_t>(rows.count() / least_rows, 1));
  shape.rows_a_chunk = (rows.count() + chunks - 1) / chunks;
  shape.chunks = static_cast<unsigned>((rows.count() + shape.rows_a_chunk - 1) / shape.rows_a_chunk);
  const unsigned blocks =
      heddle::gpu::grid_for(std::size_t{shape.panels} * shape.chunks, jacobi_threads / 32);
  kernel<<<blocks, jacobi_threads, 0, where.stream()>>>(shape, formula<T, Square>{on.across, on.down}, u, g,
                                                        v);
  check(cudaGetLastError(), "launch of jacobi_sweeps");
}

template <class T>
class gpu_machine final : public machine<T> {
 public:
  explicit gpu_machine(const target& where) : where_(where), most_(1, where) {}

  std::size_t jacobi_at_once(std::size_t sweeps, bool has_source) const override {
    // A source takes registers and a reading of the memory a sweep.
    if (sizeof(T) == 4 && !has_source && sweeps >= 8) return 8;
    return sweeps >= 4 ? 4 : 1;
  }

  void jacobi(const grid<T>& on, const T* u, T* v, const T* g, std::size_t sweeps,
              const row_range& rows) override {
    const current_device current(where_);
    with_formula(on, [&](auto square) {
      constexpr bool is_square = decltype(square)::value;
      const auto pass = [&](auto number) {
        constexpr int now = decltype(number)::value;
        if (g == nullptr) {
          launch_jacobi<T, now, is_square, false>(where_, on, u, g, v, rows);
        } else if constexpr (now <= 4) {
          launch_jacobi<T, now, is_square, true>(where_, on, u, g, v, rows);
        }
      };
      if constexpr (sizeof(T) == 4) {
        if (sweeps == 8) return pass(std::integral_constant<int, 8>());
      }
      if (sweeps == 4) return pass(std::integral_constant<int, 4>());
      pass(std::integral_constant<int, 1>());
    });
  }

  void relax(const grid<T>& on, const T* u, const correction<T>& from, const T* g, T* v, int sweeps,
             const row_range& rows) override {
    const row_range wanted = inner(on, rows);
    if (wanted.first >= wanted.last) return;
    const current_device current(where_);
    with_formula(on, [&](auto square) {
      constexpr bool is_square = decltype(square)::value;
      const auto with_sweeps = [&](auto number) {
        constexpr int now = decltype(number)::value;
        const std::ptrdiff_t across = (on.width + relax_width - 1) / relax_width;
        const std::ptrdiff_t down = (wanted.count() + relax_height - 1) / relax_height;
        const auto launch = [&](auto has_source) {
          relax_tiles<T, now, is_square, decltype(has_source)::value>
              <<<static_cast<unsigned>(across * down), relax_threads, 0, where_.stream()>>>(
                  on, formula<T, is_square>{on.across, on.down}, u,
                  placed_correction<T>{from.values, from.pitch, from.across, from.down}, g, v,
                  static_cast<unsigned>(across), wanted);
          check(cudaGetLastError(), "launch of relax_tiles");
        };
        if (g != nullptr) return launch(std::true_type());
        launch(std::false_type());
      };
      switch (sweeps) {
        case 1:
          return with_sweeps(std::integral_constant<int, 1>());
        case 2:
          return with_sweeps(std::integral_constant<int, 2>());
        case 3:
          return with_sweeps(std::integral_constant<int, 3>());
        default:
          static_assert(most_sweeps == 4);
          return with_sweeps(std::integral_constant<int, 4>());
      }
    });
  }

  T restrict_residual(const grid<T>& fine, const T* u, const T* g, const grid<T>& coarse, T* coarse_g,
                      const transfer_view<T>& across, const transfer_view<T>& down, const row_range& rows,
                      bool is_wanted) override {
    const row_range wanted = inner(coarse, rows);
    if (wanted.first >= wanted.last) return 0;
    const current_device current(where_);
    if (is_wanted) clear_most();
    const T scale = static_cast<T>(-coarse.source_scale / fine.source_scale);
    const std::ptrdiff_t tiles_across = (coarse.width - 2 + coarse_tile_width - 1) / coarse_tile_width;
    const std::ptrdiff_t tiles_down = (wanted.count() + coarse_tile_height - 1) / coarse_tile_height;
    with_formula(fine, [&](auto square) {
      constexpr bool is_square = decltype(square)::value;
      restrict_tiles<T, is_square>
          <<<static_cast<unsigned>(tiles_across * tiles_down), restrict_threads, 0, where_.stream()>>>(
              fine, formula<T, is_square>{fine.across, fine.down}, u, g, coarse, coarse_g, across, down,
              scale, static_cast<unsigned>(tiles_across), wanted, is_wanted ? most_.data() : nullptr);
      check(cudaGetLastError(), "launch of restrict_tiles");
    });
    return is_wanted ? most_found() : T(0);
  }

  T largest_residual(const grid<T>& on, const T* u, const T* g, const row_range& rows) override {
    const row_range wanted = inner(on, rows);
    if (wanted.first >= wanted.last) return 0;
    const current_device current(where_);
    clear_most();
    with_formula(on, [&](auto square) {
      constexpr bool is_square = decltype(square)::value;
      const unsigned blocks = std::min(
          heddle::gpu::grid_for(
              static_cast<std::size_t>((on.width + residual_threads) / residual_threads * wanted.count()), 1),
          heddle::gpu::multiprocessors(where_) * 8);
      residual_of_rows<T, is_square><<<blocks, residual_threads, 0, where_.stream()>>>(
          on, formula<T, is_square>{on.across, on.down}, u, g, wanted, most_.data());
      check(cudaGetLastError(), "launch of residual_of_rows");
    });
    return most_found();
  }

 private:
  template <class Run>
  static void with_formula(const grid<T>& on, const Run& run) {
    if (on.is_square) return run(std::true_type());
    run(std::false_type());
  }

  void clear_most() {
    check(cudaMemsetAsync(most_.data(), 0, sizeof(ordered_bits<T>), where_.stream()), "cudaMemsetAsync");
  }
  T most_found() {
    const ordered_bits<T> bits = most_[0];
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  target where_;
  array<ordered_bits<T>> most_;
};

}  // namespace

template <class T>
std::unique_ptr<machine<T>> make_gpu_machine(const target& where) {
  return std::make_unique<gpu_machine<T>>(where);
}
template std::unique_ptr<machine<float>> make_gpu_machine(const target&);
template std::unique_ptr<machine<double>> make_gpu_machine(const target&);

template <class T>
std::unique_ptr<held_machine<T>> make_gpu_held_machine(const target& where, const level<T>& fine) {
  return std::make_unique<held_levels<T>>(where, fine);
}
template std::unique_ptr<held_machine<float>> make_gpu_held_machine(const target&, const level<float>&);
template std::unique_ptr<held_machine<double>> make_gpu_held_machine(const target&, const level<double>&);

template <class T>
heat heat_of_gpu(const grid_view<T>& of) {
  return find_heat(of);
}
template <class T>
std::vector<std::uint8_t> draw_on_gpu(const grid_view<T>& of, const heat& colours, const picture_part& part) {
  return draw_pixels(of, colours, part);
}
template heat heat_of_gpu(const grid_view<float>&);
template heat heat_of_gpu(const grid_view<double>&);
template std::vector<std::uint8_t> draw_on_gpu(const grid_view<float>&, const heat&, const picture_part&);
template std::vector<std::uint8_t> draw_on_gpu(const grid_view<double>&, const heat&, const picture_part&);

}  // namespace heddle::laplace
