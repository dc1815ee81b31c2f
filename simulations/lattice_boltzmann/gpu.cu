#include "lattice_boltzmann/engine.hpp"
#include "lattice_boltzmann/field_kernels.hpp"
#include "lattice_boltzmann/gpu_kernels.cuh"
#include "lattice_boltzmann/tracer_kernels.hpp"
#include <heddle/array.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/support/launch.cuh>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

namespace heddle::lbm {
namespace {

using heddle::gpu::check;
using heddle::gpu::current_device;
using namespace gpu;

/// Nine populations of a cell.
template <class S>
struct put_cell {
  populations<S> at;
  layout grid;
  const std::size_t* cells;
  const S* from;
  HD_FN void operator()(std::size_t k) const {
    const auto cell = static_cast<std::ptrdiff_t>(cells[k]);
    const std::ptrdiff_t place = grid.at(cell % grid.width, cell / grid.width);
    for (int i = 0; i < velocities; ++i) at.of(grid, place, i) = from[k * velocities + i];
  }
};

template <class S>
class gpu_engine final : public engine<S> {
  using R = arithmetic<S>;

 public:
  gpu_engine(const flow_plan& plan, const target& where)
      : where_(where),
        grid_(layout::of(plan.width, plan.height, sizeof(S))),
        halos_(plan.halos),
        excess_(1, where),
        brought_(1, where),
        found_(1, where),
        memory_(grid_.elements(), where) {
    set(plan);
    brought_.fill(0);
    step(0, 0);
  }

  void rest() override {
    const current_device current(where_);
    exchanged_ = false;
    check(cudaMemsetAsync(memory_.data(), 0, grid_.elements() * sizeof(S), where_.stream()),
          "cudaMemsetAsync");
  }

  void load(std::ptrdiff_t first, std::ptrdiff_t count, const S* from) override {
    const current_device current(where_);
    array<S> rows(static_cast<std::size_t>(velocities * count * grid_.width), where_);
    copy(rows.data(), where_, from, target(), rows.size() * sizeof(S));
    move_rows<S, true>
        <<<heddle::gpu::grid_for(cells_of(count), look_threads), look_threads, 0, where_.stream()>>>(
            now(), grid_, first, count, rows.data());
    check(cudaGetLastError(), "launch of move_rows");
  }
  void store(std::ptrdiff_t first, std::ptrdiff_t count, S* to) override {
    const current_device current(where_);
    array<S> rows(static_cast<std::size_t>(velocities * count * grid_.width), where_);
    move_rows<S, false>
        <<<heddle::gpu::grid_for(cells_of(count), look_threads), look_threads, 0, where_.stream()>>>(
            now(), grid_, first, count, rows.data());
    check(cudaGetLastError(), "launch of move_rows");
    copy(to, target(), rows.data(), where_, rows.size() * sizeof(S));
  }

  void step(std::uint64_t number, std::uint64_t count) override {
    const current_device current(where_);
    const bool general = is_general(given_);
    if (kind_ == collision_kind::regularized) {
      if (general) return steps<collision_kind::regularized, true>(number, count);
      return steps<collision_kind::regularized, false>(number, count);
    }
    if (general) return steps<collision_kind::two_rates, true>(number, count);
    steps<collision_kind::two_rates, false>(number, count);
  }

  void read(std::ptrdiff_t first, std::ptrdiff_t count, moments<R>* to) override {
    const current_device current(where_);
    array<moments<R>> rows(cells_of(count), where_);
    read_moments<S><<<heddle::gpu::grid_for(rows.size(), look_threads), look_threads, 0, where_.stream()>>>(
        now(), grid_, rates_of<S>(given_, 0), first, count, rows.data());
    check(cudaGetLastError(), "launch of read_moments");
    copy(to, target(), rows.data(), where_, rows.size() * sizeof(moments<R>));
  }

  std::vector<double> excess_of_rows() override {
    const current_device current(where_);
    array<double> of_rows(static_cast<std::size_t>(grid_.height), where_);
    sum_excess<S><<<static_cast<unsigned>(of_rows.size()), look_threads, 0, where_.stream()>>>(
        now(), grid_, rates_of<S>(given_, 0), solid_.size() == 0 ? nullptr : solid_.data(), of_rows.data());
    check(cudaGetLastError(), "launch of sum_excess");
    return on_cpu(of_rows);
  }

  void set_plan(const flow_plan& plan) override { set(plan); }

  void put(const std::vector<std::size_t>& cells, const std::vector<S>& of_cells) override {
    if (cells.empty()) return;
    const array<std::size_t> places(cells, where_);
    const array<S> from(of_cells, where_);
    for_each_index(where_, extent{cells.size()}, put_cell<S>{now(), grid_, places.data(), from.data()});
  }

  array<moments<R>> moments_in_place() override {
    const current_device current(where_);
    array<moments<R>> all(cells_of(grid_.height), where_);
    read_moments<S><<<heddle::gpu::grid_for(all.size(), look_threads), look_threads, 0, where_.stream()>>>(
        now(), grid_, rates_of<S>(given_, 0), 0, grid_.height, all.data());
    check(cudaGetLastError(), "launch of read_moments");
    return all;
  }

  double mass_brought() override {
    const double units = brought_[0];
    brought_.fill(0);
    return units * given_.unit;
  }

  link_forces on_links() override {
    const std::size_t count = sizes_.obstacles + sizes_.curved;
    if (count == 0) return {};
    const current_device current(where_);
    array<double> x(count, where_), y(count, where_);
    forces_of_links<S>
        <<<heddle::gpu::grid_for(count, boundary_threads), boundary_threads, 0, where_.stream()>>>(
            now(), links_.data() + sizes_.walls + sizes_.moving, count, sizes_.obstacles,
            static_cast<R>(given_.unit), x.data(), y.data());
    check(cudaGetLastError(), "launch of forces_of_links");
    return {on_cpu(x), on_cpu(y)};
  }

  std::optional<std::size_t> blown_up() override {
    const current_device current(where_);
    constexpr unsigned long long none = std::numeric_limits<unsigned long long>::max();
    found_.fill(none);
    find_bad<S>
        <<<heddle::gpu::grid_for(cells_of(grid_.height), look_threads), look_threads, 0, where_.stream()>>>(
            now(), grid_, rates_of<S>(given_, 0), solid_.size() == 0 ? nullptr : solid_.data(),
            found_.data());
    check(cudaGetLastError(), "launch of find_bad");
    const unsigned long long lowest = found_[0];
    return lowest == none ? std::nullopt : std::optional<std::size_t>(lowest);
  }

  std::optional<double> change() override {
    const current_device current(where_);
    const bool is_first = before_.size() == 0;
    make_compared();
    found_.fill(0);
    find_change<S>
        <<<heddle::gpu::grid_for(cells_of(grid_.height), look_threads), look_threads, 0, where_.stream()>>>(
            now(), grid_, rates_of<S>(given_, 0), solid_.size() == 0 ? nullptr : solid_.data(),
            before_.data(), found_.data());
    check(cudaGetLastError(), "launch of find_change");
    const unsigned long long bits = found_[0];
    double most;
    std::memcpy(&most, &bits, sizeof most);
    return is_first ? std::nullopt : std::optional(most);
  }

  void load_compared(std::ptrdiff_t first, std::ptrdiff_t count, const R* from) override {
    make_compared();
    copy(before_.data() + 2 * cells_of(first), where_, from, target(), 2 * cells_of(count) * sizeof(R));
  }
  void store_compared(std::ptrdiff_t first, std::ptrdiff_t count, R* to) override {
    copy(to, target(), before_.data() + 2 * cells_of(first), where_, 2 * cells_of(count) * sizeof(R));
  }

 private:
  void set(const flow_plan& plan) {
    kind_ = plan.kind;
    given_ = plan.given;
    sizes_ = counts_of(plan);
    in_ring_ = plan.copies.in_ring;
    solid_ = array<std::uint8_t>(plan.solid, where_);
    links_ = array<link>(plan.links.places, where_);
    second_ = array<R>(second_numbers<S>(plan.links, plan.given.unit), where_);
    ghosts_ = array<link>(plan.copies.ghosts, where_);
    images_ = array<std::uint64_t>(plan.copies.images, where_);
    inflow_ = array<std::uint64_t>(plan.open.inflow, where_);
    inflow_velocity_ = array<R>(numbers(plan.open.inflow_velocity), where_);
    inflow_slope_ = array<R>(numbers(plan.open.inflow_slope), where_);
    outflow_ = array<std::uint64_t>(plan.open.outflow, where_);
    outflows_ = plan.open.outflows;
    mean_outflow_ = static_cast<R>(plan.open.mean_outflow);
  }
  void make_compared() {
    if (before_.size() != 0) return;
    before_ = array<R>(2 * cells_of(grid_.height), where_);
    before_.fill(0);
  }
  template <class T>
  static std::vector<T> on_cpu(const array<T>& x) {
    std::vector<T> made(x.size());
    copy(made.data(), target(), x.data(), x.where(), x.size() * sizeof(T));
    return made;
  }
  static std::vector<R> numbers(const std::vector<double>& from) { return {from.begin(), from.end()}; }
  struct counts {
    std::size_t walls, moving, obstacles, curved;
  };
  static counts counts_of(const flow_plan& plan) {
    return {plan.links.walls, plan.links.moving, plan.links.obstacles, plan.links.curved};
  }

  populations<S> now() { return populations<S>::at(memory_.data(), grid_, exchanged_); }
  std::size_t cells_of(std::ptrdiff_t rows) const { return static_cast<std::size_t>(rows * grid_.width); }

  boundary_view<R> view() const {
    return {.links = links_.data(),
            .second = second_.data(),
            .walls = sizes_.walls,
            .moving = sizes_.moving,
            .obstacles = sizes_.obstacles,
            .curved = sizes_.curved,
            .ghosts = ghosts_.data(),
            .images = images_.data(),
            .copies = ghosts_.size(),
            .inflow = inflow_.data(),
            .inflow_velocity = inflow_velocity_.data(),
            .inflow_slope = inflow_slope_.data(),
            .inflows = inflow_.size(),
            .outflow = outflow_.data(),
            .outflows = outflow_.size(),
            .mean_outflow = mean_outflow_,
            .unit = static_cast<R>(given_.unit)};
  }

  template <class Kernel>
  static void load_kernel(Kernel* kernel) {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  }

  template <collision_kind Kind, bool General>
  void steps(std::uint64_t number, std::uint64_t count) {
    const boundary_view<R> boundary = view();
    const auto stream = where_.stream();
    constexpr unsigned cells_a_block = step_threads<S> * cells_of_thread<S>;
    const unsigned tiles = (static_cast<unsigned>(grid_.width) + cells_a_block - 1) / cells_a_block;
    const auto height = static_cast<unsigned>(grid_.height);
    const std::size_t ends = boundary.inflows + boundary.outflows;
    if (count == 0) {
      // CUDA brings kernels to the GPU when they are first named, which takes as long as many steps.
      if constexpr (is_fixed<S>) {
        load_kernel(step_pairs<Kind, General>);
      } else {
        load_kernel(step_words<S, Kind, General>);
      }
      load_kernel(exchange_links<S>);
      load_kernel(find_outflow<S>);
      load_kernel(open_ends<S>);
      load_kernel(find_bad<S>);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const rates<R> given = rates_of<S>(given_, number + i);
      populations<S> from = now();
      // Up or down only: words stay aligned, and cells go one further themselves.
      for (int p = 0; p < pairs; ++p) from.ahead[p] += pair_y(p) * grid_.pitch;
      // Rows first, first + apart, …
      const auto step_rows = [&](unsigned first, unsigned rows, unsigned apart) {
        if (rows == 0) return;
        const tiling over{grid_, tiles, first, apart};
        if constexpr (is_fixed<S>) {
          step_pairs<Kind, General><<<tiles * rows, step_threads<S>, 0, stream>>>(from, over, given);
        } else {
          step_words<S, Kind, General><<<tiles * rows, step_threads<S>, 0, stream>>>(from, over, given);
        }
      };
      exchanged_ = !exchanged_;
      if (halos_) {
        step_rows(0, height > 1 ? 2 : 1, height - 1);
        // What neighbours get lies there, and what comes from them then goes where it stands for.
        if (in_ring_ != 0) copy_in_ring<S><<<1, boundary_threads, 0, stream>>>(now(), boundary, in_ring_);
        check(cudaGetLastError(), "launch of the rows at the edges");
        start_halos(*halos_, now(), grid_);
        step_rows(1, height > 2 ? height - 2 : 0, 1);
        halos_->finish();
      } else {
        step_rows(0, height, 1);
      }
      if (boundary.exchanges() != 0) {
        exchange_links<S>
            <<<heddle::gpu::grid_for(boundary.exchanges(), boundary_threads), boundary_threads, 0, stream>>>(
                now(), grid_, boundary, brought_.data());
      }
      if (outflows_ != 0) {
        const array<R> leaving = leaving_of_all(boundary);
        find_outflow<S><<<1, outflow_threads, 0, stream>>>(
            now(), grid_, boundary, halos_ ? leaving.data() : nullptr, outflows_, excess_.data());
      }
      if (ends != 0) {
        open_ends<S><<<heddle::gpu::grid_for(ends, boundary_threads), boundary_threads, 0, stream>>>(
            now(), grid_, boundary, given, excess_.data(), brought_.data());
      }
      check(cudaGetLastError(), "launch of a step");
    }
  }

  /// What leaves through the outflows of all ranks; without others nothing.
  array<R> leaving_of_all(const boundary_view<R>& boundary) {
    if (!halos_) return {};
    array<R> mine(boundary.outflows, where_);
    if (boundary.outflows != 0)
      leaving_of_outflow<S><<<heddle::gpu::grid_for(boundary.outflows, boundary_threads), boundary_threads, 0,
                              where_.stream()>>>(now(), grid_, boundary, mine.data());
    check(cudaGetLastError(), "launch of leaving_of_outflow");
    return halos_->all().all_gather(on_cpu(mine)).on(where_);
  }

  target where_;
  layout grid_;
  collision_kind kind_ = collision_kind::two_rates;
  rates<double> given_;
  counts sizes_{};
  array<std::uint8_t> solid_;
  array<link> links_;
  array<R> second_;
  array<link> ghosts_;
  array<std::uint64_t> images_;
  array<std::uint64_t> inflow_;
  array<R> inflow_velocity_, inflow_slope_;
  array<std::uint64_t> outflow_;
  std::size_t outflows_ = 0;
  R mean_outflow_{};
  std::shared_ptr<halo_exchange> halos_;
  std::size_t in_ring_ = 0;
  array<R> excess_;
  array<double> brought_;
  array<unsigned long long> found_;
  array<S> memory_;
  array<R> before_;
  bool exchanged_ = false;
};

}  // namespace

template <class S>
std::unique_ptr<engine<S>> make_gpu_engine(const flow_plan& plan, const target& where) {
  return std::make_unique<gpu_engine<S>>(plan, where);
}
template std::unique_ptr<engine<double>> make_gpu_engine(const flow_plan&, const target&);
template std::unique_ptr<engine<float>> make_gpu_engine(const flow_plan&, const target&);
template std::unique_ptr<engine<fixed16>> make_gpu_engine(const flow_plan&, const target&);

template <class R>
array<float> values_on_gpu(const array<moments<R>>& of, const array_view<const std::uint8_t>& solid,
                           std::size_t width, field which) {
  return find_values(of, solid, width, which);
}
template array<float> values_on_gpu(const array<moments<float>>&, const array_view<const std::uint8_t>&,
                                    std::size_t, field);
template array<float> values_on_gpu(const array<moments<double>>&, const array_view<const std::uint8_t>&,
                                    std::size_t, field);
std::vector<std::uint8_t> draw_on_gpu(const array<float>& values, const array_view<const std::uint8_t>& solid,
                                      const scale_of_colour& scale, const picture_part& part) {
  return draw_pixels(values, solid, scale, part);
}

template <class R>
array<float> velocities_on_gpu(const array<moments<R>>& of, std::size_t width) {
  return find_velocities(of, width);
}
template array<float> velocities_on_gpu(const array<moments<float>>&, std::size_t);
template array<float> velocities_on_gpu(const array<moments<double>>&, std::size_t);
void carry_on_gpu(const carrier& by, const dye_pass& dye, float steps) {
  carry_back(by, dye, steps);
}
void correct_on_gpu(const carrier& by, const dye_pass& dye, float steps) {
  correct(by, dye, steps);
}
std::vector<std::uint8_t> lines_on_gpu(const carrier& of, const picture_part& part, int reach) {
  return find_lines(of, part, reach);
}

}  // namespace heddle::lbm
