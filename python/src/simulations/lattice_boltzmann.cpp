#include "simulations.hpp"
#include "target.hpp"
#include <heddle/error.hpp>
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
#include <vector>

#include <lattice_boltzmann/flow.hpp>
#include <lattice_boltzmann/pictures.hpp>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {
namespace {

lbm::settings settings_from(const std::string& which, std::size_t height, std::size_t width, double reynolds,
                            double velocity, const std::string& collision, const std::string& storage,
                            double smagorinsky, const std::string& drive, nb::handle obstacles) {
  lbm::settings given;
  given.which = one_named("LatticeBoltzmann: the case", lbm::flow_cases, which);
  given.width = width;
  given.height = height;
  given.reynolds = reynolds;
  given.velocity = velocity;
  given.how = one_named("LatticeBoltzmann: the collision", lbm::collisions, collision);
  given.kept = one_named("LatticeBoltzmann: the storage", lbm::storages, storage);
  given.smagorinsky = smagorinsky;
  if (!drive.empty()) {
    given.by = one_named("LatticeBoltzmann: the drive", lbm::drives, drive);
    if (given.which != lbm::flow_case::channel)
      raise(PyExc_ValueError, "LatticeBoltzmann: drive is for a channel, not for " + which);
  }
  if (obstacles.is_none()) return given;
  const array<bool> solid = elements_on_cpu<bool>(obstacles);
  if (solid.shape().axes() != 2)
    raise(PyExc_ValueError,
          "LatticeBoltzmann: the obstacles have shape (rows, columns), not " + solid.shape().text());
  if (width == 0) {
    given.width = solid.shape()[1];
    given.height = solid.shape()[0];
  }
  if (!(solid.shape() == shape{given.height, given.width}))
    raise(PyExc_ValueError, "LatticeBoltzmann: the obstacles have shape " + solid.shape().text() +
                                ", where the shape of the grid is " +
                                shape{given.height, given.width}.text());
  given.obstacles.assign(solid.data(), solid.data() + solid.size());
  return given;
}

/// A text of the simulation with keywords where it names options.
std::string with_keywords(std::string text) {
  for (std::size_t at = text.find(" --"); at != text.npos; at = text.find(" --", at)) text.erase(at + 1, 2);
  return text;
}

/// The result of f(), or its error with keywords.
template <class F>
auto said_with_keywords(const F& f) {
  try {
    return f();
  } catch (const error& wrong) {
    throw error(with_keywords(wrong.what()));
  }
}

/// A flow that several threads of Python may use, one at a time.
class python_flow {
  template <class F>
  auto use(const F& f) {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(used_);
    return said_with_keywords([&] { return f(flow_); });
  }

 public:
  python_flow(const target& where, const lbm::settings& given) : flow_(where, given) {}
  explicit python_flow(lbm::flow&& of) : flow_(std::move(of)) {}

  void advance(std::uint64_t steps) {
    use([&](lbm::flow& of) {
      of.advance(steps);
      of.where().wait();
    });
  }
  void check() {
    use([](const lbm::flow& of) { of.check(); });
  }
  std::uint64_t steps() {
    return use([](const lbm::flow& of) { return of.steps(); });
  }
  double time() {
    return use([](const lbm::flow& of) { return of.time(); });
  }
  double mass() {
    return use(
        [](const lbm::flow& of) { return 1 + of.excess_mass() / static_cast<double>(of.fluid_cells()); });
  }
  std::optional<double> change() {
    return use([](lbm::flow& of) { return of.change(); });
  }
  std::optional<std::uint64_t> compared() {
    return use([](const lbm::flow& of) { return of.compared(); });
  }
  std::optional<double> error() {
    return use([](const lbm::flow& of) { return error_of(of); });
  }
  std::optional<double> pressure_difference() {
    return use([](const lbm::flow& of) { return of.pressure_difference(); });
  }
  nb::object forces() {
    const auto found = use([](const lbm::flow& of) -> std::optional<lbm::flow::coefficients> {
      if (of.steps() == 0 || !of.has_obstacles()) return std::nullopt;
      return of.on_obstacles();
    });
    return found ? nb::object(nb::make_tuple(found->drag, found->lift)) : nb::none();
  }
  void save(const std::filesystem::path& path) {
    use([&](const lbm::flow& of) { of.save(path.string()); });
  }

  nb::object field(const std::string& named) {
    const lbm::field which = one_named("LatticeBoltzmann: the field", lbm::fields, named);
    array<float> values = use([&](const lbm::flow& of) {
      return which == lbm::field::velocity    ? of.velocity()
             : which == lbm::field::vorticity ? of.vorticity()
                                              : of.density();
    });
    return field_of(std::move(values), flow_.where());
  }
  nb::object solid() {
    array<bool> cells = use([](const lbm::flow& of) {
      const std::size_t height = of.given().height, width = of.given().width;
      array<bool> is_solid({height, width});
      for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) is_solid.data()[y * width + x] = of.is_solid(x, y);
      return is_solid;
    });
    return field_of(std::move(cells), flow_.where());
  }
  /// The two centre lines, each an array of rows (position, u, v).
  nb::tuple profiles() {
    const lbm::profiles lines = use([](const lbm::flow& of) { return centre_lines(of); });
    return nb::make_tuple(line(lines.vertical), line(lines.horizontal));
  }
  nb::object pixels(lbm::pictures& by) {
    array<std::uint8_t> levels = use([&](const lbm::flow& of) {
      const std::vector<std::uint8_t>& drawn = by.draw(of);
      array<std::uint8_t> copy({of.given().height, of.given().width});
      std::copy(drawn.begin(), drawn.end(), copy.data());
      return copy;
    });
    return result_of(any_array(std::move(levels)), false);
  }

  const lbm::flow& of() const { return flow_; }

 private:
  static nb::object line(const std::vector<lbm::profile_point>& points) {
    array<double> rows({points.size(), 3});
    for (std::size_t i = 0; i < points.size(); ++i) {
      rows.data()[3 * i] = points[i].position;
      rows.data()[3 * i + 1] = points[i].u;
      rows.data()[3 * i + 2] = points[i].v;
    }
    return result_of(any_array(std::move(rows)), false);
  }
  fork_aware_mutex used_;
  lbm::flow flow_;
};

nb::object palette_of(const std::string& named) {
  const std::vector<colour> colours =
      lbm::pictures::palette(one_named("LatticeBoltzmann: the field", lbm::fields, named));
  array<std::uint8_t> palette({colours.size(), 3});
  for (std::size_t i = 0; i < colours.size(); ++i)
    std::copy(colours[i].begin(), colours[i].end(), palette.data() + 3 * i);
  return result_of(any_array(std::move(palette)), false);
}

}  // namespace

void bind_lattice_boltzmann(nb::module_& m) {
  const auto none = nb::arg().none();
  nb::class_<lbm::pictures>(m, "FlowPictures")
      .def("__init__", [](lbm::pictures* self, const std::string& of) {
        new (self) lbm::pictures(one_named("LatticeBoltzmann: the field", lbm::fields, of));
      });
  m.def("flow_palette", &palette_of);
  nb::class_<python_flow>(m, "Flow")
      .def(
          "__init__",
          [](python_flow* self, const std::string& which, std::size_t height, std::size_t width,
             double reynolds, double velocity, const std::string& collision, const std::string& storage,
             double smagorinsky, const std::string& drive, nb::handle obstacles, nb::handle target_wanted) {
            const lbm::settings given = settings_from(which, height, width, reynolds, velocity, collision,
                                                      storage, smagorinsky, drive, obstacles);
            const target where = target_from(target_wanted);
            const nb::gil_scoped_release released;
            said_with_keywords([&] { new (self) python_flow(where, given); });
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          none, none)
      .def_static(
          "resume",
          [](const std::filesystem::path& path, nb::handle target_wanted) {
            const target where = target_from(target_wanted);
            const nb::gil_scoped_release released;
            return said_with_keywords(
                [&] { return std::make_unique<python_flow>(lbm::flow::resume(where, path.string())); });
          },
          nb::arg(), none)
      .def("advance", &python_flow::advance)
      .def("check", &python_flow::check)
      .def("change", &python_flow::change)
      .def("error", &python_flow::error)
      .def("pressure_difference", &python_flow::pressure_difference)
      .def("forces", &python_flow::forces)
      .def("mass", &python_flow::mass)
      .def("save", &python_flow::save)
      .def("field", &python_flow::field)
      .def("solid", &python_flow::solid)
      .def("profiles", &python_flow::profiles)
      .def("pixels", &python_flow::pixels)
      .def_prop_ro("steps", &python_flow::steps)
      .def_prop_ro("time", &python_flow::time)
      .def_prop_ro("compared", &python_flow::compared)
      .def_prop_ro("steps_between_comparisons",
                   [](const python_flow& self) { return self.of().steps_between_comparisons(); })
      .def_prop_ro("target", [](const python_flow& self) { return self.of().where(); })
      .def_prop_ro("settings",
                   [](const python_flow& self) {
                     const lbm::settings& given = self.of().given();
                     nb::dict all;
                     all["case"] = name(given.which);
                     all["shape"] = nb::make_tuple(given.height, given.width);
                     all["reynolds"] = given.reynolds;
                     all["velocity"] = given.velocity;
                     all["collision"] = name(given.how);
                     all["storage"] = name(given.kept);
                     all["smagorinsky"] = given.smagorinsky;
                     all["drive"] = name(given.by);
                     return all;
                   })
      .def_prop_ro("about", [](const python_flow& self) {
        const lbm::description& about = self.of().about();
        nb::dict all;
        all["length"] = about.length;
        all["speed"] = about.speed;
        all["viscosity"] = about.viscosity;
        all["relaxation_time"] = about.relaxation_time;
        all["mach"] = about.mach;
        all["bytes"] = about.bytes;
        std::vector<std::string> warnings;
        for (const std::string& warning : about.warnings) warnings.push_back(with_keywords(warning));
        all["warnings"] = warnings;
        return all;
      });
}

}  // namespace heddle::python
