#include "lattice_boltzmann/tracers.hpp"

#include "lattice_boltzmann/tracer_kernels.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

namespace heddle::lbm {

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
    *values = array<float>(cells, of.where());
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
  for (std::uint64_t done = 0; done < passes; ++done) {
    const dye_pass pass{now_.data(), carried_.data(), next_.data(),
                        sources_.size() == 0 ? nullptr : sources_.data()};
    if (now_.where().is_gpu()) {
      carry_on_gpu(by, pass, part);
    } else {
      carry_pass(by, pass, part);
    }
    std::swap(now_, next_);
  }
}

std::vector<std::uint8_t> draw_lines(const carrier& of, const picture_part& part, int reach) {
  const std::size_t height = of.velocity.shape()[0], width = of.velocity.shape()[1];
  if (!part.is_within(width, height)) fail_outside(part, width, height);
  return of.velocity.where().is_gpu() ? lines_on_gpu(of, part, reach) : find_lines(of, part, reach);
}

float noise_at(std::int64_t column, std::int64_t row) {
  return hashed_noise(column, row);
}

}  // namespace heddle::lbm
