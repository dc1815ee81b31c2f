#include "lattice_boltzmann/tracers.hpp"

#include "lattice_boltzmann/tracer_kernels.hpp"
#include <heddle/error.hpp>
#include <heddle/halo_exchange.hpp>
#include <heddle/ranks.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  for (array<float>* const values : {&now_, &carried_, &next_}) {
    *values = array<float>(cells, of.where_fields_are());
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
  const carrier by = carrier_of(of);
  const auto passes = static_cast<std::uint64_t>(std::max(1.0, std::ceil(2 * of.given().velocity * steps)));
  const auto part = static_cast<float>(steps / static_cast<double>(passes));
  rows_of_ranks rows(of);
  for (std::uint64_t done = 0; done < passes; ++done) {
    const dye_pass pass{.now = now_.data(),
                        .carried = carried_.data(),
                        .next = next_.data(),
                        .sources = sources_.size() == 0 ? nullptr : sources_.data(),
                        .first_row = rows.first(),
                        .rows = rows.count()};
    if (now_.where().is_gpu()) {
      carry_on_gpu(by, pass, part);
      correct_on_gpu(by, pass, part);
    } else {
      carry_back(by, pass, part);
      rows.share(carried_);
      correct(by, pass, part);
      rows.share(next_);
    }
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
