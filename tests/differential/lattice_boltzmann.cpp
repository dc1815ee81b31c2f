// Flows beside the textbook's method in double, and over ranks beside one machine.
#include "arrays.hpp"
#include "on_ranks.hpp"
#include "properties.hpp"
#include "tests/simulations/textbook_lattice_boltzmann.hpp"
#include <heddle/error.hpp>
#include <heddle/support/temporary_folder.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace heddle::tests::differential {
namespace {

using lbm::flow;

/// A viscosity, of which the Reynolds number follows, that keeps flows of a few steps stable.
void draw_viscosity(choices& from, lbm::settings& given) {
  const double tau = 0.55 + 0.05 * static_cast<double>(from.between(0, 29));
  given.reynolds = 1;
  given.reynolds = describe(given).viscosity * 3 / (tau - 0.5);
  from.note(fmt::format("tau {:.3f}", tau));
}

void draw_size(choices& from, lbm::settings& given) {
  const auto length = [&](std::size_t least, std::size_t most) {
    return least + draw_length(from, std::max(least, most) - least);
  };
  if (given.which == lbm::flow_case::cylinder) {
    given.height = length(9, 40);
    const auto least = static_cast<std::size_t>(0.25 / 0.41 * static_cast<double>(given.height)) + 6;
    given.width = length(least, 6000 / given.height);
  } else {
    const std::size_t least = is_open(given) ? 4 : 2;
    given.width = length(least, 300);
    given.height = length(least, 6000 / given.width);
  }
}

/// Cells of obstacles that are scattered, and a block.
void draw_obstacles(choices& from, lbm::settings& given) {
  const std::uint64_t share = from.between(0, 12);
  if (share == 0) return;
  const std::uint64_t seed = from.between(0, 1000);
  given.obstacles.assign(given.width * given.height, 0);
  if (share < 4) {
    const std::size_t left = from.between(0, given.width - 1), bottom = from.between(0, given.height - 1);
    for (std::size_t y = bottom; y < std::min(given.height, bottom + 1 + given.height / 4); ++y) {
      for (std::size_t x = left; x < std::min(given.width, left + 1 + given.width / 8); ++x)
        given.obstacles[y * given.width + x] = 1;
    }
  } else {
    for (std::size_t i = 0; i < given.obstacles.size(); ++i)
      given.obstacles[i] = hashed(seed, i) % 64 < share ? 1 : 0;
  }
  from.note(fmt::format("obstacles {}/{}", share, seed));
}

lbm::settings draw_settings(choices& from) {
  lbm::settings given;
  given.which = from.of(lbm::flow_cases);
  given.kept = from.of(lbm::storages);
  given.how = from.of(lbm::collisions);
  given.by = from.of(lbm::drives);
  constexpr double constants[] = {0, 0.1, 0.17};
  given.smagorinsky = from.of(constants);
  given.velocity = 0.01 * static_cast<double>(from.between(1, given.kept == lbm::storage::f16 ? 4 : 9));
  draw_size(from, given);
  from.note(fmt::format("{} {} {} by {}, eddies {}, velocity {}, {} x {}", name(given.which),
                        name(given.kept), name(given.how), name(given.by), given.smagorinsky, given.velocity,
                        given.width, given.height));
  draw_obstacles(from, given);
  draw_viscosity(from, given);
  return given;
}

/// The flow; nothing where obstacles leave no way through it.
std::optional<flow> made(const target& where, const lbm::settings& given) {
  try {
    return flow(where, given);
  } catch (const error& problem) {
    if (std::string_view(problem.what()).find("obstacles") == std::string_view::npos) throw;
    return std::nullopt;
  }
}

std::vector<lbm::moments<double>> cells_of(const flow& of) {
  std::vector<lbm::moments<double>> cells(of.given().width * of.given().height);
  of.read_rows(0, of.given().height, cells.data());
  return cells;
}

/// Everything that can be asked of a flow, as numbers.
std::vector<double> numbers_of(flow& of) {
  std::vector<double> all;
  for (const auto& cell : cells_of(of)) all.insert(all.end(), {cell.excess, cell.ux, cell.uy});
  const auto [drag, lift] = of.on_obstacles();
  all.insert(all.end(), {of.excess_mass(), drag, lift, of.change().value_or(-1)});
  all.push_back(of.pressure_difference().value_or(-1));
  return all;
}

/// The largest of a flow's numbers; nothing where the method has left what is a flow, or what 16 bits hold.
std::optional<double> largest_of(const textbook& plain) {
  double most = 0, farthest = 0;
  for (std::size_t cell = 0; cell < plain.now.size(); ++cell) {
    if (plain.is_solid(cell)) continue;
    const lbm::moments<double> of = plain.of(cell);
    most = std::max({most, std::abs(of.excess), std::abs(of.ux), std::abs(of.uy)});
    for (int i = 0; i < 9; ++i) farthest = std::max(farthest, std::abs(plain.now[cell][i] - weight(i)));
  }
  const bool is_narrow = plain.given.kept == lbm::storage::f16;
  if (!(most < 0.2) || (is_narrow && farthest > 0.9 * std::exp2(15 - plain.given.fraction_bits)))
    return std::nullopt;
  return most;
}

/// How far from the textbook a flow may be: sixteen roundings a step, of numbers of size `most`. The
/// textbook's own numbers are about 1. In 16 bits a rounding is half a unit.
double bound_of(const lbm::settings& complete, double most, std::uint64_t steps) {
  const double size = complete.kept == lbm::storage::f64 ? 1 : 0.01 + most;
  const double rounding = complete.kept == lbm::storage::f64   ? size * std::numeric_limits<double>::epsilon()
                          : complete.kept == lbm::storage::f32 ? size * std::numeric_limits<float>::epsilon()
                                                               : std::exp2(-complete.fraction_bits) / 2;
  return 16 * rounding * static_cast<double>(steps + 1);
}

void compare(const flow& tested, const textbook& plain, double bound) {
  const std::vector<lbm::moments<double>> have = cells_of(tested);
  double mass = 0;
  for (std::size_t cell = 0; cell < have.size(); ++cell) {
    const bool solid = plain.is_solid(cell);
    const lbm::moments<double> want = solid ? lbm::moments<double>{0, 0, 0} : plain.of(cell);
    mass += want.excess;
    const double wrong = std::max({std::abs(have[cell].ux - want.ux), std::abs(have[cell].uy - want.uy),
                                   std::abs(have[cell].excess - want.excess) / 2});
    if (!(wrong <= (solid ? 0 : bound)))
      throw std::runtime_error(fmt::format(
          "cell {}, {} has {:.9g}, {:.9g}, {:.9g} instead of {:.9g}, {:.9g}, {:.9g} after {} "
          "steps: {:.2g} of {:.2g}",
          cell % tested.given().width, cell / tested.given().width, have[cell].excess, have[cell].ux,
          have[cell].uy, want.excess, want.ux, want.uy, tested.steps(), wrong, bound));
  }
  const double cells = static_cast<double>(have.size());
  if (!(std::abs(tested.excess_mass() - mass) <= 2 * bound * cells))
    throw std::runtime_error(fmt::format("the mass is {} instead of {}", tested.excess_mass(), mass));
  const double scale = tested.about().speed * tested.about().speed * tested.about().length / 2;
  const auto [drag, lift] = tested.on_obstacles();
  const double most = 64 * bound * std::sqrt(cells) + 1e-15 * cells;
  if (!(std::abs(drag * scale - plain.drag) <= most && std::abs(lift * scale - plain.lift) <= most))
    throw std::runtime_error(fmt::format("the force is {}, {} instead of {}, {}", drag * scale, lift * scale,
                                         plain.drag, plain.lift));
}

void check_flow(choices& from, const target& where, const lbm::settings& given) {
  const std::uint64_t first = from.between(0, 9), second = from.between(0, 12);
  from.note(fmt::format("{} and {} steps", first, second));
  std::optional<flow> tested = made(where, given), alone = made(target::serial(), given);
  if (tested.has_value() != alone.has_value()) throw std::runtime_error("targets differ on what is a flow");
  if (!tested) return;
  textbook plain(*tested);
  double most = 0;
  for (const std::uint64_t steps : {first, second}) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      plain.step();
      const std::optional<double> size = largest_of(plain);
      if (!size) return;
      most = std::max(most, *size);
    }
    tested->advance(steps);
    alone->advance(steps);
    compare(*tested, plain, bound_of(tested->given(), most, tested->steps()));
    // A GPU sums a collision in another order.
    if (!where.is_gpu()) check_bits("beside one core", numbers_of(*tested), numbers_of(*alone));
  }
}

void flow_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  check_flow(from, where, draw_settings(from));
}

/// Ranks, with obstacles that change and a checkpoint on the way, have the bits of one machine.
void flow_over_ranks_property(choices& from, const limits&) {
  const lbm::settings given = draw_settings(from);
  const int size = static_cast<int>(from.between(1, 5));
  const std::uint64_t first = from.between(0, 9), second = from.between(0, 9);
  lbm::settings others = given;
  others.obstacles.clear();
  const bool changes = from.one_in(2), is_saved = from.one_in(2);
  if (changes) draw_obstacles(from, others);
  from.note(fmt::format("{} ranks, {} steps{}{}, {} steps", size, first, changes ? ", other obstacles" : "",
                        is_saved ? ", a checkpoint" : "", second));
  const temporary_folder folder(std::filesystem::temp_directory_path(), "differential-");
  const auto path = [&](int of) { return (folder.path() / fmt::format("{}.checkpoint", of)).string(); };
  // One machine and each rank compute these numbers. `place` is the target or the ranks of the flow.
  const auto numbers = [&](const auto& place, const std::string& file) -> std::vector<double> {
    try {
      flow of(place, given);
      of.advance(first);
      std::vector<double> seen = numbers_of(of);
      if (changes) {
        try {
          of.set_obstacles(others.obstacles);
        } catch (const error&) {
          seen.push_back(-3);  // none that make a flow: it is as it was
        }
      }
      if (is_saved) {
        const auto [drag, lift] = of.on_obstacles();
        of.save(file);
        of = flow::resume(place, file);
        if (of.on_obstacles().drag != drag || of.on_obstacles().lift != lift)
          throw std::runtime_error("a flow that is resumed has another force");
      }
      of.advance(second);
      const std::vector<double> later = numbers_of(of);
      seen.insert(seen.end(), later.begin(), later.end());
      return seen;
    } catch (const error& problem) {
      const std::string_view text = problem.what();
      return {static_cast<double>(std::hash<std::string_view>{}(text) >> 12)};
    }
  };
  const std::vector<double> want = numbers(target::serial(), path(0));
  on_ranks(size, [&](const ranks& all) { check_bits("beside one machine", numbers(all, path(1)), want); });
}

}  // namespace

std::vector<property> flows() {
  return {{"lattice_boltzmann", flow_property}, {"lattice_boltzmann_over_ranks", flow_over_ranks_property}};
}

}  // namespace heddle::tests::differential
