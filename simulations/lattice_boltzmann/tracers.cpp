#include "lattice_boltzmann/tracers.hpp"

#include "lattice_boltzmann/dye_kernels.hpp"
#include "lattice_boltzmann/tracer_kernels.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/ranks.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace heddle::lbm {
namespace {

/// The rows of cells that this rank works on, all on one machine.
class rows_of_ranks {
 public:
  /// Rows of so many numbers.
  rows_of_ranks(const flow& of, std::size_t width)
      : all_(of.all()), width_(width), begins_(even_rows(of.given().height, all_ ? all_->size() : 1)) {
    for (std::size_t r = 0; r + 1 < begins_.size(); ++r)
      bytes_.push_back((begins_[r + 1] - begins_[r]) * width_ * sizeof(float));
  }
  std::size_t first() const { return begins_[me()]; }
  std::size_t count() const { return begins_[me() + 1] - begins_[me()]; }

  /// Every rank gets the rows of the others, which are on CPUs.
  void share(float* values) {
    if (all_ == nullptr) return;
    const float* const own = values + first() * width_;
    mine_.assign(own, own + count() * width_);
    all_->between().all_gather(mine_.data(), bytes_, values);
  }

 private:
  std::size_t me() const { return all_ ? static_cast<std::size_t>(all_->rank()) : 0; }

  const ranks* all_;
  std::size_t width_;
  std::vector<std::size_t> begins_, bytes_;
  std::vector<float> mine_;
};

const dye_kernels& kernels() {
  constinit static made_once<dye_kernels> fastest;
  return fastest.get([] {
    [[maybe_unused]] const std::string_view best = cpu_instruction_set();
#if defined(HEDDLE_X86_KERNELS)
    if (best == "avx512") return avx512_dye_kernels();
    if (best == "avx2") return avx2_dye_kernels();
#endif
    return baseline_dye_kernels();
  });
}

/// The largest absolute component of a velocity.
float fastest_of(const array<float>& velocity) {
  std::atomic<float> most = 0;
  constexpr std::size_t grain = 1 << 14;
  cpu::for_slices(velocity.where().threads(), velocity.size(), grain,
                  [&](std::size_t first, std::size_t last) {
                    const float mine = kernels().fastest(velocity.data() + first, last - first);
                    float now = most.load();
                    while (now < mine && !most.compare_exchange_weak(now, mine)) {
                    }
                  });
  return most.load();
}

}  // namespace

carrier carrier_of(const flow& of) {
  const flow_case which = of.given().which;
  carrier made{of.velocity_in_place(), of.solid_in_place()};
  made.periodic_x = which == flow_case::taylor_green || (which == flow_case::channel && !is_open(of.given()));
  made.periodic_y = which == flow_case::taylor_green || which == flow_case::free;
  return made;
}

dye::dye(const flow& of) {
  const shape cells{of.given().height, of.given().width};
  const target where = of.where_fields_are();
  const auto make = [&](array<float>& values, const shape& of_shape) {
    values = array<float>(of_shape, where);
    values.fill(0);
  };
  make(now_, cells);
  if (where.is_gpu()) {
    make(carried_, cells);
    make(next_, cells);
  } else {
    constexpr std::size_t arrays_of_rows = 8;
    make(room_, {arrays_of_rows, cells[0], cells[1] + 2});
    rows_with_solid_.resize(cells[0]);
  }
}

void dye::set(const array_view<const float>& concentration) {
  if (!(concentration.shape() == now_.shape())) {
    fail(fmt::format("lbm: dye of shape {}, where the flow has {}", concentration.shape().text(),
                     now_.shape().text()));
  }
  now_.copy_from(concentration);
}

void dye::set_sources(const std::vector<std::uint8_t>& cells) {
  if (!cells.empty() && cells.size() != now_.size()) {
    fail(fmt::format("lbm: sources of dye in {} cells, where the flow has {}", cells.size(), now_.size()));
  }
  sources_ = array<std::uint8_t>(cells, now_.where());
}

void dye::advance(const flow& of, double steps) {
  if (of.given().height != now_.shape()[0] || of.given().width != now_.shape()[1]) {
    fail(fmt::format("lbm: dye of {}x{} cells in a flow of {}x{}", now_.shape()[1], now_.shape()[0],
                     of.given().width, of.given().height));
  }
  if (!(steps > 0)) return;
  if (!now_.where().is_gpu()) return carry_on_cpu(of, steps);
  const carrier by = carrier_of(of);
  const auto passes = static_cast<std::uint64_t>(std::max(1.0, std::ceil(2 * of.given().velocity * steps)));
  const auto part = static_cast<float>(steps / static_cast<double>(passes));
  for (std::uint64_t done = 0; done < passes; ++done) {
    const dye_pass pass{.now = now_.data(),
                        .carried = carried_.data(),
                        .next = next_.data(),
                        .sources = sources_.size() == 0 ? nullptr : sources_.data(),
                        .first_row = 0,
                        .rows = now_.shape()[0]};
    carry_on_gpu(by, pass, part);
    correct_on_gpu(by, pass, part);
    std::swap(now_, next_);
  }
}

void dye::carry_on_cpu(const flow& of, double steps) {
  const carrier by = carrier_of(of);
  // A flow that has blown up has no fastest cell.
  const double most_passes = std::ceil(8 * of.given().velocity * steps) + 1;
  const auto passes = static_cast<std::uint64_t>(
      std::clamp(std::ceil(steps * static_cast<double>(fastest_of(by.velocity))), 1.0, most_passes));
  dye_rows pass{};
  pass.width = static_cast<std::ptrdiff_t>(now_.shape()[1]);
  pass.height = static_cast<std::ptrdiff_t>(now_.shape()[0]);
  float* next_free = room_.data();
  for (float** const one :
       {&pass.u, &pass.v, &pass.fluid, &pass.now, &pass.carried, &pass.least, &pass.most, &pass.next}) {
    *one = next_free;
    next_free += pass.height * pass.stride();
  }
  pass.has_solid = rows_with_solid_.data();
  pass.sources = sources_.size() == 0 ? nullptr : sources_.data();
  pass.periodic_x = by.periodic_x;
  pass.periodic_y = by.periodic_y;
  pass.steps = static_cast<float>(steps / static_cast<double>(passes));
  rows_of_ranks rows(of, static_cast<std::size_t>(pass.stride()));
  const auto over_rows = [&](std::size_t begin, std::size_t count, const auto& work) {
    const std::size_t grain = 1 + 8192 / now_.shape()[1];
    cpu::for_slices(now_.where().threads(), count, grain, [&](std::size_t first, std::size_t last) {
      work(static_cast<std::ptrdiff_t>(begin + first), static_cast<std::ptrdiff_t>(begin + last));
    });
  };
  const std::uint8_t* const solid = by.solid.size() == 0 ? nullptr : by.solid.data();
  over_rows(0, now_.shape()[0], [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    kernels().begin(pass, by.velocity.data(), solid, now_.data(), first, last);
  });
  for (std::uint64_t done = 0; done < passes; ++done) {
    for (const auto& [work, values] :
         {std::pair(kernels().carry, pass.carried), std::pair(kernels().correct, pass.next)}) {
      over_rows(rows.first(), rows.count(),
                [&, one = work](std::ptrdiff_t first, std::ptrdiff_t last) { one(pass, first, last); });
      rows.share(values);
    }
    std::swap(pass.now, pass.next);
  }
  over_rows(0, now_.shape()[0], [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t y = first; y < last; ++y)
      std::copy_n(pass.now + pass.place(y), pass.width, now_.data() + y * pass.width);
  });
}

std::vector<std::uint8_t> draw_lines(const carrier& of, const picture_part& part, int reach) {
  const std::size_t height = of.velocity.shape()[0], width = of.velocity.shape()[1];
  if (!part.is_within(width, height)) fail_outside(part, width, height);
  if (part.rows == 0 || part.columns == 0) return {};
  return of.velocity.where().is_gpu() ? lines_on_gpu(of, part, reach) : find_lines(of, part, reach);
}

float noise_at(std::int64_t column, std::int64_t row) {
  return hashed_noise(column, row);
}

}  // namespace heddle::lbm
