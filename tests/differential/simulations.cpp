// Simulations beside their definitions, a cell at a time.
#include "arrays.hpp"
#include "laplace/laplace.hpp"
#include "life/engine.hpp"
#include "life/formats.hpp"
#include "properties.hpp"
#include <heddle/support/temporary_folder.hpp>

#include <filesystem>
#include <memory>

namespace heddle::tests::differential {
namespace {

using life::grid;
using life::rule;

grid drawn_cells(choices& from, std::size_t width, std::size_t height) {
  grid cells(width, height);
  const std::uint64_t seed = from.between(0, 1000), share = from.between(0, 8);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) cells.set(x, y, hashed(seed, y * width + x) % 8 < share);
  }
  return cells;
}

grid next_by_definition(const grid& now, const rule& law, bool is_torus) {
  const auto width = static_cast<std::ptrdiff_t>(now.width()),
             height = static_cast<std::ptrdiff_t>(now.height());
  const auto lives = [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    if (!is_torus && (x < 0 || y < 0 || x >= width || y >= height)) return 0;
    return now(static_cast<std::size_t>((x + width) % width), static_cast<std::size_t>((y + height) % height))
               ? 1
               : 0;
  };
  grid next(now.width(), now.height());
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      int count = -lives(x, y);
      for (std::ptrdiff_t dy = -1; dy <= 1; ++dy) {
        for (std::ptrdiff_t dx = -1; dx <= 1; ++dx) count += lives(x + dx, y + dy);
      }
      const int bits = lives(x, y) != 0 ? law.survival : law.birth;
      next.set(static_cast<std::size_t>(x), static_cast<std::size_t>(y), (bits >> count & 1) != 0);
    }
  }
  return next;
}

rule drawn_rule(choices& from) {
  rule law;
  law.birth = static_cast<std::uint16_t>(from.between(0, 511));
  law.survival = static_cast<std::uint16_t>(from.between(0, 511));
  from.note(law.text());
  return law;
}

void life_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const rule law = drawn_rule(from);
  const std::size_t width = 1 + draw_length(from, 700), height = 1 + draw_length(from, 12'000 / width);
  const bool is_torus = from.one_in(2), is_packed = !from.one_in(3);
  const std::uint64_t generations = from.between(0, 9);
  from.note(fmt::format("{} x {} {}, {} generations, {}", width, height, is_torus ? "torus" : "plane",
                        generations, is_packed ? "packed" : "per_cell"));
  grid want = drawn_cells(from, width, height);
  const life::algorithm how = is_packed ? life::algorithm::packed : life::algorithm::per_cell;
  const std::unique_ptr<life::engine> made = make_engine(how, {width, height, is_torus}, law, where);
  made->load(want);
  made->advance(generations);
  for (std::uint64_t i = 0; i < generations; ++i) want = next_by_definition(want, law, is_torus);
  if (!(made->cells() == want)) throw std::runtime_error("the cells differ");
  if (made->population() != want.population()) throw std::runtime_error("the population differs");
}

/// A pattern that is written is read as it was.
void life_files_property(choices& from, const limits&) {
  const rule law = drawn_rule(from);
  const std::size_t width = 1 + draw_length(from, 300), height = 1 + draw_length(from, 3000 / width);
  const bool is_rle = !from.one_in(3);
  from.note(fmt::format("{} x {} {}", width, height, is_rle ? "rle" : "cells"));
  const grid cells = drawn_cells(from, width, height);
  const grid::box box = cells.live_box();
  const temporary_folder folder(std::filesystem::temp_directory_path(), "differential-");
  const std::string path = (folder.path() / (is_rle ? "x.rle" : "x.cells")).string();
  const life::placed_grid placed{cells, 0, 0};
  if (is_rle) {
    write_rle(path, placed, law, life::topology::infinite, 0);
  } else {
    write_cells(path, placed, law, 0);
  }
  const life::pattern read = life::read_pattern(path);
  if (!(read.live.cells == cells.part(box))) throw std::runtime_error("the cells that are read differ");
}

/// Sweeps of Jacobi's method beside a loop: the same bits.
template <class T>
void check_jacobi(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const std::size_t width = 3 + draw_length(from, 200), height = 3 + draw_length(from, 8000 / width);
  const std::size_t sweeps = from.between(0, 20);
  from.note(fmt::format("{} x {} of {} bytes, {} sweeps", width, height, sizeof(T), sweeps));
  const std::uint64_t seed = from.between(0, 1000);
  std::vector<T> now(width * height);
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i] = static_cast<T>(static_cast<int>(hashed(seed, i) % 17) - 8);
  const array<T> start = array<T>(now).reshaped(shape{height, width});
  laplace::solver<T> solver(where, laplace::method::jacobi, array_view<const T>(start));
  solver.iterate(sweeps);
  const auto x = static_cast<long double>(width - 1), y = static_cast<long double>(height - 1);
  const long double of_x = x * x / (2 * (x * x + y * y)), of_y = y * y / (2 * (x * x + y * y));
  std::vector<long double> exact(now.begin(), now.end()), next = exact;
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t j = 1; j + 1 < height; ++j) {
      for (std::size_t i = 1; i + 1 < width; ++i) {
        const std::size_t at = j * width + i;
        next[at] = of_x * (exact[at - 1] + exact[at + 1]) + of_y * (exact[at - width] + exact[at + width]);
      }
    }
    exact.swap(next);
  }
  const array<T> found = solver.solution().on(target::serial());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const long double wrong = std::fabs(static_cast<long double>(found.data()[i]) - exact[i]);
    if (!(wrong <= 8 * std::numeric_limits<T>::epsilon() * 8 * static_cast<long double>(sweeps + 1)))
      throw std::runtime_error(
          fmt::format("point {} is {} instead of {}", i, found.data()[i], static_cast<double>(exact[i])));
  }
  laplace::solver<T> beside(target::serial(), laplace::method::jacobi, array_view<const T>(start));
  beside.iterate(sweeps);
  const array<T> same = beside.solution().on(target::serial());
  if (std::memcmp(same.data(), found.data(), now.size() * sizeof(T)) != 0)
    throw std::runtime_error("the bits differ from those on one core");
}

void jacobi_property(choices& from, const limits& most) {
  if (from.one_in(2)) return check_jacobi<float>(from, most);
  check_jacobi<double>(from, most);
}

}  // namespace

std::vector<property> simulations() {
  return {{"life", life_property}, {"life_files", life_files_property}, {"jacobi", jacobi_property}};
}

}  // namespace heddle::tests::differential
