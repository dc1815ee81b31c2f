#include "simulations.hpp"
#include "target.hpp"
#include <heddle/error.hpp>
#include <heddle/interruption.hpp>
#include <heddle/support/fork.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <life/cycle.hpp>
#include <life/formats.hpp>
#include <life/soup.hpp>
#include <life/universe.hpp>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

namespace heddle::python {
namespace {

using extents = std::optional<std::pair<std::size_t, std::size_t>>;

constexpr life::topology topologies[] = {life::topology::infinite, life::topology::torus,
                                         life::topology::plane};

/// Cells other than 0 of an array live.
life::pattern pattern_of(nb::handle cells) {
  operand given(cells);
  if (given.lengths().axes() != 2)
    raise(PyExc_ValueError, "Life: the cells have shape (rows, columns), not " + given.lengths().text());
  const array<bool> alive = elements_on_cpu<bool>(cells);
  const std::size_t height = alive.shape()[0], width = alive.shape()[1];
  life::pattern made;
  made.box_width = static_cast<std::int64_t>(width);
  made.box_height = static_cast<std::int64_t>(height);
  made.live.cells = life::grid(width, height);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      if (alive.data()[y * width + x]) made.live.cells.set(x, y);
  return made;
}

life::pattern soup(std::size_t height, std::size_t width, double density, std::uint64_t seed) {
  const nb::gil_scoped_release released;
  life::pattern made;
  made.box_width = static_cast<std::int64_t>(width);
  made.box_height = static_cast<std::int64_t>(height);
  made.live = {life::soup(width, height, density, seed, target::parallel()),
               -static_cast<std::int64_t>(width / 2), -static_cast<std::int64_t>(height / 2)};
  made.box_left = made.live.left;
  made.box_top = made.live.top;
  return made;
}

/// The beginning of a universe.
struct beginning {
  life::placed_grid cells;
  life::topology shape;
  life::rule law;
};

/// `is_drawn` says that the pattern has the extent that it is given with, as an array has, not that of its
/// live cells.
beginning begin(life::pattern&& from, bool is_drawn, const std::string& rule, const std::string& topology,
                const extents& size) {
  const std::optional<life::topology> asked =
      topology.empty() ? std::nullopt : std::optional(one_named("Life: the topology", topologies, topology));
  const bool infinite = asked == life::topology::infinite;
  if (infinite && size)
    raise(PyExc_ValueError, "Life: the infinite plane has no shape: leave it out, or take another topology");
  life::bounded_rule given;
  if (!rule.empty()) given = life::bounded_rule::parse(rule);
  if (given.grid && (size || infinite))
    raise(PyExc_ValueError, "Life: the rule \"" + rule + "\" has bounds: leave out " +
                                (size ? "the shape" : "the infinite topology"));
  beginning start{};
  start.law = rule.empty() && from.law ? *from.law : given.law;
  const auto shape_of = [&](const life::grid_bounds& grid) {
    return !asked && !grid.torus ? life::topology::plane : asked.value_or(life::topology::torus);
  };
  if (given.grid) from.grid = given.grid;
  const auto in_the_middle = [&](std::size_t width, std::size_t height) {
    if (is_drawn) {
      from.live.left = from.live.top = from.box_left = from.box_top = 0;
    }
    return place_in_the_middle(from, width, height);
  };
  if (size) {
    start.shape = asked.value_or(life::topology::torus);
    start.cells = in_the_middle(size->second, size->first);
  } else if (from.grid && !infinite) {
    start.shape = shape_of(*from.grid);
    start.cells = is_drawn ? in_the_middle(from.grid->width, from.grid->height) : place_on_bounded_grid(from);
  } else if (infinite || (!is_drawn && !asked)) {
    start.shape = life::topology::infinite;
    start.cells = std::move(from.live);
  } else {
    start.shape = asked.value_or(life::topology::torus);
    start.cells = is_drawn ? std::move(from.live)
                           : in_the_middle(static_cast<std::size_t>(from.box_width),
                                           static_cast<std::size_t>(from.box_height));
  }
  return start;
}

/// The target that `auto` stands for: a GPU for a grid whose generations outlast their launch.
target place_of(const target& asked, const life::grid& cells, life::algorithm how) {
  if (!asked.is_automatic()) return asked;
  constexpr double cells_worth_a_gpu = 2e7;
  const bool only_on_gpus = how == life::algorithm::shared || how == life::algorithm::block;
  const bool is_large =
      static_cast<double>(cells.width()) * static_cast<double>(cells.height()) > cells_worth_a_gpu;
  return only_on_gpus || is_large ? target::best() : target::parallel();
}

/// A universe that several threads of Python may use, one at a time.
class life_world {
 public:
  life_world(const beginning& start, std::uint64_t generation, life::algorithm how, const target& where)
      : law_(start.law), how_(how), where_(where), world_(start.cells, start.shape, start.law, how, where) {
    world_.count_from(generation);
  }

  void advance(std::uint64_t generations) {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(used_);
    world_.advance(generations);
    where_.wait();
  }
  std::uint64_t generation() {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(used_);
    return world_.generation();
  }
  std::uint64_t population() {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(used_);
    return world_.population();
  }
  double cells_computed() {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(used_);
    return world_.cells_computed();
  }

  /// The cells, a byte each, and the column and row of the first one.
  nb::tuple cells() {
    std::optional<array<std::uint8_t>> values;
    life::placed_grid now;
    {
      const without_gil released;
      now = placed();
      const std::size_t height = now.cells.height(), width = now.cells.width();
      values.emplace(shape{height, width});
      constexpr std::size_t at_once = std::size_t{1} << 20;
      for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t first = 0; first < width; first += at_once) {
          check_interruption();
          for (std::size_t x = first; x < std::min(width, first + at_once); ++x)
            values->data()[y * width + x] = now.cells(x, y) ? 1 : 0;
        }
      }
    }
    return nb::make_tuple(field_of(std::move(*values), where_), now.top, now.left);
  }

  void save(const std::filesystem::path& place, const std::string& ending) {
    const std::string path = place.string();
    const nb::gil_scoped_release released;
    const life::placed_grid now = placed();
    if (ending == ".rle") {
      life::write_rle(path, now, law_, world_.shape(), generation_now());
    } else {
      life::write_cells(path, now, law_, generation_now());
    }
  }

  std::string rule() const { return law_.text(); }
  std::string topology() const { return name(world_.shape()); }
  std::string algorithm() const { return name(how_); }
  target where() const { return where_; }

  /// Looks for a period, one generation after the last time; starts anew where `begins` says so.
  std::optional<std::uint64_t> period(bool begins) {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(used_);
    if (begins) detector_.emplace();
    return detector_->look_at(world_);
  }

 private:
  life::placed_grid placed() {
    const std::lock_guard lock(used_);
    return world_.cells();
  }
  std::uint64_t generation_now() {
    const std::lock_guard lock(used_);
    return world_.generation();
  }

  fork_aware_mutex used_;
  life::rule law_;
  life::algorithm how_;
  target where_;
  life::universe world_;
  std::optional<life::cycle_detector> detector_;
};

}  // namespace

void bind_life(nb::module_& m) {
  const auto none = nb::arg().none();
  nb::class_<life::pattern>(m, "LifePattern")
      .def_static("of_cells", &pattern_of, none)
      .def_static("of_text", [](const std::string& text) { return life::parse_pattern(text, "the pattern"); })
      .def_static("of_file",
                  [](const std::filesystem::path& path) { return life::read_pattern(path.string()); })
      .def_static("random", &soup);
  nb::class_<life_world>(m, "LifeWorld")
      .def(
          "__init__",
          [](life_world* self, const life::pattern& from, bool is_drawn, const std::string& rule,
             const std::string& topology, const extents& size, const std::string& algorithm,
             nb::handle target_wanted) {
            const life::algorithm how = one_named("Life: the algorithm", life::algorithms, algorithm);
            const target asked = target_from(target_wanted);
            const std::uint64_t generation = from.generation;
            const beginning start = begin(life::pattern(from), is_drawn, rule, topology, size);
            const nb::gil_scoped_release released;
            new (self) life_world(start, generation, how, place_of(asked, start.cells.cells, how));
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), none, nb::arg(), none)
      .def("advance", &life_world::advance)
      .def("cells", &life_world::cells)
      .def("save", &life_world::save)
      .def("period", &life_world::period)
      .def_prop_ro("generation", &life_world::generation)
      .def_prop_ro("population", &life_world::population)
      .def_prop_ro("cells_computed", &life_world::cells_computed)
      .def_prop_ro("rule", &life_world::rule)
      .def_prop_ro("topology", &life_world::topology)
      .def_prop_ro("algorithm", &life_world::algorithm)
      .def_prop_ro("target", &life_world::where);
}

}  // namespace heddle::python
