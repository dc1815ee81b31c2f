#pragma once

#include "lattice_boltzmann/engine.hpp"
#include "lattice_boltzmann/settings.hpp"

namespace heddle::lbm {

/// The boundaries, obstacles, force and rates of a case. The product of the two relaxation times' distances
/// from 1/2 is 3/16 for trt, so that walls are half-way between cells for a parabola at any viscosity; less
/// where an open flow has a low viscosity.
flow_plan make_plan(const settings& given, const description& about);
/// The same of a block of rows over ranks, of a flow with the solid cells that solid_cells() finds.
flow_plan make_plan(const settings& given, const description& about, const std::vector<std::uint8_t>& solid,
                    const std::shared_ptr<halo_exchange>& halos);
/// Of each cell, rows from the bottom; nothing where none is. Throws heddle::error where what comes in could
/// not leave.
std::vector<std::uint8_t> solid_cells(const settings& given);

/// The beginning of a cell.
struct beginning {
  moments<double> of;
  double not_xx = 0, not_yy = 0, not_xy = 0;  ///< second moments of what is not equilibrium
};
/// Whether that is fluid at rest everywhere.
bool begins_at_rest(const settings& given);
beginning begin_at(const settings& given, const description& about, double x, double y);

/// The exact flow of the Taylor–Green case after so many steps.
moments<double> taylor_green(const settings& given, const description& about, double x, double y,
                             double steps);

}  // namespace heddle::lbm
