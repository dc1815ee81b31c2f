#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sizes.hpp"
#include "viewer/laplace_view.hpp"
#include "viewer/lbm_view.hpp"
#include "viewer/visible_part.hpp"
#include <heddle/io/npy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <laplace/heat.hpp>
#include <lattice_boltzmann/fields.hpp>
#include <lattice_boltzmann/pictures.hpp>
#include <nlohmann/json.hpp>

namespace hd = heddle;
using namespace heddle::tests;
using namespace heddle::viewer;
using json = nlohmann::json;

namespace {

constexpr std::size_t width = 37, height = 25;

std::unique_ptr<laplace_view<double>> plate(const char* method = "multigrid") {
  laplace_start<double> start;
  start.points = hd::laplace::sine_edges<double>(width, height);
  for (const hd::laplace::method how : hd::laplace::methods)
    if (name(how) == std::string(method)) start.how = how;
  start.tolerance = 1e-12;
  start.words = "--size 37x25";
  return std::make_unique<laplace_view<double>>(std::move(start), hd::target::parallel(2));
}

std::unique_ptr<lbm_view> tunnel() {
  lbm_start start;
  start.given.which = hd::lbm::flow_case::free;
  start.given.width = width;
  start.given.height = height;
  start.given.reynolds = 20;
  start.given.velocity = 0.05;
  start.words = "free --size 37x25 --reynolds 20 --velocity 0.05";
  return std::make_unique<lbm_view>(std::move(start), hd::target::parallel(2));
}

/// The array in a file that has been saved.
template <class T>
std::vector<T> numbers_of(const saved_file& file) {
  const scratch_folder folder;
  const std::string path = folder / "saved.npy";
  std::ofstream(path, std::ios::binary) << file.bytes;
  return hd::read_npy<T>(path).to_vector();
}

window at_one_to_one() {
  return {"18.5", "12.5", 1, width, height};
}

}  // namespace

TEST(visible_part, is_the_squares_that_a_window_sees) {
  // All of it, a pixel a cell, in the middle of a larger window.
  visible_part seen = visible_in({"18.5", "12.5", 1, 100, 50}, width, height, false);
  EXPECT_EQ(seen.part.columns, width);
  EXPECT_EQ(seen.part.rows, height);
  EXPECT_DOUBLE_EQ(seen.left, 50 - 18.5);
  EXPECT_DOUBLE_EQ(seen.top, 25 - 12.5);
  EXPECT_DOUBLE_EQ(seen.pixel, 1);
  // Four pixels a cell: columns 5 to 14, and y upwards.
  seen = visible_in({"10", "4", 0.25, 40, 16}, width, height, true);
  EXPECT_EQ(seen.part.left, 5u);
  EXPECT_EQ(seen.part.columns, 10u);
  EXPECT_EQ(seen.part.top, 2u);
  EXPECT_EQ(seen.part.rows, 4u);
  EXPECT_DOUBLE_EQ(seen.pixel, 4);
  EXPECT_DOUBLE_EQ(seen.left, 0);
  EXPECT_DOUBLE_EQ(seen.top, 0);
  // Two and a half cells a pixel: squares of three, no more than pixels, that begin at multiples of three.
  seen = visible_in({"18.5", "12.5", 2.5, 15, 10}, width, height, true);
  EXPECT_EQ(seen.part.side, 3u);
  EXPECT_EQ(seen.part.left, 0u);
  EXPECT_LE(seen.part.columns, 15u);
  EXPECT_DOUBLE_EQ(seen.pixel, 1.2);
  EXPECT_DOUBLE_EQ(seen.top, (12.5 + 12.5 - 27) / 2.5);
  // Beside the grid.
  EXPECT_EQ(visible_in({"500", "12.5", 1, 100, 50}, width, height, false).part.columns, 0u);
  EXPECT_EQ(visible_in({"-500", "12.5", 1, 100, 50}, width, height, false).part.columns, 0u);
}

TEST(visible_part, is_finite_whatever_a_client_says) {
  const double scales[] = {2.3e-308, 1e-300, 1e-12, 1, 1e12, 1e18, 1e300, 1.7e308};
  for (const std::string place : {"-1e9999", "-1e300", "0", "18.5", "1e300", "1e9999"}) {
    for (const double scale : scales) {
      for (const bool is_up : {false, true}) {
        const visible_part seen = visible_in({place, "12.5", scale, 8192, 8192}, width, height, is_up);
        const hd::picture_part& part = seen.part;
        EXPECT_TRUE(part.is_within(width, height)) << place << ' ' << scale;
        for (const double one : {seen.left, seen.top, seen.pixel})
          EXPECT_TRUE(std::isfinite(one)) << place << ' ' << scale << ' ' << one;
        if (place != "18.5" || scale < 1) continue;
        // All of the grid around the middle of the window, a square of it from a scale of 37 on.
        EXPECT_EQ(part.columns, scale == 1 ? width : 1) << scale;
        EXPECT_NEAR(seen.left, 4096 - 18.5 / scale, 1e-9) << scale;
      }
    }
  }
}

TEST(laplace_view, walls_and_charges_are_those_of_a_solver) {
  const auto view = plate();
  view->step(2);
  view->handle("wall", {{"from", {5.5, 3.5}}, {"to", {5.5, 12.5}}, {"radius", 0}, {"value", 2}});
  view->handle("wall", {{"from", {20.5, 8.5}}, {"to", {20.5, 8.5}}, {"radius", 2}, {"value", -1}});
  view->handle("charge", {{"x", 30.2}, {"y", 6.7}, {"value", 0.5}});
  view->handle("erase", {{"from", {5.5, 12.5}}, {"to", {5.5, 12.5}}, {"radius", 0}});
  while (!view->is_finished() && view->steps() < 60) view->step(1);
  EXPECT_LT(view->steps(), 40u);

  hd::array<double> start = hd::laplace::sine_edges<double>(width, height);
  hd::laplace::solver<double> plain(hd::target::serial(), hd::laplace::method::multigrid, start);
  std::vector<hd::laplace::point_value<double>> held;
  for (std::size_t row = 3; row < 12; ++row) held.push_back({row, 5, 2});
  // The points whose middle is two from that of (8, 20) at most.
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx)
      if (dx * dx + dy * dy <= 4)
        held.push_back({static_cast<std::size_t>(8 + dy), static_cast<std::size_t>(20 + dx), -1});
  plain.hold(held);
  plain.set_source(std::vector<hd::laplace::point_value<double>>{{6, 30, -0.5 * 36 * 24}});
  solve(plain, hd::laplace::method::multigrid, {1e-13, {}, 0});
  const std::vector<double> want = plain.solution().to_vector(), have = numbers_of<double>(view->save("npy"));
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(have[i], want[i], 1e-9) << i;

  const std::vector<std::uint8_t> mask = numbers_of<std::uint8_t>(view->save("held.npy"));
  EXPECT_EQ(std::count(mask.begin(), mask.end(), 1), static_cast<std::ptrdiff_t>(held.size()));
  EXPECT_EQ(numbers_of<double>(view->save("source.npy"))[6 * width + 30], -0.5 * 36 * 24);
  EXPECT_NE(view->command_line().find("--held laplace.held.npy"), std::string::npos);
  EXPECT_EQ(view->status()["held"], held.size());

  // On another target, and by another method, it goes on from what there is.
  view->move_to(hd::target::serial());
  view->handle("method", {{"name", "red-black"}});
  EXPECT_EQ(view->where(), hd::target::serial());
  const std::vector<double> moved = numbers_of<double>(view->save("npy"));
  EXPECT_TRUE(same_elements<double>(moved, have));
  view->handle("clear", json::object());
  EXPECT_EQ(view->status()["held"], 0);
  view->restart();
  EXPECT_EQ(view->steps(), 0u);
  EXPECT_TRUE(same_elements<double>(numbers_of<double>(view->save("npy")), start.to_vector()));
}

TEST(laplace_view, draws_what_the_command_draws) {
  const auto view = plate("jacobi");
  view->step(30);
  EXPECT_EQ(view->command_line(),
            "heddle laplace --size 37x25 --method jacobi --tolerance 0 --max-iterations 30");
  hd::laplace::solver<double> plain(hd::target::serial(), hd::laplace::method::jacobi,
                                    hd::laplace::sine_edges<double>(width, height));
  plain.iterate(30);
  const auto points = plain.points_in_place();
  const rendering made = view->render(at_one_to_one(), "heat");
  EXPECT_EQ(made.image.pixels,
            hd::laplace::draw(points, hd::laplace::heat_of(points), hd::picture_part::whole(width, height)));
  EXPECT_EQ(made.image.palette[100], hd::laplace::heat::of_level(100));
  EXPECT_EQ(made.left, 0);
  EXPECT_EQ(made.top, 0);
  EXPECT_EQ(view->save("png").bytes.substr(1, 3), "PNG");
}

TEST(laplace_view, shows_each_grid_of_a_cycle) {
  const auto view = plate();
  EXPECT_TRUE(view->status()["levels"].empty());
  for (int i = 0; i < 3; ++i) view->step(1);
  const json status = view->status();
  ASSERT_GE(status["levels"].size(), 3u);
  ASSERT_EQ(status["plots"].size(), status["levels"].size() + 1);
  EXPECT_EQ(status["plots"][0]["name"], "residual");
  EXPECT_EQ(status["plots"][0]["y"].size(), 4u);
  EXPECT_EQ(status["plots"][1]["y"].size(), 3u);
  EXPECT_LT(status["plots"][1]["y"][2], status["plots"][1]["y"][0]);
  for (int level = 1; level <= 3; ++level) {
    view->handle("level", {{"number", level}});
    const rendering made = view->render(at_one_to_one(), "heat");
    EXPECT_EQ(made.image.pixels.size(), width * height);
    const auto [least, most] = std::minmax_element(made.image.pixels.begin(), made.image.pixels.end());
    EXPECT_EQ(*least, 0);
    EXPECT_EQ(*most, 255);
  }
}

TEST(laplace_view, refuses_what_makes_no_sense) {
  const auto view = plate();
  const auto refused = [&](const char* action, const json& arguments) {
    return message_of([&] { view->handle(action, arguments); });
  };
  EXPECT_EQ(refused("paint", json::object()),
            "laplace: 'paint' is none of wall, charge, erase, clear, method and level");
  EXPECT_EQ(refused("wall", json::object()), "laplace: 'value' is no number");
  EXPECT_EQ(refused("wall", {{"value", 1}, {"from", {1}}, {"to", {1, 2}}, {"radius", 1}}),
            "laplace: 'from' is not [x, y]");
  EXPECT_EQ(refused("wall", {{"value", 1}, {"from", {1, 2}}, {"to", {1, "2"}}, {"radius", 1}}),
            "laplace: 'to' is no number");
  EXPECT_EQ(refused("wall", {{"value", 1}, {"from", {1, 2}}, {"to", {1, 2}}, {"radius", 1e4}}),
            "laplace: 'radius' is 10000, and not within 0 to 1000");
  EXPECT_EQ(refused("charge", {{"x", 40}, {"y", 1}, {"value", 1}}),
            "laplace: a charge at (40, 1) is outside of 37x25 points");
  EXPECT_EQ(refused("method", {{"name", 3}}), "laplace: 'name' is no text");
  EXPECT_EQ(refused("method", {{"name", "sor"}}),
            "laplace: 'sor' is none of jacobi, red-black and multigrid");
  EXPECT_EQ(message_of([&] { view->save("gif"); }),
            "laplace: 'gif' is none of npy, held.npy, source.npy, vti, png");
}

TEST(lbm_view, obstacles_are_drawn_erased_and_dragged) {
  const auto view = tunnel();
  view->step(10);
  const auto nudge = [&](int right, int up) { view->handle("nudge", {{"right", right}, {"up", up}}); };
  EXPECT_EQ(message_of([&] { nudge(1, 0); }),
            "lbm: no obstacle is held that could move: put a cylinder, or drag one first");
  // It moves by cells, also past an edge and back.
  view->handle("cylinder", {{"x", 11.5}, {"y", 14.5}, {"radius", 2}});
  for (int i = 0; i < 20; ++i) nudge(0, 1);
  view->step(1);
  for (int i = 0; i < 22; ++i) nudge(0, -1);
  nudge(1, 0);
  view->handle("solid", {{"from", {20.5, 4.5}}, {"to", {24.5, 4.5}}, {"radius", 0}});
  view->step(10);
  const auto mask = [&] { return numbers_of<std::uint8_t>(view->save("obstacles.npy")); };
  const auto is_solid = [&](std::size_t x, std::size_t y) { return mask()[y * width + x] != 0; };
  const std::vector<std::uint8_t> before = mask();
  EXPECT_EQ(std::count(before.begin(), before.end(), 1), 13 + 5);
  EXPECT_TRUE(is_solid(12, 10));
  EXPECT_TRUE(is_solid(24, 4));
  // What is drawn is not undone by what has been held.
  EXPECT_THROW(nudge(1, 0), hd::error);
  EXPECT_EQ(mask(), before);
  EXPECT_GT(view->status()["plots"][0]["y"].size(), 0u);
  EXPECT_EQ(view->status()["plots"][0]["name"], "drag");
  // One of the two moves, and out of the grid and back it is whole again.
  view->handle("grab", {{"x", 12.1}, {"y", 11.4}});
  view->handle("drag", {{"x", 15.1}, {"y", 13.4}});
  EXPECT_TRUE(is_solid(15, 12));
  EXPECT_FALSE(is_solid(12, 10));
  EXPECT_TRUE(is_solid(24, 4));
  view->step(10);
  view->handle("drag", {{"x", 15.1}, {"y", 500}});
  EXPECT_FALSE(is_solid(15, 12));
  view->handle("drag", {{"x", 12.1}, {"y", 11.4}});
  EXPECT_EQ(mask(), before);
  view->handle("fluid", {{"from", {20.5, 4.5}}, {"to", {24.5, 4.5}}, {"radius", 0}});
  EXPECT_FALSE(is_solid(24, 4));
  EXPECT_EQ(message_of([&] {
              view->handle("solid", {{"from", {30.5, -5}}, {"to", {30.5, 40}}, {"radius", 1}});
            }).find("lbm: 925 f32: lbm: obstacles leave no way"),
            0u);
  EXPECT_FALSE(is_solid(30, 5));
  view->step(10);
  EXPECT_NE(view->command_line().find("--resume lbm.checkpoint --steps 0"), std::string::npos);
  view->handle("clear", json::object());
  EXPECT_FALSE(is_solid(12, 10));
}

TEST(lbm_view, speed_and_viscosity_follow_what_is_wanted) {
  const auto view = tunnel();
  view->handle("speed", {{"value", 0.06}});
  view->handle("viscosity", {{"value", 0.1}});
  // By 0.002 every ten steps.
  view->step(25);
  EXPECT_NE(view->status()["text"].get<std::string>().find("speed 0.058, viscosity 0.1"), std::string::npos)
      << view->status()["text"];
  view->step(60);
  EXPECT_NE(view->status()["text"].get<std::string>().find("speed 0.06, viscosity 0.1"), std::string::npos)
      << view->status()["text"];
  EXPECT_EQ(view->steps(), 85u);
  EXPECT_NE(message_of([&] { view->handle("speed", {{"value", 0.4}}); }).find("not within 0.0001 to 0.1732"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { view->handle("viscosity", {{"value", 1e-5}}); }),
            "lbm: 'value' is 1e-05, and not within 0.004 to 0.833333");
}

TEST(lbm_view, draws_what_the_command_draws) {
  const auto view = tunnel();
  EXPECT_EQ(view->command_line(),
            "heddle lbm free --size 37x25 --reynolds 20 --velocity 0.05 --steps 0 --field velocity");
  view->handle("cylinder", {{"x", 12.5}, {"y", 12.5}, {"radius", 3}});
  view->step(40);
  const saved_file saved = view->save("checkpoint");
  const scratch_folder folder;
  const std::string path = folder / "flow";
  std::ofstream(path, std::ios::binary) << saved.bytes;
  const hd::lbm::flow plain = hd::lbm::flow::resume(hd::target::serial(), path);
  EXPECT_EQ(plain.steps(), 40u);
  for (const hd::lbm::field field : hd::lbm::fields) {
    view->handle("show", {{"name", name(field)}});
    hd::lbm::pictures whole(field);
    const rendering made = view->render(at_one_to_one(), "field");
    EXPECT_EQ(made.image.pixels, whole.draw(plain)) << name(field);
    EXPECT_EQ(made.image.palette, hd::lbm::pictures::palette(field));
    EXPECT_EQ(made.top, 0);
  }
  for (const char* const other : {"lines", "dye"}) {
    view->handle("show", {{"name", other}});
    view->step(5);
    const rendering made = view->render(at_one_to_one(), "field");
    ASSERT_EQ(made.image.pixels.size(), width * height);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        ASSERT_EQ(made.image.pixels[(height - 1 - y) * width + x] == 255, plain.is_solid(x, y)) << other;
  }
  view->move_to(hd::target::serial());
  EXPECT_EQ(view->steps(), 50u);
  view->restart();
  EXPECT_EQ(view->steps(), 0u);
}

TEST(lbm_view, dye_is_shown_of_the_newest_step) {
  // Dye is carried for several steps at once, and for the rest when it is shown.
  const auto shown_after = [](const std::vector<std::uint64_t>& counts) {
    const auto view = tunnel();
    view->handle("cylinder", {{"x", 12.5}, {"y", 12.5}, {"radius", 3}});
    view->handle("show", {{"name", "dye"}});
    for (const std::uint64_t count : counts) view->step(count);
    return view->render(at_one_to_one(), "field").image.pixels;
  };
  const std::vector<std::uint8_t> at_once = shown_after({237});
  EXPECT_EQ(shown_after(std::vector<std::uint64_t>(237, 1)), at_once);
  EXPECT_EQ(shown_after({100, 1, 120, 16}), at_once);
  const std::vector<std::uint8_t> earlier = shown_after({236});
  EXPECT_NE(earlier, at_once);
  // 236 steps at 0.05 go 11.8 cells, and around the obstacle faster: nothing has come to the outflow.
  for (std::size_t y = 0; y < height; ++y) EXPECT_EQ(at_once[y * width + width - 1], 0) << y;
}
