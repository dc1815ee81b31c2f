#include "flows.hpp"
#include "tests/scratch_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::lbm;
using namespace heddle::tests;

TEST_P(lattice_boltzmann, pressure_difference_wants_three_fluid_cells_beside_the_cylinder) {
  settings given = sized(flow_case::cylinder, 221, 41);
  EXPECT_TRUE(flow(where, given).pressure_difference().has_value());
  EXPECT_FALSE(flow(where, sized(flow_case::cavity, 20, 20)).pressure_difference().has_value());
  // Obstacles before the cylinder: to its surface, and two cells away from it.
  for (const std::size_t last : {30, 14}) {
    given.obstacles.assign(221 * 41, 0);
    for (std::size_t y = 0; y < 23; ++y) {
      for (std::size_t x = 5; x < last; ++x) given.obstacles[y * 221 + x] = 1;
    }
    EXPECT_FALSE(flow(where, given).pressure_difference().has_value()) << last;
  }
}

TEST_P(lattice_boltzmann, refuses_obstacles_that_leave_no_way) {
  const auto refused = [&](flow_case which, const std::vector<std::size_t>& solid) {
    settings given = sized(which, 12, 8);
    given.by = drive::inflow;
    given.obstacles.assign(96, 0);
    for (const std::size_t cell : solid) given.obstacles[cell] = 1;
    return message_of([&] { flow(where, given); });
  };
  const auto column = [](std::size_t x) {
    std::vector<std::size_t> cells;
    for (std::size_t y = 0; y < 8; ++y) cells.push_back(y * 12 + x);
    return cells;
  };
  for (const flow_case which : {flow_case::free, flow_case::channel}) {
    for (const std::size_t x : {5, 11}) {
      EXPECT_NE(refused(which, column(x)).find("no way from the left, in row 0, to the right"),
                std::string::npos)
          << x;
    }
    EXPECT_NE(refused(which, column(0)).find("cover all of the left column"), std::string::npos);
    // With one cell open there is a way, and so there is between cells that touch at a corner.
    std::vector<std::size_t> open = column(5);
    open.pop_back();
    EXPECT_EQ(refused(which, open), "no error");
    open.push_back(7 * 12 + 4);
    EXPECT_EQ(refused(which, open), "no error");
    // A pocket at the inflow.
    EXPECT_NE(refused(which, {24, 25, 26, 38, 50, 60, 61, 62}).find("in row 3"), std::string::npos);
  }
}

TEST_P(lattice_boltzmann, a_density_that_no_flow_has_is_a_blow_up) {
  // A gap of one cell in a wall across a duct: what comes in piles up before it.
  settings given = sized(flow_case::free, 40, 64);
  given.velocity = 0.2;
  given.obstacles.assign(40 * 64, 0);
  for (std::size_t y = 1; y < 64; ++y) given.obstacles[y * 40 + 20] = 1;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(20'000); });
  EXPECT_NE(message.find("blew up"), std::string::npos) << message;
  EXPECT_NE(message.find("its density is "), std::string::npos) << message;
}

TEST_P(lattice_boltzmann, says_when_sixteen_bits_do_not_hold_a_flow) {
  settings given = sized(flow_case::taylor_green, 32, 32);
  given.kept = storage::f16;
  given.velocity = 0.35;
  EXPECT_NE(message_of([&] { flow(where, given); }).find("beyond what 16 bits hold"), std::string::npos);
  // In units so small that the flow leaves their range after its beginning, and returns before a look.
  given = sized(flow_case::cavity, 24, 24);
  given.kept = storage::f16;
  given.velocity = 0.1;
  given.reynolds = 20;
  given.fraction_bits = 20;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(100); });
  EXPECT_NE(message.find("beyond what 16 bits hold"), std::string::npos) << message;
}

TEST_P(lattice_boltzmann, says_when_sixteen_bits_did_not_hold_the_beginning_of_an_open_flow) {
  // The sound of the first steps against the cylinder is beyond the range, and gone before the first look.
  settings given = sized(flow_case::cylinder, 60, 20);
  given.kept = storage::f16;
  given.reynolds = 20;
  given.fraction_bits = 19;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(100); });
  EXPECT_NE(message.find("it has been beyond what 16 bits hold"), std::string::npos) << message;
  // It is known ever after, and no checkpoint makes a beginning of it.
  const scratch_folder folder;
  const std::string file = folder / "flow.checkpoint";
  EXPECT_EQ(message_of([&] { tested.check(); }), message);
  EXPECT_EQ(message_of([&] { tested.save(file); }), message);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_NE(message_of([&] { tested.advance(100); }).find("it has been beyond what 16 bits hold"),
            std::string::npos);
  // In units that hold it the mass is known at every look, with obstacles at both ends too.
  given.fraction_bits = 18;
  for (const flow_case which : {flow_case::cylinder, flow_case::channel, flow_case::free}) {
    given.which = which;
    given.by = drive::inflow;
    given.obstacles.assign(1200, 0);
    for (const std::size_t cell : {0, 300, 301, 659, 779, 1139, 1199}) given.obstacles[cell] = 1;
    flow held(where, given);
    EXPECT_EQ(message_of([&] { held.advance(300); }), "no error") << name(which);
  }
}

TEST_P(lattice_boltzmann, says_when_a_flow_blows_up) {
  settings given = sized(flow_case::cavity, 20, 20);
  given.kept = storage::f32;
  given.how = collision::bgk;
  given.reynolds = 1e6;
  given.velocity = 0.3;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(20'000); });
  EXPECT_NE(message.find("lbm: the flow blew up by step "), std::string::npos) << message;
  EXPECT_NE(message.find("in cell ("), std::string::npos) << message;
  EXPECT_NE(message.find("--collision regularized or --smagorinsky 0.1: "), std::string::npos) << message;
  EXPECT_FALSE(tested.about().warnings.empty());
  // What is given already is no remedy.
  given.smagorinsky = 0.1;
  flow with_eddies(where, given);
  const std::string other = message_of([&] { with_eddies.advance(20'000); });
  EXPECT_NE(other.find("--collision regularized or --smagorinsky 0.15: "), std::string::npos) << other;
}

TEST_P(lattice_boltzmann, says_when_a_flow_of_few_columns_blows_up) {
  settings given = sized(flow_case::cavity, 5, 40);
  given.kept = storage::f32;
  given.how = collision::bgk;
  given.reynolds = 1e6;
  given.velocity = 0.3;
  flow tested(where, given);
  EXPECT_NE(message_of([&] { tested.advance(20'000); }).find("lbm: the flow blew up by step "),
            std::string::npos);
}

TEST_P(lattice_boltzmann, says_to_take_less_viscosity_where_that_blows_up) {
  settings given = sized(flow_case::cavity, 100, 2);
  given.reynolds = 5;
  flow tested(where, given);
  const std::string message = message_of([&] { tested.advance(100); });
  EXPECT_NE(message.find("a lower --velocity or a higher --reynolds: "), std::string::npos) << message;
  EXPECT_NE(tested.about().warnings.at(0).find("a higher --reynolds"), std::string::npos);
}

TEST(lattice_boltzmann_settings, say_when_viscosity_is_too_little) {
  // Cavities of 64² cells at a velocity of 0.1: the least Reynolds number of a cell at which 10,000 steps
  // blew up, of 10, 15, 20, 30, 40, 80, 160, 1000 and 100,000; 0 for none.
  struct {
    double constant;
    collision how;
    double unstable;
  } const cases[] = {{0, collision::bgk, 15},
                     {0, collision::trt, 28},
                     {0.03, collision::bgk, 20},
                     {0.05, collision::trt, 30},
                     {0.05, collision::regularized, 80},
                     {0.1, collision::bgk, 30},
                     {0.1, collision::trt, 160},
                     {0.1, collision::regularized, 0},
                     {0.15, collision::bgk, 0},
                     {0.15, collision::trt, 0},
                     {0.15, collision::regularized, 0}};
  for (const auto& [constant, how, unstable] : cases) {
    settings given = sized(flow_case::cavity, 64, 64);
    given.how = how;
    given.smagorinsky = constant;
    given.reynolds = 64 * (unstable > 0 ? unstable : 1e5);
    const std::vector<std::string> warnings = describe(completed(given)).warnings;
    EXPECT_EQ(warnings.empty(), unstable == 0) << constant << ' ' << name(how);
    if (!warnings.empty()) {
      EXPECT_NE(warnings.front().find("may be unstable"), std::string::npos) << warnings.front();
    }
    given.reynolds = 64 * 10;
    EXPECT_TRUE(describe(completed(given)).warnings.empty()) << constant << ' ' << name(how);
  }
}

TEST(lattice_boltzmann_settings, say_when_viscosity_is_too_little_past_a_plate) {
  // Two cells thick, across a third of a periodic channel of 160 x 60 cells at a velocity of 0.1: 8000 steps
  // of `trt` blew up at Reynolds numbers of a cell of 8 and more, with a constant of 0.15 at 20, and not at
  // 6; those of `bgk` did not at 12, nor those of `regularized` at 30.
  struct {
    double constant;
    collision how;
    double stable, unstable;
  } const cases[] = {{0, collision::trt, 6, 8},
                     {0.1, collision::trt, 6, 8},
                     {0.15, collision::trt, 6, 20},
                     {0, collision::bgk, 12, 0},
                     {0, collision::regularized, 30, 0}};
  settings given = sized(flow_case::free, 160, 60);
  given.obstacles.assign(160 * 60, 0);
  for (std::size_t y = 20; y < 40; ++y) given.obstacles[y * 160 + 40] = given.obstacles[y * 160 + 41] = 1;
  for (const auto& [constant, how, stable, unstable] : cases) {
    given.how = how;
    given.smagorinsky = constant;
    given.reynolds = 20 * stable;
    EXPECT_TRUE(describe(completed(given)).warnings.empty()) << constant << ' ' << name(how);
    if (unstable == 0) continue;
    given.reynolds = 20 * unstable;
    EXPECT_EQ(describe(completed(given)).warnings.size(), 1u) << constant << ' ' << name(how);
  }
}

TEST(lattice_boltzmann_settings, say_when_rounding_hides_the_viscosity) {
  settings given = sized(flow_case::cavity, 64, 64);
  for (const storage kept : {storage::f64, storage::f32}) {
    given.kept = kept;
    // Whether a thousandth of the viscosity still changes the relaxation time.
    for (const auto& [velocity, is_seen] : {std::pair(0.1, true),
                                            {1e-4, true},
                                            {1e-7, kept == storage::f64},
                                            {1e-15, false},
                                            {1e-300, false}}) {
      given.velocity = velocity;
      const std::vector<std::string> warnings = describe(completed(given)).warnings;
      EXPECT_EQ(warnings.empty(), is_seen) << velocity;
      if (!warnings.empty()) {
        EXPECT_NE(warnings.front().find("rounding"), std::string::npos) << warnings.front();
      }
    }
  }
  // A number of steps that no integer holds.
  EXPECT_EQ(flow(hd::target::serial(), given).steps_between_comparisons(), std::uint64_t{1} << 62);
}

TEST(lattice_boltzmann_settings, what_follows_from_them) {
  settings given = sized(flow_case::cylinder, 0, 0);
  given.reynolds = 20;
  const settings whole = completed(given);
  EXPECT_EQ(whole.width, 881u);
  EXPECT_EQ(whole.height, 164u);
  const auto extents_of = [](flow_case which) {
    const settings made = completed(sized(which, 0, 0));
    return std::pair(made.width, made.height);
  };
  EXPECT_EQ(extents_of(flow_case::channel), std::pair(192ul, 64ul));
  EXPECT_EQ(extents_of(flow_case::free), std::pair(512ul, 256ul));
  EXPECT_EQ(extents_of(flow_case::cavity), std::pair(128ul, 128ul));
  const description about = describe(whole);
  EXPECT_NEAR(about.length, 40, 1e-12);
  EXPECT_NEAR(about.viscosity, 0.1 * 2 / 3 * 40 / 20, 1e-12);
  EXPECT_NEAR(about.relaxation_time, 3 * about.viscosity + 0.5, 1e-15);
  EXPECT_NEAR(about.mach, 0.1732, 1e-4);
  EXPECT_EQ(about.bytes_a_cell, 144u);
  EXPECT_EQ(whole.fraction_bits, 0);
  settings sixteen = sized(flow_case::cavity, 64, 64);
  sixteen.kept = storage::f16;
  for (const auto& [velocity, bits] :
       {std::pair(0.2, 18), {0.1, 19}, {0.05, 20}, {0.02, 21}, {0.01, 22}, {0.005, 23}}) {
    sixteen.velocity = velocity;
    EXPECT_EQ(completed(sixteen).fraction_bits, bits) << velocity;
    // At 0.2 the flow is compressible, at 0.005 slow for 16 bits.
    EXPECT_EQ(describe(completed(sixteen)).warnings.empty(), velocity > 0.007 && velocity < 0.2) << velocity;
  }
  // Past obstacles speeds are higher, and sound comes back from them.
  sixteen.velocity = 0.09;
  sixteen.reynolds = 20;
  for (const auto& [which, bits] : {std::pair(flow_case::free, 18), {flow_case::cylinder, 18}}) {
    sixteen.which = which;
    sixteen.width = 221;
    sixteen.height = 41;
    EXPECT_EQ(completed(sixteen).fraction_bits, bits);
    EXPECT_TRUE(describe(completed(sixteen)).warnings.empty());
  }
  sixteen.which = flow_case::free;
  sixteen.velocity = 0.07;
  EXPECT_EQ(completed(sixteen).fraction_bits, 19);
  sixteen.obstacles.assign(221 * 41, 0);
  for (std::size_t y = 0; y < 25; ++y) sixteen.obstacles[y * 221 + 40] = 1;
  EXPECT_EQ(completed(sixteen).fraction_bits, 18);
  EXPECT_NE(describe(completed(sixteen)).warnings.at(0).find("--velocity of 0.054 at most"),
            std::string::npos);
  EXPECT_TRUE(about.warnings.empty());
  EXPECT_EQ(completed(sized(flow_case::cavity, 128, 128)).reynolds, 100);
  EXPECT_NEAR(describe(completed(sized(flow_case::cavity, 8192, 8192))).viscosity, 0.2, 1e-12);
  given.velocity = 0.4;
  EXPECT_NE(describe(completed(given)).warnings.at(0).find("compressible"), std::string::npos);
}

TEST(lattice_boltzmann_settings, say_at_which_velocity_sixteen_bits_hold_a_flow) {
  const std::string begins = "16 bits hold", before = "take a --velocity of ";
  const auto warning_of = [&](const settings& given) {
    std::vector<std::string> found;
    for (const std::string& one : describe(given).warnings) {
      if (one.rfind(begins, 0) == 0) found.push_back(one);
    }
    EXPECT_LE(found.size(), 1u);
    return found.empty() ? std::string() : found.front();
  };
  // Too fast, past a narrow way and past a plate; too much pressure in the corners of a lid and at the
  // beginning of a long channel; and both.
  struct {
    flow_case which;
    std::size_t width, height, plate;
    double reynolds, velocity;
  } const flows[] = {{flow_case::cavity, 32, 32, 0, 100, 0.3},      {flow_case::free, 60, 40, 38, 20, 0.1},
                     {flow_case::free, 120, 1000, 999, 500, 0.1},   {flow_case::free, 64, 40, 18, 20, 0.25},
                     {flow_case::cylinder, 221, 41, 0, 20, 0.1},    {flow_case::cavity, 128, 128, 0, 10, 0.1},
                     {flow_case::cavity, 500, 500, 0, 0.3, 0.1},    {flow_case::channel, 800, 20, 0, 10, 0.1},
                     {flow_case::channel, 4000, 12, 0, 0.01, 0.22}, {flow_case::cavity, 64, 64, 0, 1, 0.25}};
  for (const auto& [which, width, height, plate, reynolds, velocity] : flows) {
    settings given = sized(which, width, height);
    given.kept = storage::f16;
    given.by = drive::inflow;
    given.reynolds = reynolds;
    given.velocity = velocity;
    if (plate != 0) given.obstacles.assign(width * height, 0);
    for (std::size_t y = 0; y < plate; ++y) given.obstacles[y * width + width / 3] = 1;
    const std::string said = warning_of(given);
    const std::size_t at = said.find(before);
    ASSERT_NE(at, std::string::npos) << name(which) << " " << width << " " << said;
    given.velocity = std::stod(said.substr(at + before.size()));
    EXPECT_GT(given.velocity, 0);
    EXPECT_EQ(warning_of(given), "") << said;
    // What was left off is less than the second digit.
    given.velocity *= 1.1 + 1e-9;
    EXPECT_NE(warning_of(given), "") << said;
  }
}

TEST(lattice_boltzmann_settings, say_what_makes_no_flow) {
  const auto refused = [](auto change) {
    settings given;
    change(given);
    return message_of([&] { completed(given); });
  };
  EXPECT_NE(refused([](settings& s) { s.velocity = 0.6; }).find("speed of sound"), std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.reynolds = -1; }).find("Reynolds number"), std::string::npos);
  for (const double constant : {-0.1, 1.1, std::nan("")})
    EXPECT_NE(refused([&](settings& s) { s.smagorinsky = constant; }).find("Smagorinsky"), std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.width = s.height = 1; }).find("1x1 cells"), std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.obstacles.assign(5, 1); }).find("obstacles of 5 cells"),
            std::string::npos);
  EXPECT_NE(refused([](settings& s) { s.obstacles.assign(128 * 128, 1); }).find("none is fluid"),
            std::string::npos);
  EXPECT_NE(refused([](settings& s) {
              s.which = flow_case::cylinder;
              s.width = 20;
              s.height = 64;
            }).find("no room for the cylinder"),
            std::string::npos);
  // Before any memory is asked for, or any boundary is looked for.
  for (const flow_case which : flow_cases) {
    EXPECT_NE(refused([&](settings& s) {
                s.which = which;
                s.width = s.height = std::size_t{1} << 30;
              }).find("no memory holds"),
              std::string::npos);
  }
  const std::string thin =
      message_of([] { flow(hd::target::serial(), sized(flow_case::cavity, 2, 100'000'000)); });
  EXPECT_NE(thin.find("out of memory"), std::string::npos) << thin;
}
