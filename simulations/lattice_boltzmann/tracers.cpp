#include "lattice_boltzmann/tracers.hpp"

#include "lattice_boltzmann/dye_kernels.hpp"
#include "lattice_boltzmann/tracer_kernels.hpp"
#include <heddle/error.hpp>
#include <heddle/fork.hpp>
#include <heddle/halo_exchange.hpp>
#include <heddle/machine.hpp>
#include <heddle/ranks.hpp>
#include <heddle/threads.hpp>

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
  explicit rows_of_ranks(const flow& of)
      : all_(of.all()),
        width_(of.given().width),
        begins_(even_rows(of.given().height, all_ ? all_->size() : 1)) {
    for (std::size_t r = 0; r + 1 < begins_.size(); ++r)
      bytes_.push_back((begins_[r + 1] - begins_[r]) * width_ * sizeof(float));
  }
  std::size_t first() const { return begins_[me()]; }
  std::size_t count() const { return begins_[me() + 1] - begins_[me()]; }

  /// Every rank gets the rows of the others, which are on CPUs.
  void share(array<float>& values) {
    if (all_ == nullptr) return;
    const float* const own = values.data() + first() * width_;
    mine_.assign(own, own + count() * width_);
    all_->between().all_gather(mine_.data(), bytes_, values.data());
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
  std::vector<array<float>*> all{&now_, &carried_, &next_};
  if (!where.is_gpu()) all.insert(all.end(), {&least_, &most_});
  for (array<float>* const values : all) {
    *values = array<float>(cells, where);
    values->fill(0);
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
  rows_of_ranks rows(of);
  dye_rows pass{.velocity = by.velocity.data(),
                .solid = by.solid.size() == 0 ? nullptr : by.solid.data(),
                .sources = sources_.size() == 0 ? nullptr : sources_.data(),
                .now = nullptr,
                .carried = carried_.data(),
                .least = least_.data(),
                .most = most_.data(),
                .next = nullptr,
                .width = static_cast<std::ptrdiff_t>(now_.shape()[1]),
                .height = static_cast<std::ptrdiff_t>(now_.shape()[0]),
                .periodic_x = by.periodic_x,
                .periodic_y = by.periodic_y,
                .steps = static_cast<float>(steps / static_cast<double>(passes))};
  const auto over_rows = [&](dye_kernels::rows* work) {
    // Each slice reads two rows more than it writes.
    const std::size_t grain = 8 + 4096 / now_.shape()[1];
    cpu::for_slices(now_.where().threads(), rows.count(), grain, [&](std::size_t first, std::size_t last) {
      std::vector<float> room(pass.numbers_of_room());
      work(pass, static_cast<std::ptrdiff_t>(rows.first() + first),
           static_cast<std::ptrdiff_t>(rows.first() + last), room.data());
    });
  };
  for (std::uint64_t done = 0; done < passes; ++done) {
    pass.now = now_.data();
    pass.next = next_.data();
    over_rows(kernels().carry);
    rows.share(carried_);
    over_rows(kernels().correct);
    rows.share(next_);
    std::swap(now_, next_);
  }
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
