#include "life/formats.hpp"
#include "life/soup.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/error.hpp>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace {

using namespace heddle;
using namespace heddle::life;

pattern rle(const std::string& text) {
  return parse_pattern(text, "text.rle");
}

/// Rows of '.' and 'O', each with a '/' behind it.
std::string drawn(const grid& cells) {
  std::string text;
  for (std::size_t y = 0; y < cells.height(); ++y) {
    for (std::size_t x = 0; x < cells.width(); ++x) text += cells(x, y) ? 'O' : '.';
    text += '/';
  }
  return text;
}

std::string refusal(const std::string& text, const std::string& path = "text.rle") {
  try {
    parse_pattern(text, path, 1 << 20);
  } catch (const error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(life_rle, is_read_with_comments_lines_counts_and_no_end) {
  const std::string glider = ".O./..O/OOO/";
  for (const char* text :
       {"x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!", "#N Glider\n#C comment\r\nx=3,y=3\r\nbob$2bo$\r\n3o",
        "x = 3, y = 3, rule = 23/3\nb\no$2b\no$3\no!", "bo$2bo$3o!", ".A$..A$AAA!",
        "x = 3, y = 3\nbo$\n# in between\n2bo$3o!after the end x = ?"}) {
    EXPECT_EQ(drawn(rle(text).live.cells), glider) << text;
  }
  const pattern spaced = rle("x = 5, y = 9, rule = B36/S23\n2$bo3$3bo!");
  EXPECT_EQ(drawn(spaced.live.cells), "O../.../.../..O/");
  EXPECT_EQ(spaced.live.left, 1);
  EXPECT_EQ(spaced.live.top, 2);
  EXPECT_EQ(spaced.box_width, 5);
  EXPECT_EQ(spaced.box_height, 9);
  EXPECT_EQ(spaced.law->text(), "B36/S23");
  EXPECT_FALSE(spaced.grid);
  EXPECT_EQ(rle("x = 0, y = 0\n!").live.cells.width(), 0u);
  EXPECT_EQ(rle("").live.cells.width(), 0u);
  EXPECT_EQ(rle("1000000000b3o!").live.left, 1000000000);
}

TEST(life_rle, bounds_are_placed_as_golly_does) {
  const pattern torus = rle("x = 3, y = 3, rule = B3/S23:T30,20\nbo$2bo$3o!");
  ASSERT_TRUE(torus.grid);
  EXPECT_TRUE(torus.grid->torus);
  const placed_grid placed = place_on_bounded_grid(torus);
  EXPECT_EQ(placed.left, -15);
  EXPECT_EQ(placed.top, -10);
  EXPECT_EQ(placed.cells.width(), 30u);
  EXPECT_EQ(placed.cells.height(), 20u);
  EXPECT_EQ(placed.cells.live_box(), (grid::box{15, 10, 3, 3}));

  const placed_grid odd = place_on_bounded_grid(rle("x = 1, y = 1, rule = 23/3:P7,5\no!"));
  EXPECT_EQ(odd.left, -3);
  EXPECT_EQ(odd.top, -2);
  EXPECT_EQ(odd.cells.live_box(), (grid::box{3, 2, 1, 1}));
  EXPECT_EQ(rle("x = 1, y = 1, rule = B3/S23:P9\no!").grid->height, 9u);

  const pattern moved = rle("#CXRLE Pos=-15,-10 Gen=7\nx = 30, y = 20, rule = B3/S23:T30,20\no$29bo!");
  EXPECT_EQ(place_on_bounded_grid(moved).cells.live_box(), (grid::box{0, 0, 30, 2}));
  EXPECT_THROW(place_on_bounded_grid(rle("x = 3, y = 1, rule = B3/S23:T4,4\n3o!")), error);
}

TEST(life_rle, a_comment_of_golly_says_where_and_when) {
  const pattern far = rle("#CXRLE Pos=0,-1377 Gen=3480106827776\nx = 3, y = 1\n3o!");
  EXPECT_EQ(far.box_left, 0);
  EXPECT_EQ(far.box_top, -1377);
  EXPECT_EQ(far.live.top, -1377);
  EXPECT_EQ(far.generation, 3480106827776u);
  EXPECT_EQ(rle("#CXRLE Gen=18446744073709551615 Pos=2,3\no!").generation, ~std::uint64_t{0});
  EXPECT_EQ(rle("#CXRLE Gen=5 Pos=2,3\no!").live.left, 2);
  EXPECT_EQ(rle("# Gen=5\no!").generation, 0u);
  for (const char* const wrong : {"-1", "x", "", "18446744073709551616", "5x"}) {
    EXPECT_THROW(rle(std::string("#CXRLE Gen=") + wrong + "\no!"), error) << wrong;
  }
}

TEST(life_rle, a_size_has_the_patterns_rectangle_in_its_middle) {
  const pattern fits = rle("x = 4, y = 3\nbo!");
  EXPECT_EQ(place_in_the_middle(fits, 4, 3).cells.live_box(), (grid::box{1, 0, 1, 1}));
  EXPECT_EQ(place_in_the_middle(fits, 9, 8).cells.live_box(), (grid::box{3, 2, 1, 1}));
  EXPECT_THROW(place_in_the_middle(fits, 3, 3), error);
}

TEST(life_formats, plaintext_and_life_106_are_read) {
  const pattern cells = parse_pattern("!Name: x\n!\n.O\n\nO.*\n", "a.cells");
  EXPECT_EQ(drawn(cells.live.cells), ".O./.../O.O/");
  EXPECT_EQ(cells.box_height, 3);
  EXPECT_EQ(drawn(parse_pattern("!x\n.O\r\nO\r\n", "unknown").live.cells), ".O/O./");
  const pattern points = parse_pattern("#Life 1.06\n0 -1\n1 0\r\n-1 1\n0 1\n1 1\n1 1\n", "a.lif");
  EXPECT_EQ(drawn(points.live.cells), ".O./..O/OOO/");
  EXPECT_EQ(points.live.left, -1);
  EXPECT_EQ(points.live.top, -1);
}

TEST(life_formats, what_is_wrong_is_named_with_its_line) {
  EXPECT_EQ(refusal("x = 3, y = 3\nbo$\n2bq!"),
            "text.rle: line 3: 'q' is no cell of a pattern with two states: b, o, $ and ! are");
  EXPECT_NE(refusal("x = 3, z = 3\n").find("line 1: 'x = 3, z = 3' is no header"), std::string::npos);
  EXPECT_NE(refusal("x = 3, y = 3, rule = B3/S2x\n").find("is no rule"), std::string::npos);
  EXPECT_NE(refusal("x = 3, y = 3, rule = B3/S23:K30,20\n").find("the bounds 'K30,20' are not known"),
            std::string::npos);
  EXPECT_NE(refusal("x = 3, y = 3, rule = B3/S23:T0,20\n").find("not known"), std::string::npos);
  EXPECT_NE(refusal("99999999999999999999999o!").find("a count is too large"), std::string::npos);
  EXPECT_NE(refusal("bo3").find("ends after a count"), std::string::npos);
  EXPECT_NE(refusal("1000000o1000000$o!").find("spans 1000000x1000001 cells"), std::string::npos);
  EXPECT_NE(refusal("#Life 1.06\n1 2 3\n", "a").find("a: line 2: '1 2 3' is no"), std::string::npos);
  EXPECT_NE(refusal(".O.\n.X.\n", "a.cells").find("a.cells: line 2: 'X' is no cell"), std::string::npos);
  EXPECT_NE(refusal("#Life 1.05\n", "a").find("is not read"), std::string::npos);
  EXPECT_THROW(read_pattern("/nowhere/at.rle"), error);
}

TEST(life_formats, memory_is_in_proportion_to_live_cells) {
  constexpr std::uint64_t one = 1;
  EXPECT_EQ(most_cells_around(0), one << 30);
  EXPECT_EQ(most_cells_around(1 << 13), one << 30);
  EXPECT_EQ(most_cells_around((1 << 13) + 1), (one << 30) + (one << 17));
  EXPECT_EQ(most_cells_around(1 << 19), one << 36);
  EXPECT_EQ(most_cells_around(~std::uint64_t{0}), one << 36);
  const auto refusal_by_default = [](const std::string& text, const std::string& path) -> std::string {
    try {
      parse_pattern(text, path);
    } catch (const error& wrong) {
      return wrong.what();
    }
    return "";
  };
  // A column is as narrow as a step of the rows, whose memory it takes.
  EXPECT_NE(
      refusal_by_default("o3000000$o!", "a.rle")
          .find("spans 1x3000001 cells, of which at most 2 live, and more than 1073741824 cells are refused "
                "(a row takes the memory of 512)"),
      std::string::npos);
  const std::string said = "spans 200001x200001 cells, of which at most 2 live, and more than 1073741824";
  EXPECT_NE(refusal_by_default("o200000$200000bo!", "a.rle").find(said), std::string::npos);
  EXPECT_NE(refusal_by_default("#Life 1.06\n-100000 100000\n100000 -100000\n", "a.lif").find(said),
            std::string::npos);
  // A row takes as much memory for one column as for 512.
  EXPECT_NE(refusal_by_default("4000000$o4000000$o!", "a.rle").find("spans 1x4000001 cells"),
            std::string::npos);
  const pattern column = rle("1000000$o1000000$o!");
  EXPECT_EQ(column.live.cells.height(), 1'000'001u);
  EXPECT_EQ(column.live.cells.population(), 2u);
  // The same span with more live cells.
  EXPECT_EQ(rle("20000o50000$20000bo!").live.cells.population(), 20001u);
}

TEST(life_formats, what_is_written_is_read_back) {
  const tests::scratch_folder folder;
  const std::string path = folder / "x.rle", plain = folder / "x.cells";
  const rule law = rule::parse("B36/S125");
  for (const double density : {0.0, 0.02, 0.5, 1.0}) {
    for (const std::size_t width : {1, 2, 63, 64, 65, 128, 200}) {
      const placed_grid cells{soup(width, 23, density, width, target()),
                              -static_cast<std::int64_t>(width / 2), -11};
      write_rle(path, cells, law, topology::torus, 12);
      const pattern back = read_pattern(path);
      EXPECT_EQ(back.law, law);
      EXPECT_EQ(place_on_bounded_grid(back), cells) << width << " " << density;
      std::ifstream file(path);
      for (std::string line; std::getline(file, line);) EXPECT_LE(line.size(), 70u);

      write_cells(plain, cells, law, 12);
      EXPECT_EQ(place_in_the_middle(read_pattern(plain), width, 23).cells, cells.cells);
    }
  }
  write_rle(path, {soup(5, 5, 1, 1, target()), -1000, 2000}, law, topology::infinite, 0);
  const pattern far = read_pattern(path);
  EXPECT_EQ(far.live.left, -1000);
  EXPECT_EQ(far.live.top, 2000);
  EXPECT_FALSE(far.grid);
}

}  // namespace
