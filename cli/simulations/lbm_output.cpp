#include "lbm_output.hpp"

#include "cli/options/file_options.hpp"
#include "cli/over_ranks.hpp"
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/io/vti.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

constexpr std::string_view head_of_forces = "step,time,drag,lift,pressure_difference\n";

/// By its ending; of a descriptor, which has none, by its first byte.
bool is_picture(const std::string& path) {
  const int opened = descriptor_in(path) ? open_for_reading(path) : -1;
  if (opened < 0) return mask_formats().of(path) == ".png";
  unsigned char first = 0;
  const bool is_png = ::pread(opened, &first, 1, 0) == 1 && first == 0x89;
  ::close(opened);
  return is_png;
}

}  // namespace

const file_formats& mask_formats() {
  static const file_formats all{".png", ".npy"};
  return all;
}

obstacle_mask read_obstacles(const std::string& given) {
  const std::string path = descriptor_in(given) ? reopenable(given) : given;
  obstacle_mask made;
  if (is_picture(path)) {
    const image picture = read_png(path);
    made.width = picture.width;
    made.height = picture.height;
    made.solid.resize(made.width * made.height);
    const std::size_t bytes = bytes_of(picture.format);
    for (std::size_t y = 0; y < made.height; ++y) {
      for (std::size_t x = 0; x < made.width; ++x) {
        const std::uint8_t* const pixel = picture.pixels.data() + (y * made.width + x) * bytes;
        int grey = pixel[0], opacity = 255;
        if (picture.format == pixel_format::palette) {
          const colour& of = picture.palette[pixel[0]];
          grey = (of[0] + of[1] + of[2]) / 3;
        } else if (picture.format != pixel_format::grey) {
          grey = (pixel[0] + pixel[1] + pixel[2]) / 3;
          if (picture.format == pixel_format::rgba) opacity = pixel[3];
        }
        made.solid[(made.height - 1 - y) * made.width + x] = grey < 128 && opacity >= 128;
      }
    }
  } else {
    const npy_file file(path);
    if (file.shape().axes() != 2) {
      fail(
          fmt::format("{}: has shape {}, where (rows, columns) is needed", file.path(), file.shape().text()));
    }
    if (file.shape()[0] == 0 || file.shape()[1] == 0) {
      fail(fmt::format("{}: has shape {}, and no cells", file.path(), file.shape().text()));
    }
    made.height = file.shape()[0];
    made.width = file.shape()[1];
    const std::size_t cells = made.width * made.height;
    {
      const operation running("lbm", cells, "cells of --obstacles");
      const memory room(cells, target());
    }
    made.solid.resize(cells);
    with_type(file.dtype(), [&](auto fluid) {
      const auto cells = file.read_as<decltype(fluid)>();
      for (std::size_t i = 0; i < made.solid.size(); ++i) {
        const auto cell = cells.data()[i];
        // Of numbers only NaN is other than itself.
        if (!(cell == cell)) {
          fail(fmt::format("{}: row {}, column {} is NaN, which tells neither a solid cell nor fluid",
                           file.path(), i / made.width, i % made.width));
        }
        made.solid[i] = cell != fluid;
      }
    });
  }
  return made;
}

const file_formats& lbm_output::formats() {
  static const file_formats all{".npy", ".vti", ".png", ".gif"};
  return all;
}

lbm_output::lbm_output(const std::string& path, const std::string& format, lbm::field field)
    : path_(written_by_first(path)),
      ending_(formats().chosen(path, format)),
      field_(field),
      pictures_(field) {
  if (!is_animation()) require_writable(path_);
}

void lbm_output::begin(const lbm::flow& of) {
  constexpr unsigned hundredths_of_a_second = 5;
  if (is_animation()) {
    animation_ = std::make_unique<gif_writer>(path_, of.given().width, of.given().height,
                                              lbm::pictures::palette(field_), hundredths_of_a_second);
  }
}

void lbm_output::add_frame(const lbm::flow& of) {
  animation_->add_frame(pictures_.draw(of));
  has_frames_ = true;
}

void lbm_output::finish(const lbm::flow& of) {
  if (path_.empty()) return;
  if (is_animation()) {
    if (!has_frames_) add_frame(of);
    return animation_->commit();
  }
  if (ending_ == ".png") {
    const image picture{of.given().width, of.given().height, pixel_format::palette, pictures_.draw(of),
                        lbm::pictures::palette(field_)};
    return write_png(path_, picture);
  }
  const grid_placement centres{{0.5, 0.5, 0}, {1, 1, 1}};
  if (field_ == lbm::field::velocity) {
    const array<float> u = of.velocity();
    if (ending_ == ".npy") return write_npy(path_, u);
    // Vectors in a plane are complex numbers to image data.
    array<std::complex<float>> vectors({of.given().height, of.given().width});
    std::memcpy(static_cast<void*>(vectors.data()), u.data(), u.size() * sizeof(float));
    return write_vti(path_, vectors, "velocity", centres);
  }
  const array<float> field = field_ == lbm::field::vorticity ? of.vorticity() : of.density();
  if (ending_ == ".npy") return write_npy(path_, field);
  write_vti(path_, field, name(field_), centres);
}

void lbm_output::give_up() {
  animation_.reset();
  path_.clear();
}

lbm_forces::lbm_forces(const std::string& path) {
  if (path.empty()) return;
  file_.emplace(written_by_first(path));
  lines_ = head_of_forces;
}

void lbm_forces::add(const lbm::flow& of) {
  if (!file_) return;
  const lbm::flow::coefficients now = of.on_obstacles();
  lines_ += fmt::format("{},{:.9g},{:.9g},{:.9g},", of.steps(), of.time(), now.drag, now.lift);
  // A place is left empty where there is no such difference.
  if (const std::optional<double> difference = of.pressure_difference()) {
    lines_ += fmt::format("{:.9g}", *difference);
  }
  lines_ += '\n';
  ++samples_;
  constexpr std::size_t enough = std::size_t{1} << 16;
  if (lines_.size() > enough) write();
}

void lbm_forces::write() {
  file_->write(lines_.data(), lines_.size());
  lines_.clear();
}

void lbm_forces::finish() {
  if (!file_) return;
  write();
  file_->commit();
}

void write_profiles(const std::string& path, const lbm::flow& of) {
  const lbm::profiles lines = lbm::centre_lines(of);
  std::string text = "line,position,u,v\n";
  const auto add = [&](const char* line, const std::vector<lbm::profile_point>& points) {
    for (const lbm::profile_point& at : points) {
      text += fmt::format("{},{:.9g},{:.9g},{:.9g}\n", line, at.position, at.u, at.v);
    }
  };
  add("vertical", lines.vertical);
  add("horizontal", lines.horizontal);
  atomic_file file(written_by_first(path));
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace heddle::cli
