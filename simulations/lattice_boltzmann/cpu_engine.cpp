#include "lattice_boltzmann/engine.hpp"
#include "lattice_boltzmann/kernels.hpp"
#include <heddle/array.hpp>
#include <heddle/machine.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace heddle::lbm {
namespace {

template <class S>
cpu_kernels<S> kernels_for_this_processor() {
  [[maybe_unused]] const std::string_view best = cpu_instruction_set();
#if defined(HEDDLE_X86_KERNELS)
  if (best == "avx512") return avx512_kernels<S>();
  if (best == "avx2") return avx2_kernels<S>();
#endif
  return baseline_kernels<S>();
}

template <class S>
class cpu_engine final : public engine<S> {
  using R = arithmetic<S>;

 public:
  cpu_engine(const flow_plan& plan, int threads)
      : grid_(layout::of(plan.width, plan.height, sizeof(S))),
        threads_(threads),
        memory_(grid_.elements()),
        kernels_(kernels_for_this_processor<S>()) {
    set(plan);
  }

  void set_plan(const flow_plan& plan) override { set(plan); }

  void rest() override {
    exchanged_ = false;
    // Each thread touches the rows that it will compute, of every plane.
    over_rows([&](std::ptrdiff_t first, std::ptrdiff_t last) {
      const std::ptrdiff_t from = first == 0 ? 0 : grid_.at(0, first);
      const std::ptrdiff_t to = last == grid_.height ? grid_.plane : grid_.at(0, last);
      for (int i = 0; i < velocities; ++i) {
        std::fill(memory_.data() + i * grid_.plane + from, memory_.data() + i * grid_.plane + to, S{});
      }
    });
  }

  void load(std::ptrdiff_t first, std::ptrdiff_t count, const S* from) override {
    const populations<S> at = now();
    each_row(first, count, [&](std::ptrdiff_t y) {
      for (int i = 0; i < velocities; ++i) {
        std::copy_n(from + (i * count + (y - first)) * grid_.width, grid_.width,
                    &at.of(grid_, grid_.at(0, y), i));
      }
    });
  }
  void store(std::ptrdiff_t first, std::ptrdiff_t count, S* to) override {
    const populations<S> at = now();
    each_row(first, count, [&](std::ptrdiff_t y) {
      for (int i = 0; i < velocities; ++i) {
        std::copy_n(&at.of(grid_, grid_.at(0, y), i), grid_.width,
                    to + (i * count + (y - first)) * grid_.width);
      }
    });
  }

  void step(std::uint64_t number, std::uint64_t count) override {
    const boundary_view<R> boundary = view();
    for (std::uint64_t i = 0; i < count; ++i) {
      const rates<R> given = rates_of<S>(plan_.given, number + i);
      const populations<S> before = now();
      const auto step_rows = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
        over_rows(from, to, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
          step_(before, grid_, given, first, last);
        });
      };
      exchanged_ = !exchanged_;
      const populations<S> at = now();
      if (plan_.halos) {
        const std::ptrdiff_t last = grid_.height - 1;
        step_rows(0, 1);
        if (last > 0) step_rows(last, last + 1);
        // Populations for neighbours are stored there, and those from neighbours are then stored in their own
        // places.
        for (std::size_t k = 0; k < plan_.copies.in_ring; ++k) copy_across(at, boundary, k);
        start_halos(*plan_.halos, at, grid_);
        step_rows(1, last);
        plan_.halos->finish();
      } else {
        step_rows(0, grid_.height);
      }
      constexpr std::size_t grain = 1024;
      cpu::for_slices(threads_, boundary.exchanges(), grain, [&](std::size_t first, std::size_t last) {
        double brought = 0;
        for (std::size_t k = first; k < last; ++k) {
          brought += static_cast<double>(exchange_at(at, grid_, boundary, k));
        }
        count_brought(brought);
      });
      if (plan_.open.outflows != 0) let_flow(at, boundary, given);
    }
  }

  void read(std::ptrdiff_t first, std::ptrdiff_t count, moments<R>* to) override {
    each_row(first, count, [&](std::ptrdiff_t y) {
      moments_of_row(y,
                     [&](std::ptrdiff_t x, const moments<R>& of) { to[(y - first) * grid_.width + x] = of; });
    });
  }

  void put(const std::vector<std::size_t>& cells, const std::vector<S>& of_cells) override {
    const populations<S> at = now();
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const auto cell = static_cast<std::ptrdiff_t>(cells[k]);
      const std::ptrdiff_t place = grid_.at(cell % grid_.width, cell / grid_.width);
      for (int i = 0; i < velocities; ++i)
        at.of(grid_, place, i) = of_cells[k * velocities + static_cast<std::size_t>(i)];
    }
  }

  array<moments<R>> moments_in_place() override {
    array<moments<R>> all(static_cast<std::size_t>(grid_.width * grid_.height));
    read(0, grid_.height, all.data());
    return all;
  }

  std::vector<double> excess_of_rows() override {
    std::vector<double> of_rows(static_cast<std::size_t>(grid_.height));
    over_rows([&](std::ptrdiff_t first, std::ptrdiff_t last) {
      for (std::ptrdiff_t y = first; y < last; ++y) {
        double& sum = of_rows[static_cast<std::size_t>(y)];
        if constexpr (is_fixed<S>) {
          sum = static_cast<double>(units_of_row(y)) * plan_.given.unit;
        } else {
          moments_of_row(y, [&](std::ptrdiff_t x, const moments<R>& of) {
            if (!is_solid(static_cast<std::size_t>(y * grid_.width + x)))
              sum += static_cast<double>(of.excess);
          });
        }
      }
    });
    return of_rows;
  }

  double mass_brought() override { return units_brought_.exchange(0) * plan_.given.unit; }

  link_forces on_links() override {
    const populations<S> at = now();
    link_forces of;
    const std::size_t first = plan_.links.walls + plan_.links.moving, curved = first + plan_.links.obstacles;
    for (std::size_t i = first; i < plan_.links.size(); ++i) {
      const force taken =
          momentum_taken(at, plan_.links.places[i], i < curved, static_cast<R>(plan_.given.unit));
      of.x.push_back(taken.x);
      of.y.push_back(taken.y);
    }
    return of;
  }

  std::optional<std::size_t> blown_up() override {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::atomic<std::size_t> lowest{none};
    const rates<R> given = rates_of<S>(plan_.given, 0);
    over_rows([&](std::ptrdiff_t first, std::ptrdiff_t last) {
      std::size_t found = none;
      for (std::ptrdiff_t y = first; y < last && found == none; ++y) {
        std::ptrdiff_t checked = 0;
        const bool is_suspicious = kernels_.any_bad(now(), grid_, given, y, checked);
        cells_of_row(y, is_suspicious ? 0 : checked, [&](std::ptrdiff_t x, const R(&g)[velocities]) {
          const std::size_t cell = static_cast<std::size_t>(y * grid_.width + x);
          if (found == none && is_bad<S>(g, given) && !is_solid(cell)) found = cell;
        });
      }
      std::size_t least = lowest.load();
      while (found < least && !lowest.compare_exchange_weak(least, found)) {
      }
    });
    return lowest == none ? std::nullopt : std::optional(lowest.load());
  }

  std::optional<double> change() override {
    const bool is_first = before_.empty();
    make_compared();
    std::atomic<R> most{0};
    over_rows([&](std::ptrdiff_t first, std::ptrdiff_t last) {
      R mine = 0;
      for (std::ptrdiff_t y = first; y < last; ++y) {
        moments_of_row(y, [&](std::ptrdiff_t x, const moments<R>& of) {
          const std::size_t cell = static_cast<std::size_t>(y * grid_.width + x);
          R* const old = before_.data() + 2 * cell;
          // A cell that becomes fluid was at rest, whatever a solid cell stores.
          const bool solid = is_solid(cell);
          const R ux = solid ? 0 : of.ux, uy = solid ? 0 : of.uy;
          if (!solid) mine = std::max({mine, std::abs(ux - old[0]), std::abs(uy - old[1])});
          old[0] = ux;
          old[1] = uy;
        });
      }
      R now = most.load();
      while (now < mine && !most.compare_exchange_weak(now, mine)) {
      }
    });
    return is_first ? std::nullopt : std::optional<double>(static_cast<double>(most.load()));
  }

  void load_compared(std::ptrdiff_t first, std::ptrdiff_t count, const R* from) override {
    make_compared();
    std::copy_n(from, 2 * count * grid_.width, before_.begin() + 2 * first * grid_.width);
  }
  void store_compared(std::ptrdiff_t first, std::ptrdiff_t count, R* to) override {
    std::copy_n(before_.begin() + 2 * first * grid_.width, 2 * count * grid_.width, to);
  }

 private:
  void set(const flow_plan& plan) {
    plan_ = plan;
    second_ = second_numbers<S>(plan.links, plan.given.unit);
    inflow_velocity_.assign(plan.open.inflow_velocity.begin(), plan.open.inflow_velocity.end());
    inflow_slope_.assign(plan.open.inflow_slope.begin(), plan.open.inflow_slope.end());
    leaving_.resize(plan.open.outflow.size());
    leaving_bytes_.clear();
    if (plan.halos) {
      const array<std::size_t> counts = plan.halos->all().all_gather(leaving_.size());
      leaving_of_all_.resize(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
      for (const std::size_t count : counts) leaving_bytes_.push_back(count * sizeof(R));
    }
    step_ = kernels_.step[static_cast<int>(plan.kind)][is_general(plan.given) ? 1 : 0];
  }
  void make_compared() { before_.resize(static_cast<std::size_t>(2 * grid_.width * grid_.height)); }
  /// Whole numbers, whose sum is the same in any order.
  void count_brought(double units) {
    if constexpr (is_fixed<S>) units_brought_ += units;
  }

  /// Inflows and outflows.
  void let_flow(const populations<S>& at, const boundary_view<R>& boundary, const rates<R>& given) {
    constexpr std::size_t grain = 64;
    cpu::for_slices(threads_, boundary.outflows, grain, [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) leaving_[k] = leaving_at(at, grid_, boundary, k);
    });
    double sum = 0;
    const auto add = [&](const auto& values) {
      for (const R leaving : values) sum += static_cast<double>(leaving);
    };
    if (plan_.halos) {
      plan_.halos->all().between().all_gather(leaving_.data(), leaving_bytes_, leaving_of_all_.data());
      add(leaving_of_all_);
    } else {
      add(leaving_);
    }
    const R excess = outflow_excess(static_cast<R>(sum / static_cast<double>(plan_.open.outflows)), boundary);
    cpu::for_slices(threads_, boundary.inflows + boundary.outflows, grain,
                    [&](std::size_t first, std::size_t last) {
                      double brought = 0;
                      for (std::size_t k = first; k < last; ++k) {
                        brought += static_cast<double>(open_at(at, grid_, boundary, given, excess, k));
                      }
                      count_brought(brought);
                    });
  }

  /// The sum of all populations of the fluid cells of a row, plane by plane.
  std::int64_t units_of_row(std::ptrdiff_t y) {
    const populations<S> at = now();
    std::int64_t sum = 0;
    for (int i = 0; i < velocities; ++i) {
      const S* const from = &at.of(grid_, grid_.at(0, y), i);
      constexpr std::ptrdiff_t block = 4096;  // whose sum 32 bits hold
      for (std::ptrdiff_t begin = 0; begin < grid_.width; begin += block) {
        std::int32_t of_block = 0;
        for (std::ptrdiff_t x = begin; x < std::min(begin + block, grid_.width); ++x)
          of_block += from[x].steps;
        sum += of_block;
      }
      for (std::ptrdiff_t x = 0; x < grid_.width && !plan_.solid.empty(); ++x) {
        if (is_solid(static_cast<std::size_t>(y * grid_.width + x))) sum -= from[x].steps;
      }
    }
    return sum;
  }

  populations<S> now() { return populations<S>::at(memory_.data(), grid_, exchanged_); }
  bool is_solid(std::size_t cell) const { return !plan_.solid.empty() && plan_.solid[cell] != 0; }

  boundary_view<R> view() const {
    return {.links = plan_.links.places.data(),
            .second = second_.data(),
            .walls = plan_.links.walls,
            .moving = plan_.links.moving,
            .obstacles = plan_.links.obstacles,
            .curved = plan_.links.curved,
            .ghosts = plan_.copies.ghosts.data(),
            .images = plan_.copies.images.data(),
            .copies = plan_.copies.ghosts.size(),
            .inflow = plan_.open.inflow.data(),
            .inflow_velocity = inflow_velocity_.data(),
            .inflow_slope = inflow_slope_.data(),
            .inflows = plan_.open.inflow.size(),
            .outflow = plan_.open.outflow.data(),
            .outflows = plan_.open.outflow.size(),
            .mean_outflow = static_cast<R>(plan_.open.mean_outflow),
            .unit = static_cast<R>(plan_.given.unit)};
  }

  /// f(first, last) on slices of all rows, or of rows from … to−1.
  template <class F>
  void over_rows(const F& f) {
    over_rows(0, grid_.height, f);
  }
  template <class F>
  void over_rows(std::ptrdiff_t from, std::ptrdiff_t to, const F& f) {
    if (from >= to) return;
    constexpr std::size_t cells_worth_a_thread = std::size_t{1} << 10;
    const std::size_t grain = cells_worth_a_thread / static_cast<std::size_t>(grid_.width) + 1;
    cpu::for_slices(threads_, static_cast<std::size_t>(to - from), grain,
                    [&](std::size_t first, std::size_t last) {
                      f(from + static_cast<std::ptrdiff_t>(first), from + static_cast<std::ptrdiff_t>(last));
                    });
  }
  template <class F>
  void each_row(std::ptrdiff_t first, std::ptrdiff_t count, const F& f) {
    cpu::for_slices(threads_, static_cast<std::size_t>(count), 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t y = begin; y < end; ++y) f(first + static_cast<std::ptrdiff_t>(y));
    });
  }
  template <class F>
  void cells_of_row(std::ptrdiff_t y, std::ptrdiff_t first, const F& f) {
    const populations<S> at = now();
    for (std::ptrdiff_t x = first; x < grid_.width; ++x) {
      R g[velocities];
      read_cell<S>(at, grid_, grid_.at(x, y), g, static_cast<R>(plan_.given.unit));
      f(x, g);
    }
  }
  template <class F>
  void moments_of_row(std::ptrdiff_t y, const F& f) {
    const rates<R> given = rates_of<S>(plan_.given, 0);
    cells_of_row(y, 0, [&](std::ptrdiff_t x, const R(&g)[velocities]) { f(x, moments_of(g, given)); });
  }

  flow_plan plan_;
  layout grid_;
  int threads_;
  std::vector<R> second_, inflow_velocity_, inflow_slope_, leaving_;
  std::vector<R> leaving_of_all_;
  std::vector<std::size_t> leaving_bytes_;  // of each rank
  array<S> memory_;
  cpu_kernels<S> kernels_;
  typename cpu_kernels<S>::rows* step_ = nullptr;
  bool exchanged_ = false;
  std::vector<R> before_;
  std::atomic<double> units_brought_{0};
};

}  // namespace

template <class S>
std::unique_ptr<engine<S>> make_cpu_engine(const flow_plan& plan, int threads) {
  return std::make_unique<cpu_engine<S>>(plan, threads);
}
template std::unique_ptr<engine<double>> make_cpu_engine(const flow_plan&, int);
template std::unique_ptr<engine<float>> make_cpu_engine(const flow_plan&, int);
template std::unique_ptr<engine<fixed16>> make_cpu_engine(const flow_plan&, int);

}  // namespace heddle::lbm
