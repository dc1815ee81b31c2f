#pragma once

#include "lattice_boltzmann/flow.hpp"
#include "lattice_boltzmann/tracers.hpp"
#include "tests/distributed/distributed_checks.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Flows over ranks, against the same on one machine.
namespace heddle::tests {

/// Everything that can be asked of a flow.
struct seen_of_flow {
  std::vector<lbm::moments<double>> rows;
  double mass;
  lbm::flow::coefficients forces;
  std::optional<double> change, pressure, error;

  explicit seen_of_flow(lbm::flow& of)
      : rows(of.given().width * of.given().height),
        mass(of.excess_mass()),
        forces(of.on_obstacles()),
        change(of.change()),
        pressure(of.pressure_difference()),
        error(error_of(of)) {
    of.check();
    of.read_rows(0, of.given().height, rows.data());
  }
  bool operator==(const seen_of_flow& other) const {
    return rows.size() == other.rows.size() &&
           std::memcmp(rows.data(), other.rows.data(), rows.size() * sizeof rows[0]) == 0 &&
           mass == other.mass && forces.drag == other.forces.drag && forces.lift == other.forces.lift &&
           change == other.change && pressure == other.pressure && error == other.error;
  }
};

/// Flows of every kind, or every so many of them; few of them have more rows than seven ranks twice.
inline std::vector<lbm::settings> flows_to_try(std::size_t every) {
  using namespace lbm;
  std::vector<settings> all;
  std::size_t number = 0;
  for (const flow_case which : flow_cases) {
    for (const storage kept : storages) {
      settings given;
      given.which = which;
      given.width = 50 + number;
      given.height = std::size_t{20} + number % 3;
      given.kept = kept;
      given.how = collisions[number % std::size(collisions)];
      if (which == flow_case::channel && number % 2 == 0) given.by = drive::inflow;
      if (which == flow_case::free || (which == flow_case::taylor_green && number % 2 == 0) ||
          (which == flow_case::channel && kept == storage::f32)) {
        given.obstacles.resize(given.width * given.height);
        for (std::size_t i = 0; i < given.obstacles.size(); ++i)
          given.obstacles[i] = i % given.width > 3 && random_bits(number * 10'000 + i) % 31 == 0;
      }
      all.push_back(given);
      ++number;
    }
  }
  for (const std::size_t height : {4, 8, 7}) {
    settings given;
    given.which = height == 8 ? flow_case::taylor_green : flow_case::cavity;
    given.width = 9;
    given.height = height;
    all.push_back(given);
  }
  std::vector<settings> some;
  for (std::size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
  return some;
}

inline std::string name_of(const lbm::settings& given) {
  return std::string(name(given.which)) + " " + name(given.kept) + " " + std::to_string(given.width) + "x" +
         std::to_string(given.height);
}

inline void check_flows(const ranks& all, std::size_t every) {
  for (const lbm::settings& given : flows_to_try(every)) {
    lbm::flow alone(all.where(), given), spread(all, given);
    expect(spread.has_obstacles() == alone.has_obstacles() && spread.fluid_cells() == alone.fluid_cells(),
           "obstacles of " + name_of(given));
    for (const std::uint64_t steps : {1, 2, 30}) {
      alone.advance(steps);
      spread.advance(steps);
      expect(seen_of_flow(spread) == seen_of_flow(alone),
             name_of(given) + " after " + std::to_string(alone.steps()) + " steps");
    }
  }
}

/// A velocity and a viscosity that a flow takes next, each as it is where no other is stable.
inline std::pair<double, double> other_speed(const lbm::flow& of) {
  lbm::settings given = of.given();
  lbm::bounds within = stable_bounds(given);
  const double slower = 0.97 * given.velocity;
  if (slower >= within.least_velocity && slower <= within.most_velocity) given.velocity = slower;
  within = stable_bounds(given);
  const double thicker = 1.03 * of.about().viscosity;
  const bool is_stable = thicker >= within.least_viscosity && thicker <= within.most_viscosity;
  return {given.velocity, is_stable ? thicker : of.about().viscosity};
}

/// What is changed while flows run: obstacles that come, move, go and fill a block of rows, and speeds; and
/// what makes directions visible.
inline void check_flow_changes(const ranks& all, std::size_t every) {
  using namespace lbm;
  for (settings given : flows_to_try(every)) {
    // Walls that come suddenly make waves.
    given.velocity /= 2;
    if (given.kept == storage::f16) given.fraction_bits = 16;
    flow alone(all.where(), given), spread(all, given);
    dye alone_dye(alone), spread_dye(spread);
    const std::size_t width = given.width, height = given.height;
    const auto solid_box = [&](std::size_t left, std::size_t bottom, std::size_t columns, std::size_t rows) {
      std::vector<std::uint8_t> solid(width * height, 0);
      for (std::size_t y = bottom; y < std::min(bottom + rows, height); ++y)
        for (std::size_t x = left; x < std::min(left + columns, width); ++x) solid[y * width + x] = 1;
      return solid;
    };
    alone.advance(3);
    spread.advance(3);
    std::vector<std::uint8_t> sources(width * height, 0);
    for (std::size_t y = 0; y < height; y += 2) sources[y * width + 1] = 1;
    int number = 0;
    for (const auto& solid :
         {solid_box(width / 2, height / 4, 3, height / 2),
          solid_box(is_open(given) ? width / 2 + 1 : 0, height / 3, is_open(given) ? 2 : width, height / 3),
          solid_box(width / 2 - 1, height / 2, 1, 1), std::vector<std::uint8_t>()}) {
      ++number;
      for (flow* const of : {&alone, &spread}) {
        of->set_obstacles(solid);
        of->advance(2);
        const auto [velocity, viscosity] = other_speed(*of);
        of->set_speed(velocity, viscosity);
        of->advance(9);
      }
      const std::string what = name_of(given) + " after change " + std::to_string(number);
      expect(spread.solid() == alone.solid() && spread.fluid_cells() == alone.fluid_cells() &&
                 spread.has_obstacles() == alone.has_obstacles(),
             "obstacles of " + what);
      expect(seen_of_flow(spread) == seen_of_flow(alone), what);
      expect(spread.given() == alone.given(), "settings of " + what);
      if (all.where().is_gpu()) continue;  // over ranks on GPUs fields are found on the CPU
      for (const field which : fields)
        expect(same_bytes(spread.values(which), alone.values(which)),
               std::string(name(which)) + " of " + what);
      for (dye* const of : {&alone_dye, &spread_dye}) of->set_sources(sources);
      alone_dye.advance(alone, 11);
      spread_dye.advance(spread, 11);
      expect(same_bytes(spread_dye.values(), alone_dye.values()), "dye of " + what);
      const picture_part part = picture_part::whole(width, height);
      expect(draw_lines(carrier_of(spread), part) == draw_lines(carrier_of(alone), part), "lines of " + what);
    }
  }
  // Every rank is told what is no flow, which stays as it was.
  settings open;
  open.which = flow_case::free;
  open.width = 20;
  open.height = 12;
  flow spread(all, open), alone(all.where(), open);
  std::string message;
  try {
    spread.set_obstacles(std::vector<std::uint8_t>(std::size_t{20} * 12, 1));
  } catch (const error& e) {
    message = e.what();
  }
  expect(message.find("obstacles") != std::string::npos, "'" + message + "' does not name obstacles");
  spread.advance(5);
  alone.advance(5);
  expect(seen_of_flow(spread) == seen_of_flow(alone), "a flow that was not changed");
}

/// Checkpoints go on with another number of ranks: here with all, or each by itself.
inline void check_flow_checkpoints(const ranks& all, const std::string& folder, std::size_t every) {
  for (const lbm::settings& given : flows_to_try(every)) {
    const std::string of_all = folder + "/all.checkpoint", of_one = folder + "/one.checkpoint";
    lbm::flow alone(all.where(), given), spread(all, given);
    for (lbm::flow* const of : {&alone, &spread}) {
      of->advance(11);
      of->change();
      of->advance(4);
    }
    spread.save(of_all);
    all.on_first([&] { alone.save(of_one); });
    alone.advance(9);
    lbm::flow from_all = lbm::flow::resume(all.where(), of_all), from_one = lbm::flow::resume(all, of_one);
    from_all.advance(9);
    from_one.advance(9);
    const seen_of_flow wanted(alone);
    expect(seen_of_flow(from_all) == wanted, "one rank goes on with a checkpoint of all: " + name_of(given));
    expect(seen_of_flow(from_one) == wanted, "all ranks go on with a checkpoint of one: " + name_of(given));
    all.barrier();
  }
  std::string message;
  lbm::flow spread(all, lbm::settings{});
  try {
    spread.save(folder + "/no such folder/x");
  } catch (const error& e) {
    message = e.what();
  }
  expect(message.find("no such folder") != std::string::npos, "every rank is told: '" + message + "'");
}

/// A flow that blows up tells every rank the same as one machine.
inline void check_flow_that_blows_up(const ranks& all) {
  lbm::settings given;
  given.width = given.height = 24;
  given.reynolds = 1e7;
  given.velocity = 0.3;
  given.how = lbm::collision::bgk;
  const auto message_of = [&](lbm::flow& of) -> std::string {
    try {
      of.advance(5000);
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  lbm::flow alone(all.where(), given), spread(all, given);
  const std::string wanted = message_of(alone), told = message_of(spread);
  expect(!wanted.empty() && told == wanted, "'" + told + "' where one machine says '" + wanted + "'");
}

}  // namespace heddle::tests
