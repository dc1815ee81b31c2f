#include "target/shared_library.hpp"
#include "tests/in_a_process.hpp"
#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/array.hpp>
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/support/cuda_folders.hpp>
#include <heddle/target.hpp>
#include <heddle/transform.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace fs = std::filesystem;
namespace hd = heddle;
using hd::target;
using heddle::tests::message_of;
using json = nlohmann::json;

TEST(target, is_serial_unless_told_otherwise) {
  EXPECT_EQ(target(), target::serial());
  EXPECT_EQ(target().threads(), 1);
  EXPECT_EQ(target().kind(), target::kind::serial);
  EXPECT_FALSE(target().is_gpu());
  EXPECT_FALSE(target().is_automatic());
  target().wait();
}

TEST(target, parallel_has_as_many_threads_as_asked_for_or_one_for_each_core) {
  EXPECT_EQ(target::parallel(5).threads(), 5);
  EXPECT_EQ(target::parallel().threads(), hd::available_cores());
  EXPECT_EQ(target::parallel(0), target::parallel());
  EXPECT_GE(hd::available_cores(), 1);
  EXPECT_NE(target::parallel(1), target::serial());
  EXPECT_EQ(target::parallel(1).threads(), 1);
  EXPECT_EQ(message_of([] { (void)target::parallel(-2); }),
            "target: parallel needs at least 1 thread, not -2");
}

TEST(target, parallel_refuses_more_threads_than_are_of_use) {
  const int most = std::max(256, 16 * hd::available_cores());
  EXPECT_EQ(target::parallel(most).threads(), most);
  EXPECT_NE(message_of([&] { (void)target::parallel(most + 1); }).find("threads"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)target::parse("parallel:1000000"); }), "no error");
}

TEST(target, names_a_device_and_a_stream) {
  const target where = target::gpu(3);
  EXPECT_TRUE(where.is_gpu());
  EXPECT_EQ(where.device(), 3);
  EXPECT_EQ(where.stream(), nullptr);
  EXPECT_EQ(where.text(), "gpu:3");
  int place = 0;
  const auto stream = reinterpret_cast<hd::gpu_stream>(&place);
  EXPECT_NE(target::gpu(0, stream), target::gpu(0));
  EXPECT_EQ(target::gpu(0, stream).stream(), stream);
  EXPECT_EQ(message_of([] { (void)target::gpu(-1); }), "target: there is no GPU -1");
}

TEST(target, reads_back_what_it_prints) {
  for (const target& where : {target::serial(), target::parallel(1), target::parallel(2),
                              target::parallel(200), target::automatic(), target::parallel()}) {
    EXPECT_EQ(target::parse(where.text()), where) << where.text();
  }
  EXPECT_EQ(target::serial().text(), "serial");
  EXPECT_EQ(target::parallel(8).text(), "parallel:8");
  EXPECT_EQ(target::automatic().text(), "auto");
  EXPECT_EQ(target::parse("parallel"), target::parallel());
}

TEST(target, refuses_what_it_does_not_know) {
  for (const char* text : {"", "cpu", "Serial", " serial", "serial ", "serial:", "serial:1",
                           "auto:", "auto:1", "GPU", "gpus", "parallel4", "automatic", ":", ":3"}) {
    EXPECT_EQ(message_of([&] { (void)target::parse(text); }),
              "target \"" + std::string(text) + "\": use serial, parallel, parallel:N, gpu, gpu:ID or auto");
  }
  for (const char* digits :
       {"", "0", "-1", "x", "4x", " 4", "4 ", "+4", "4.0", "0x4", "99999999999999999999", "2:2"}) {
    EXPECT_EQ(message_of([&] { (void)target::parse("parallel:" + std::string(digits)); }),
              "target \"parallel:" + std::string(digits) + "\": \"" + digits +
                  "\" is no number from 1 to 2147483647");
  }
  for (const char* digits : {"", "-1", "x", "0x", " 0", "0 ", "99999999999"}) {
    EXPECT_EQ(
        message_of([&] { (void)target::parse("gpu:" + std::string(digits)); }),
        "target \"gpu:" + std::string(digits) + "\": \"" + digits + "\" is no number from 0 to 2147483647");
  }
}

TEST(target, lists_what_the_machine_has) {
  const std::vector<target> all = target::available();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[0], target::serial());
  EXPECT_EQ(all[1], target::parallel());
  ASSERT_EQ(all.size(), 2 + hd::gpus().size());
  for (std::size_t i = 2; i < all.size(); ++i) EXPECT_EQ(all[i], target::gpu(static_cast<int>(i - 2)));
  EXPECT_EQ(target::best(), hd::gpus().empty() ? target::parallel() : target::gpu(0));
}

TEST(target, on_a_machine_without_a_gpu_says_so) {
  if (!hd::gpus().empty()) GTEST_SKIP() << "this machine has a GPU";
  const std::string reason =
      !hd::cuda_toolkit_version().empty()
          ? "gpu:0: this machine has no GPU that CUDA can use; run on serial or parallel"
          : "this build of Heddle has no GPU support: build it with the CUDA toolkit and HEDDLE_CUDA=ON";
  EXPECT_EQ(message_of([] { (void)target::parse("gpu"); }), reason);
  EXPECT_EQ(message_of([] { (void)target::parse("gpu:0"); }), reason);
  EXPECT_EQ(message_of([] { hd::array<float> x(5, target::gpu()); }), "array: 5 float32 on gpu:0: " + reason);
  const std::vector<float> x{1, 2, 3};
  EXPECT_EQ(message_of([&] { (void)hd::reduce(target::gpu(), x); }), "reduce: 3 float32 on gpu:0: " + reason);
  EXPECT_EQ(message_of([&] { (void)hd::inclusive_scan(target::gpu(), x); }),
            "inclusive_scan: 3 float32 on gpu:0: in array of 3 float32: " + reason);
  EXPECT_EQ(message_of([&] { (void)hd::transform(target::gpu(), x, x, hd::plus{}); }),
            "transform: 3 float32 on gpu:0: in array of 3 float32: " + reason);
}

TEST(target, that_is_a_gpu_gives_no_elements_to_code_on_the_cpu) {
  const hd::array<int> x(hd::shape{0}, target::gpu());
  const std::string where = ": the elements are on gpu:0; copy them with on(target::serial()) first";
  EXPECT_EQ(message_of([&] { (void)x.span(); }), "span" + where);
  EXPECT_EQ(message_of([&] { (void)x.begin(); }), "begin" + where);
}

TEST(target_Gpu, is_read_from_text) {
  const std::size_t count = hd::gpus().size();
  if (count == 0) GTEST_SKIP() << "this machine has no GPU";
  EXPECT_EQ(target::parse("gpu"), target::gpu(0));
  for (std::size_t device = 0; device < count; ++device) {
    const target where = target::gpu(static_cast<int>(device));
    EXPECT_EQ(target::parse(where.text()), where);
    EXPECT_EQ(hd::gpus()[device].device, static_cast<int>(device));
    EXPECT_GT(hd::gpus()[device].memory_bytes, 0u);
  }
  EXPECT_EQ(message_of([] { (void)target::parse("gpu:1000"); }),
            "gpu:1000: this machine has GPUs 0 to " + std::to_string(count - 1));
}

TEST(automatic, leaves_small_arrays_where_they_are) {
  // No bandwidth is asked for, so nothing is measured.
  const hd::array<float> x(std::vector<float>{1, 2, 3});
  EXPECT_EQ(hd::inclusive_scan(target::automatic(), x).where(), target::serial());
  EXPECT_EQ(hd::transform(target::automatic(), x, x, hd::plus{}).where(), target::serial());
  EXPECT_EQ(hd::reduce(target::automatic(), x), 6.0f);
  for (const std::size_t bytes : {0, 1, 1000, 1 << 18}) {
    EXPECT_EQ(hd::resolve(target::automatic(), {bytes, 0, target::serial(), true}), target::serial());
    EXPECT_EQ(hd::resolve(target::automatic(), {bytes, 0, target::parallel(3), true}), target::serial());
  }
}

TEST(automatic, leaves_a_named_target_alone) {
  for (const target& where : {target::serial(), target::parallel(3), target::gpu(2)}) {
    EXPECT_EQ(hd::resolve(where, {std::size_t{1} << 40, 0, target::serial(), true}), where);
    EXPECT_EQ(hd::resolve(where, {0, 0, target::serial(), true}), where);
  }
}

TEST(automatic, refuses_data_on_a_gpu_that_is_not_there) {
  const target absent = target::gpu(1000);
  const std::string reason = message_of([&] {
                               hd::array<float> x(5, absent);
                             }).substr(std::string("array: 5 float32 on gpu:1000: ").size());
  EXPECT_TRUE(reason.starts_with("gpu:1000: this machine has") || reason.starts_with("this build of Heddle"))
      << reason;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 30}) {
    for (const bool gpu_possible : {false, true}) {
      EXPECT_EQ(message_of([&] { (void)hd::resolve(target::automatic(), {bytes, 0, absent, gpu_possible}); }),
                reason);
    }
  }
}

TEST(automatic_Gpu, leaves_small_arrays_where_they_are) {
  if (hd::gpus().empty()) GTEST_SKIP() << "this machine has no GPU";
  const hd::array<float> on_cpu(std::vector<float>{1, 2, 3}), on_gpu = on_cpu.on(target::gpu());
  EXPECT_EQ(hd::inclusive_scan(target::automatic(), on_cpu).where(), target::serial());
  EXPECT_EQ(hd::inclusive_scan(target::automatic(), on_gpu).where(), target::gpu());
  EXPECT_EQ(hd::reduce(target::automatic(), on_gpu), 6.0f);
}

namespace {

/// What a process that has measured nothing yet finds out: this program, run with "bandwidths".
struct bandwidths_of_a_process {
  double one_core_read = 0, all_cores_read = 0;
  std::size_t gpus = 0;
  std::string chosen;  ///< what `automatic` takes for the sum of a gigabyte on the CPU
};

void print_bandwidths() {
  const hd::bandwidths& found = hd::measured_bandwidths();
  const target chosen = hd::resolve(target::automatic(), {std::size_t{1} << 30, 0, target::serial(), true});
  std::printf("%.17g %.17g %zu %s\n", found.one_core_read, found.all_cores_read, found.gpus.size(),
              chosen.text().c_str());
}

/// The rates of copies on serial and on parallel:2.
void print_copies() {
  std::printf("%.17g %.17g\n", hd::measured_copy_bandwidth(target::serial()),
              hd::measured_copy_bandwidth(target::parallel(2)));
}

std::string line_of_process(const std::string& environment, const std::string& what) {
  const std::string command =
      "env " + environment + " '" + fs::read_symlink("/proc/self/exe").string() + "' " + what;
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("cannot run " + command);
  char text[1000] = {};
  const bool is_read = std::fgets(text, sizeof text, output) != nullptr;
  if (const int status = pclose(output); !is_read || status != 0) {
    throw std::runtime_error(command + " ended with " + std::to_string(status));
  }
  return text;
}

bandwidths_of_a_process run_a_process(const std::string& environment) {
  bandwidths_of_a_process found;
  std::istringstream(line_of_process(environment, "bandwidths")) >> found.one_core_read >>
      found.all_cores_read >> found.gpus >> found.chosen;
  return found;
}

/// No machine reads less than a megabyte or more than a petabyte a second.
bool is_measured(const bandwidths_of_a_process& found) {
  return found.one_core_read > 1e6 && found.one_core_read < 1e15 && found.all_cores_read > 1e6 &&
         found.all_cores_read < 1e15 && found.gpus == hd::gpus().size();
}

class bandwidths_cache : public testing::Test {
 protected:
  fs::path file() const { return folder / "heddle" / "bandwidths.json"; }
  json kept() const {
    std::ifstream in(file());
    return json::parse(in, nullptr, false);
  }
  void keep(const std::string& text) const { std::ofstream(file()) << text; }
  bandwidths_of_a_process run() const { return run_a_process("XDG_CACHE_HOME='" + folder.string() + "'"); }

 private:
  heddle::tests::scratch_folder scratch;

 protected:
  const fs::path folder = scratch.path();
};

}  // namespace

TEST_F(bandwidths_cache, keeps_what_was_measured_and_is_believed) {
  const bandwidths_of_a_process first = run();
  EXPECT_TRUE(is_measured(first));
  json made_up = kept();
  ASSERT_TRUE(made_up.is_object()) << file();
  EXPECT_EQ(made_up.at("one_core_read"), first.one_core_read);
  EXPECT_EQ(made_up.at("all_cores_read"), first.all_cores_read);
  EXPECT_EQ(made_up.at("gpus").size(), first.gpus);
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), {}), 1)
      << "one file and nothing beside it";

  made_up["one_core_read"] = 1e9;
  made_up["all_cores_read"] = 123e9;
  for (json& gpu : made_up["gpus"]) gpu["to_gpu"] = gpu["from_gpu"] = 1e3;
  keep(made_up.dump());
  const bandwidths_of_a_process many_cores = run();
  EXPECT_EQ(many_cores.one_core_read, 1e9);
  EXPECT_EQ(many_cores.all_cores_read, 123e9);
  EXPECT_EQ(many_cores.chosen, target::parallel().text());

  made_up["one_core_read"] = 124e9;
  keep(made_up.dump());
  EXPECT_EQ(run().chosen, "serial");

  // Without XDG_CACHE_HOME, or with one that is not absolute, the folder is ~/.cache.
  fs::create_directories(folder / "home");
  fs::create_directory_symlink(folder, folder / "home" / ".cache");
  const std::string home = "HOME='" + (folder / "home").string() + "'";
  EXPECT_EQ(run_a_process("-u XDG_CACHE_HOME " + home).one_core_read, 124e9);
  EXPECT_EQ(run_a_process("XDG_CACHE_HOME=not/absolute " + home).one_core_read, 124e9);
}

TEST_F(bandwidths_cache, of_no_use_is_measured_again) {
  run();
  const json measured = kept();
  ASSERT_TRUE(measured.is_object()) << file();
  json other_machine = measured, no_name = measured, missing = measured, negative = measured,
       more_gpus = measured;
  for (json* x : {&other_machine, &no_name, &missing, &negative, &more_gpus}) (*x)["one_core_read"] = 1e14;
  other_machine["machine"] = "heddle 0; another; 1 cores";
  no_name["machine"] = 5;
  missing.erase("all_cores_read");
  negative["all_cores_read"] = -1e9;
  more_gpus["gpus"].push_back({{"read", 1e12}, {"to_gpu", 1e10}, {"from_gpu", 1e10}});
  for (const std::string& text :
       {std::string("{\"machine\": \"hed"), std::string("\xff\0[", 3), other_machine.dump(), no_name.dump(),
        missing.dump(), negative.dump(), more_gpus.dump()}) {
    keep(text);
    bandwidths_of_a_process found;
    ASSERT_NO_THROW(found = run()) << text;
    EXPECT_TRUE(is_measured(found)) << text;
    EXPECT_NE(found.one_core_read, 1e14) << text;
    const json now = kept();
    ASSERT_TRUE(now.is_object()) << text;
    EXPECT_EQ(now.at("machine"), measured.at("machine")) << text;
    EXPECT_EQ(now.at("one_core_read"), found.one_core_read) << text;
  }
}

TEST_F(bandwidths_cache, that_cannot_be_written_costs_a_measurement) {
  EXPECT_TRUE(is_measured(run_a_process("XDG_CACHE_HOME=/proc/heddle")));
  EXPECT_TRUE(is_measured(run_a_process("-u XDG_CACHE_HOME -u HOME")));
  std::ofstream(folder / "heddle") << "a file where the folder should be";
  EXPECT_TRUE(is_measured(run()));
}

TEST_F(bandwidths_cache, keeps_no_guess) {
  if (hd::tests::is_sanitized) GTEST_SKIP() << "a sanitized process needs all addresses";
  // Less than the array that is read.
  const auto found = run_a_process("XDG_CACHE_HOME='" + folder.string() + "' prlimit --as=250000000");
  EXPECT_EQ(found.one_core_read, 1e10);
  EXPECT_EQ(found.all_cores_read, 1e10);
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(bandwidths_cache, keeps_the_rate_of_copies_on_each_target) {
  const std::string here = "XDG_CACHE_HOME='" + folder.string() + "'";
  const auto copies = [&](const std::string& environment) {
    std::pair<double, double> found;
    std::istringstream(line_of_process(environment, "copies")) >> found.first >> found.second;
    return found;
  };
  const auto is_possible = [](double rate) { return rate > 1e6 && rate < 1e15; };
  const fs::path kept_in = folder / "heddle" / "copy-bandwidths.json";
  const auto write = [&](const json& what) { std::ofstream(kept_in) << what.dump(); };
  const auto [serial, parallel] = copies(here);
  EXPECT_TRUE(is_possible(serial) && is_possible(parallel)) << serial << " " << parallel;
  EXPECT_EQ(std::distance(fs::directory_iterator(kept_in.parent_path()), {}), 1)
      << "one file and nothing beside it";
  json now;
  std::ifstream(kept_in) >> now;
  EXPECT_EQ(now.at("copies"), (json{{"serial", serial}, {"parallel:2", parallel}}));
  EXPECT_EQ(copies(here), std::pair(serial, parallel));

  // A target that is not there is measured, and the others stay.
  now["copies"] = {{"parallel:2", 123e9}, {"gpu:7", 5e12}};
  write(now);
  const double again = copies(here).first;
  EXPECT_TRUE(is_possible(again)) << again;
  std::ifstream(kept_in) >> now;
  EXPECT_EQ(now.at("copies"), (json{{"serial", again}, {"parallel:2", 123e9}, {"gpu:7", 5e12}}));

  json other_machine = now, no_rates = now, negative = now, text = now;
  other_machine["machine"] = "heddle 0; another; 1 cores";
  no_rates["copies"] = 5;
  negative["copies"] = {{"serial", -1e9}, {"parallel:2", 0}};
  text["copies"] = {{"serial", "fast"}, {"parallel:2", nullptr}};
  for (const json& bad : {other_machine, no_rates, negative, text, json(5), json::array()}) {
    write(bad);
    const auto [first, second] = copies(here);
    EXPECT_TRUE(is_possible(first) && is_possible(second) && second != 123e9) << bad;
  }
  std::ofstream(kept_in) << "{\"machine\": \"hed";
  EXPECT_TRUE(is_possible(copies(here).first));
  EXPECT_TRUE(is_possible(copies("XDG_CACHE_HOME=/proc/heddle").first));
  EXPECT_THROW(hd::measured_copy_bandwidth(target::automatic()), hd::error);
}

TEST(shared_library, names_what_is_missing_and_the_remedy) {
  using hd::impl::shared_library;
  const std::string message =
      message_of([] { shared_library({"libthat_is_not_here.so.1", "libnor_this.so"}, "install it"); });
  EXPECT_TRUE(message.starts_with("libthat_is_not_here.so.1: ") && message.ends_with(": install it"))
      << message;
  const shared_library mathematics({"libthat_is_not_here.so.1", "libm.so.6"}, "");
  EXPECT_EQ(mathematics.function<double(double)>("sqrt")(9), 3);
  EXPECT_EQ(mathematics.optional_function<void()>("no_function"), nullptr);
  EXPECT_EQ(message_of([&] { mathematics.function<void()>("no_function"); }),
            "libm.so.6 has no function no_function");
}

TEST(shared_library, of_cuda_is_looked_for_in_toolkits) {
  const char* const before = std::getenv("CUDA_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("CUDA_HOME", "/opt/of the variable", 1);
  hd::add_cuda_folder("/opt/added");
  const std::vector<std::string> files = hd::impl::cuda_files({"libone.so", "libtwo.so"});
  if (before == nullptr) {
    unsetenv("CUDA_HOME");
  } else {
    setenv("CUDA_HOME", kept.c_str(), 1);
  }
  const auto place = [&](const std::string& file) {
    return std::find(files.begin(), files.end(), file) - files.begin();
  };
  const auto all = static_cast<std::ptrdiff_t>(files.size());
  EXPECT_EQ(place("libone.so"), 0);
  EXPECT_EQ(place("libtwo.so"), 1);
  EXPECT_EQ(place("/opt/of the variable/lib64/libone.so"), 2);
  EXPECT_LT(place("/opt/added/lib/libtwo.so"), place("/usr/local/cuda/lib64/libone.so"));
  EXPECT_LT(place("/usr/local/cuda/lib64/libone.so"), all);
  const std::string message = message_of([] { hd::impl::cuda_library("that_is_not_here", 7, "install it"); });
  EXPECT_TRUE(message.starts_with("libthat_is_not_here.so.7: ") && message.ends_with(": install it"))
      << message;
}

int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "copies") {
    print_copies();
    return 0;
  }
  if (count == 2 && std::string(arguments[1]) == "bandwidths") {
    print_bandwidths();
    return 0;
  }
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
