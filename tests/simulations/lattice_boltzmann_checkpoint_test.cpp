#include "flows.hpp"
#include "tests/scratch_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace hd = heddle;
using namespace heddle::lbm;
using namespace heddle::tests;

namespace {

std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_P(lattice_boltzmann, goes_on_from_a_checkpoint_bit_for_bit) {
  const scratch_folder folder;
  const std::string file = folder / "flow.checkpoint";
  for (const storage kept : storages) {
    for (const flow_case which : flow_cases) {
      settings given = sized(which, 90, 33);
      given.kept = kept;
      if (which == flow_case::free) given.obstacles = random_obstacles(90, 33, 0.03, 4);
      flow whole(where, given), half(where, given);
      const std::uint64_t later = seeks_races ? 6 : 33;
      whole.advance(31 + later);
      half.advance(31);
      half.save(file);
      flow resumed = flow::resume(where, file);
      EXPECT_EQ(resumed.steps(), 31u);
      EXPECT_EQ(resumed.given(), whole.given());
      resumed.advance(later);
      ASSERT_EQ(difference(rows_of(resumed), rows_of(whole)), 0) << name(which) << " " << name(kept);
    }
  }
}

TEST_P(lattice_boltzmann, forces_of_the_last_step_are_kept) {
  const scratch_folder folder;
  const std::string file = folder / "flow.checkpoint";
  for (const flow_case which : {flow_case::channel, flow_case::taylor_green, flow_case::free}) {
    settings given = sized(which, 40, 20);
    // Fluid reaches the first two of these across the edges of the grid.
    given.obstacles.assign(800, 0);
    for (const std::size_t cell : {5 * 40 + 0, 12 * 40 + 39, 20, 19 * 40 + 25, 9 * 40 + 9})
      given.obstacles[cell] = 1;
    flow tested(where, given);
    EXPECT_EQ(tested.on_obstacles().drag, 0) << name(which);
    EXPECT_EQ(tested.on_obstacles().lift, 0) << name(which);
    tested.advance(7);
    const flow::coefficients last = tested.on_obstacles();
    EXPECT_NE(last.drag, 0) << name(which);
    tested.save(file);
    flow resumed = flow::resume(where, file);
    EXPECT_EQ(resumed.on_obstacles().drag, last.drag) << name(which);
    EXPECT_EQ(resumed.on_obstacles().lift, last.lift) << name(which);
    given.obstacles[9 * 40 + 9] = 0;
    given.obstacles[9 * 40 + 19] = 1;
    for (flow* const of : {&tested, &resumed}) of->set_obstacles(given.obstacles);
    EXPECT_EQ(resumed.on_obstacles().drag, tested.on_obstacles().drag) << name(which);
    for (flow* const of : {&tested, &resumed}) of->advance(1);
    EXPECT_EQ(resumed.on_obstacles().drag, tested.on_obstacles().drag) << name(which);
    EXPECT_NE(resumed.on_obstacles().drag, last.drag) << name(which);
  }
}

TEST_P(lattice_boltzmann, goes_on_comparing_velocities_from_a_checkpoint) {
  const scratch_folder folder;
  const std::string file = folder / "flow.checkpoint";
  for (const storage kept : storages) {
    settings given = sized(flow_case::cavity, 40, 30);
    given.kept = kept;
    flow whole(where, given);
    whole.save(file);
    EXPECT_EQ(flow::resume(where, file).compared(), std::nullopt);
    whole.advance(20);
    EXPECT_EQ(whole.change(), std::nullopt);
    whole.advance(7);
    whole.save(file);
    flow resumed = flow::resume(where, file);
    EXPECT_EQ(resumed.compared(), 20u);
    for (flow* const of : {&whole, &resumed}) of->advance(13);
    const std::optional<double> change = whole.change();
    ASSERT_TRUE(change.has_value());
    EXPECT_GT(*change, 0);
    EXPECT_EQ(resumed.change(), change) << name(kept);
  }
}

TEST_P(lattice_boltzmann, keeps_velocities_while_they_can_be_compared_with) {
  const scratch_folder folder;
  const std::string file = folder / "flow.checkpoint";
  for (const storage kept : storages) {
    settings given = sized(flow_case::cavity, 30, 40);
    given.kept = kept;
    given.velocity = 0.2;
    const std::size_t cells = 1200, velocity = kept == storage::f64 ? 16 : 8,
                      populations = 9 * bytes_of(kept);
    flow tested(where, given);
    ASSERT_EQ(tested.steps_between_comparisons(), 150u);
    const std::size_t bytes = tested.about().bytes;
    tested.advance(20);
    for (int call = 0; call < 2; ++call) {
      tested.change();
      EXPECT_EQ(tested.about().bytes, bytes + cells * velocity);
    }
    const auto saved_bytes_a_cell = [&] {
      tested.save(file);
      return (std::filesystem::file_size(file) - 8) / cells;
    };
    tested.advance(150);
    EXPECT_EQ(saved_bytes_a_cell(), populations + velocity) << name(kept);
    {
      const flow resumed = flow::resume(where, file);
      EXPECT_EQ(resumed.compared(), 20u);
      EXPECT_EQ(resumed.about().bytes, tested.about().bytes);
    }
    tested.advance(1);
    EXPECT_EQ(saved_bytes_a_cell(), populations) << name(kept);
    const flow resumed = flow::resume(where, file);
    EXPECT_EQ(resumed.compared(), std::nullopt);
    EXPECT_EQ(resumed.about().bytes, bytes);
  }
}

TEST(lattice_boltzmann_checkpoint, says_what_is_no_checkpoint) {
  const scratch_folder folder;
  const std::string file = folder / "flow.checkpoint";
  const auto resume = [&] { return message_of([&] { flow::resume(hd::target::serial(), file); }); };
  EXPECT_NE(resume().find("cannot open"), std::string::npos);
  std::ofstream(file) << "something else\n";
  EXPECT_NE(resume().find("line 1 does not begin with"), std::string::npos);
  flow small(hd::target::serial(), sized(flow_case::cavity, 9, 8));
  small.save(file);
  const std::string bytes = contents_of(file);
  const auto written = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
    return resume();
  };
  EXPECT_EQ(written(bytes), "no error");
  EXPECT_NE(written(bytes.substr(0, bytes.size() - 9)).find("not a whole checkpoint"), std::string::npos);
  std::string damaged = bytes;
  damaged[damaged.size() - 100] ^= 1;
  EXPECT_NE(written(damaged).find("damaged"), std::string::npos);
  std::string renamed = bytes;
  renamed.replace(renamed.find("cavity"), 6, "cabity");
  EXPECT_NE(written(renamed).find("has no value that is known"), std::string::npos);
  for (const std::string version : {"3", "40", "04", "4 "}) {
    std::string other = bytes;
    other.replace(other.find("checkpoint 4"), 12, "checkpoint " + version);
    EXPECT_NE(written(other).find("a checkpoint of lbm of version " + version + ", "), std::string::npos);
  }
  const auto with = [&](const std::string& name, const std::string& value) {
    std::string other = bytes;
    const std::size_t begin = other.find("\n" + name + " ") + name.size() + 2;
    other.replace(begin, other.find('\n', begin) - begin, value);
    return written(other);
  };
  EXPECT_NE(with("velocity", "0.6").find(file + ": lbm: a velocity of 0.6"), std::string::npos);
  EXPECT_NE(with("fraction_bits", "5").find("its settings are not whole"), std::string::npos);
  EXPECT_NE(with("fraction_bits", "31").find("fraction_bits"), std::string::npos);
  std::string endless = bytes;
  endless.replace(endless.find("force_y 0"), 9, "force_y inf");
  EXPECT_NE(written(endless).find("the force on obstacles is not finite"), std::string::npos)
      << written(endless);
  small.advance(3);
  small.change();
  small.save(file);
  std::string later = contents_of(file);
  EXPECT_EQ(written(later), "no error");
  later.replace(later.find("compared 3"), 10, "compared 4");
  EXPECT_NE(written(later).find("compared 4 is after its 3 steps"), std::string::npos) << written(later);
}
