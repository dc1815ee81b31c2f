#include "simulations.hpp"

#include "target.hpp"
#include <heddle/io/gif.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/io/png.hpp>
#include <heddle/io/vti.hpp>
#include <heddle/machine.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <mandelbrot/colours.hpp>
#include <mandelbrot/mandelbrot.hpp>
#include <monte_carlo/pi.hpp>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

namespace heddle::python {
namespace {

// ------------------------------------------------------------------------------------------------ files

/// Three bytes a colour.
std::vector<colour> palette_from(nb::handle bytes) {
  const array<std::uint8_t> values = elements_on_cpu<std::uint8_t>(bytes);
  std::vector<colour> palette(values.size() / 3);
  for (std::size_t i = 0; i < palette.size(); ++i)
    palette[i] = {values.data()[3 * i], values.data()[3 * i + 1], values.data()[3 * i + 2]};
  return palette;
}

nb::object palette_array(const std::vector<colour>& palette) {
  array<std::uint8_t> values({palette.size(), 3});
  for (std::size_t i = 0; i < palette.size(); ++i)
    std::copy(palette[i].begin(), palette[i].end(), values.data() + 3 * i);
  return result_of(any_array(std::move(values)), false);
}

/// Pixels (H, W), grey or places in a palette, or (H, W, 3).
void save_png(const std::filesystem::path& path, nb::handle pixels, nb::handle palette) {
  const array<std::uint8_t> values = elements_on_cpu<std::uint8_t>(pixels);
  const shape& lengths = values.shape();
  const bool is_rgb = lengths.axes() == 3;
  const std::vector<colour> colours = palette.is_none() ? std::vector<colour>() : palette_from(palette);
  const nb::gil_scoped_release released;
  png_writer file(path.string(), lengths[1], lengths[0],
                  is_rgb            ? pixel_format::rgb
                  : colours.empty() ? pixel_format::grey
                                    : pixel_format::palette,
                  colours);
  // A few rows at a time, between which Ctrl-C is seen.
  const std::size_t bytes = lengths[1] * (is_rgb ? 3 : 1);
  const std::size_t at_once = std::max<std::size_t>(1, (std::size_t{1} << 21) / bytes);
  for (std::size_t row = 0; row < lengths[0]; row += at_once) {
    check_signals();
    file.append(values.data() + row * bytes, std::min(at_once, lengths[0] - row));
  }
  file.commit();
}

/// Frames (N, H, W) of places in a palette.
void save_gif(const std::filesystem::path& path, nb::handle frames, nb::handle palette, unsigned hundredths) {
  const array<std::uint8_t> values = elements_on_cpu<std::uint8_t>(frames);
  const shape& lengths = values.shape();
  const std::vector<colour> colours = palette_from(palette);
  const nb::gil_scoped_release released;
  const std::size_t pixels = lengths[1] * lengths[2];
  gif_writer file(path.string(), lengths[2], lengths[1], colours, hundredths);
  for (std::size_t frame = 0; frame < lengths[0]; ++frame) {
    check_signals();
    file.add_frame(std::span(values.data() + frame * pixels, pixels));
  }
  file.commit();
}

void save_npy(const std::filesystem::path& path, nb::handle x) {
  operand values(x);
  const any_array here = values.view().on(target());
  const nb::gil_scoped_release released;
  write_npy(path.string(), here);
}

/// Values (H, W), or vectors (H, W, 2), of points from (x, y) on.
void save_vti(const std::filesystem::path& path, nb::handle x, const std::string& name,
              std::array<double, 2> origin, std::array<double, 2> spacing) {
  operand values(x);
  const grid_placement placement{{origin[0], origin[1], 0}, {spacing[0], spacing[1], 1}};
  const any_array here = values.view().on(target());
  const nb::gil_scoped_release released;
  if (here.shape().axes() == 3) {
    // Vectors in a plane are complex numbers to image data.
    array<std::complex<float>> vectors({here.shape()[0], here.shape()[1]});
    std::memcpy(static_cast<void*>(vectors.data()), here.data(), here.bytes());
    return write_vti(path.string(), vectors, name, placement);
  }
  with_type(here.dtype(),
            [&]<class T>(T) { write_vti(path.string(), here.view().as<T>(), name, placement); });
}

// ------------------------------------------------------------------------------------------- Mandelbrot

/// A view: (xmin, xmax, ymin, ymax), or (re, im, width) with two decimal numbers.
mandelbrot::picture picture_from(std::size_t width, std::size_t height, nb::handle view,
                                 std::uint32_t iterations, nb::handle type) {
  mandelbrot::picture what{width, height, {}, iterations, dtype_from(type)};
  if (nb::len(view) == 3) {
    what.deep = {nb::cast<std::string>(view[0]), nb::cast<std::string>(view[1]), nb::cast<double>(view[2])};
  } else {
    const auto sides = nb::cast<std::array<double, 4>>(view);
    what.view = {sides[0], sides[1], sides[2], sides[3]};
  }
  check(what);
  return what;
}

std::array<double, 4> view_around(double re, double im, double zoom, std::size_t width, std::size_t height) {
  const mandelbrot::view seen = mandelbrot::view_around(re, im, zoom, width, height);
  return {seen.xmin, seen.xmax, seen.ymin, seen.ymax};
}

/// How long a piece of work takes that is to be stopped soon.
constexpr double longest_piece = 0.1;

/// The counts, a few rows at a time: `report` is called with the rows that are done. Beside them the norms
/// that smooth colours of a deep picture take, or None.
nb::tuple mandelbrot_counts(std::size_t width, std::size_t height, nb::handle view, std::uint32_t iterations,
                            nb::handle type, nb::handle report, nb::handle target_wanted, bool smooth) {
  const mandelbrot::picture what = picture_from(width, height, view, iterations, type);
  target where = target_from(target_wanted);
  if (where.is_automatic()) {
    // A GPU takes a moment to start, in which every core computes a small picture.
    const double most = static_cast<double>(width) * static_cast<double>(height) * iterations;
    where = most < 2e9 || what.deep ? target::parallel() : target::best();
  }
  std::optional<array<std::uint32_t>> counts;
  std::optional<array<double>> norms;
  {
    const nb::gil_scoped_release released;
    counts.emplace(shape{height, width}, where);
    if (smooth && what.deep) norms.emplace(shape{height, width}, where);
    std::shared_ptr<const mandelbrot::reference_orbit> reference;
    if (what.deep) {
      reference = std::make_shared<const mandelbrot::reference_orbit>(
          what.deep->re, what.deep->im, iterations, bits_for(*what.deep, width, iterations),
          [](std::uint32_t) {
            const nb::gil_scoped_acquire held;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
          });
    }
    const mandelbrot::escape_counter counter(what, where, std::move(reference));
    std::size_t pixels = where.is_gpu() && iterations <= 10000 ? std::size_t{1} << 24 : std::size_t{1} << 13;
    for (std::size_t row = 0; row < height;) {
      const std::size_t rows = std::min(height - row, std::max<std::size_t>(1, pixels / width));
      const auto began = std::chrono::steady_clock::now();
      counter.count(row, rows, counts->data() + row * width, norms ? norms->data() + row * width : nullptr);
      where.wait();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      if (took.count() < longest_piece / 2) pixels *= 2;
      if (took.count() > longest_piece) pixels /= 2;
      row += rows;
      const nb::gil_scoped_acquire held;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!report.is_none()) report(row);
    }
  }
  const nb::object beyond = norms ? result_of(any_array(std::move(*norms)), where.is_gpu()) : nb::none();
  return nb::make_tuple(result_of(any_array(std::move(*counts)), where.is_gpu()), beyond);
}

/// The pixels and the palette, None where they are RGB, of counts.
nb::tuple mandelbrot_pixels(nb::handle counts, nb::handle norms, nb::handle view, std::uint32_t iterations,
                            nb::handle type, const std::string& palette, bool smooth) {
  const array<std::uint32_t> given = elements_on_cpu<std::uint32_t>(counts);
  const std::optional<array<double>> beyond =
      norms.is_none() ? std::nullopt : std::optional(elements_on_cpu<double>(norms));
  const std::size_t height = given.shape()[0], width = given.shape()[1];
  const mandelbrot::picture what = picture_from(width, height, view, iterations, type);
  const mandelbrot::colouring colours(what, palette, smooth);
  const bool is_palette = colours.format() == pixel_format::palette;
  array<std::uint8_t> pixels(is_palette ? shape{height, width} : shape{height, width, 3});
  {
    const nb::gil_scoped_release released;
    colours.paint(0, height, given.data(), available_cores(), pixels.data(),
                  beyond ? beyond->data() : nullptr);
  }
  const nb::object shown = is_palette ? palette_array(colours.palette()) : nb::none();
  return nb::make_tuple(result_of(any_array(std::move(pixels)), false), shown);
}

// --------------------------------------------------------------------------------------------------- pi

std::uint64_t points_in_disc(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                             nb::handle target_wanted) {
  const target where = target_from(target_wanted);
  const nb::gil_scoped_release released;
  return monte_carlo::points_in_disc(where, seed, first, count);
}

std::pair<double, double> estimate_of_pi(std::uint64_t inside, std::uint64_t samples) {
  const monte_carlo::pi_estimate pi = monte_carlo::estimate_of_pi(inside, samples);
  return {pi.value, pi.standard_error};
}

}  // namespace

void bind_simulations(nb::module_& m) {
  const auto none = nb::arg().none();
  m.def("save_png", &save_png, nb::arg(), nb::arg(), none);
  m.def("save_gif", &save_gif);
  m.def("save_npy", &save_npy);
  m.def("save_vti", &save_vti);
  m.def("mandelbrot_view", &view_around);
  m.def("mandelbrot_counts", &mandelbrot_counts, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), none,
        none, nb::arg());
  m.def("mandelbrot_pixels", &mandelbrot_pixels, nb::arg(), none, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg());
  m.def("points_in_disc", &points_in_disc, nb::arg(), nb::arg(), nb::arg(), none);
  m.def("estimate_of_pi", [](std::uint64_t inside, std::uint64_t samples) {
    const auto [value, standard_error] = estimate_of_pi(inside, samples);
    return nb::make_tuple(value, standard_error);
  });
  bind_laplace(m);
  bind_lattice_boltzmann(m);
  bind_life(m);
}

}  // namespace heddle::python
