#include "target/process_limits.hpp"

#include "cpu/threads_of_call.hpp"
#include "target/large_arrays.hpp"
#include "tests/in_a_process.hpp"
#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/array.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace fs = std::filesystem;
namespace hd = heddle;
using hd::memory_limit;
using heddle::tests::in_a_process, heddle::tests::is_sanitized, heddle::tests::message_of;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20, gib = std::size_t{1} << 30;

/// A made-up /proc and /sys.
class machine_files {
 public:
  machine_files(const std::string& cgroup, const std::string& mountinfo) {
    write("/proc/self/cgroup", cgroup);
    write("/proc/self/mountinfo", "22 28 0:21 / /proc rw,nosuid - proc proc rw\n" + mountinfo);
  }
  void write(const std::string& path, const std::string& text) {
    const fs::path file = root() + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  /// The files of a cgroup of v2 with a limit of memory.
  void limit_v2(const std::string& folder, const std::string& most, std::size_t used,
                std::size_t of_files = 0) {
    write(folder + "/memory.max", most + "\n");
    write(folder + "/memory.current", std::to_string(used) + "\n");
    write(folder + "/memory.stat",
          "anon 4096\nfile 8192\ninactive_file " + std::to_string(of_files) + "\nactive_file 0\nslab 17\n");
  }
  void limit_v1(const std::string& folder, std::size_t most, std::size_t used, std::size_t of_files = 0) {
    write(folder + "/memory.limit_in_bytes", std::to_string(most) + "\n");
    write(folder + "/memory.usage_in_bytes", std::to_string(used) + "\n");
    write(folder + "/memory.stat",
          "inactive_file 1\nactive_file 1\ntotal_inactive_file 0\ntotal_active_file " +
              std::to_string(of_files) + "\n");
  }
  std::string root() const { return folder_.path().string(); }

 private:
  hd::tests::scratch_folder folder_;
};

const std::string v2_mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1_mounts =
    "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "32 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "36 31 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
// What v1 has where there is no limit.
constexpr std::size_t no_limit_v1 = 9223372036854771712u;
// What is left for what is no array.
constexpr std::size_t margin = 8 * mib;

void expect_limit(const machine_files& machine, std::size_t bytes, std::size_t free) {
  const auto limit = hd::impl::cgroup_memory_limit(~std::size_t{0}, machine.root());
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->set_by, memory_limit::kind::cgroup);
  EXPECT_EQ(limit->bytes, bytes);
  EXPECT_EQ(limit->free, free);
}

}  // namespace

TEST(cgroup_v2, limits_memory) {
  machine_files machine("0::/user.slice/job.scope\n", v2_mount);
  machine.limit_v2("/sys/fs/cgroup/user.slice/job.scope", std::to_string(4 * gib), gib);
  expect_limit(machine, 4 * gib, 3 * gib - margin);
  // Pages of files are given up for others.
  machine.limit_v2("/sys/fs/cgroup/user.slice/job.scope", std::to_string(4 * gib), 3 * gib, 2 * gib);
  expect_limit(machine, 4 * gib, 3 * gib - margin);
  EXPECT_EQ(hd::impl::cgroup_memory_limit(gib / 2, machine.root())->free, gib - margin);
  // More in use than is allowed, as after the limit was lowered.
  machine.limit_v2("/sys/fs/cgroup/user.slice/job.scope", std::to_string(gib), 2 * gib);
  expect_limit(machine, gib, 0);
}

TEST(cgroup_v2, has_no_limit_by_default) {
  machine_files machine("0::/user.slice/job.scope\n", v2_mount);
  EXPECT_FALSE(hd::impl::cgroup_memory_limit(~std::size_t{0}, machine.root()));
  machine.limit_v2("/sys/fs/cgroup/user.slice/job.scope", "max", gib);
  machine.write("/sys/fs/cgroup/user.slice/job.scope/cpu.max", "max 100000\n");
  EXPECT_FALSE(hd::impl::cgroup_memory_limit(~std::size_t{0}, machine.root()));
  EXPECT_FALSE(hd::impl::cgroup_processors(machine.root()));
}

TEST(cgroup_v2, is_limited_by_those_around_it) {
  machine_files machine("0::/a/b/c\n", v2_mount);
  machine.limit_v2("/sys/fs/cgroup/a", std::to_string(8 * gib), 7 * gib);
  machine.limit_v2("/sys/fs/cgroup/a/b", std::to_string(4 * gib), gib);
  machine.limit_v2("/sys/fs/cgroup/a/b/c", "max", gib / 2);
  expect_limit(machine, 8 * gib, gib - margin);
  machine.limit_v2("/sys/fs/cgroup/a/b", std::to_string(gib), gib / 2);
  expect_limit(machine, gib, gib / 2 - margin);
  machine.write("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  machine.write("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  EXPECT_EQ(hd::impl::cgroup_processors(machine.root()), 3);
}

TEST(cgroup_v2, of_a_container_is_what_is_mounted) {
  // With a namespace of its own.
  machine_files machine("0::/\n", v2_mount);
  machine.limit_v2("/sys/fs/cgroup", std::to_string(2 * gib), gib);
  machine.write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  expect_limit(machine, 2 * gib, gib - margin);
  EXPECT_EQ(hd::impl::cgroup_processors(machine.root()), 1);
  // Outside of the namespace that mounted it.
  machine.write("/proc/self/cgroup", "0::/../../other\n");
  expect_limit(machine, 2 * gib, gib - margin);
  // Without a namespace: the path is the host's, and the mount shows what is below it.
  machine.write("/proc/self/cgroup", "0::/docker/0123/inner\n");
  machine.write("/proc/self/mountinfo", "30 23 0:26 /docker/0123 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  machine.limit_v2("/sys/fs/cgroup/inner", std::to_string(gib), 0);
  expect_limit(machine, gib, gib - margin);
  machine.write("/proc/self/cgroup", "0::/docker/0123\n");
  expect_limit(machine, 2 * gib, gib - margin);
  // And a cgroup that the mount does not show.
  machine.write("/proc/self/cgroup", "0::/docker/01234\n");
  expect_limit(machine, 2 * gib, gib - margin);
}

TEST(cgroup_v1, limits_memory_and_processors) {
  machine_files machine("9:name=systemd:/x\n5:cpu,cpuacct:/jobs/7\n4:memory:/jobs/7\n", v1_mounts);
  const std::string memory = "/sys/fs/cgroup/memory", cpu = "/sys/fs/cgroup/cpu,cpuacct";
  machine.limit_v1(memory, no_limit_v1, 20 * gib);
  machine.limit_v1(memory + "/jobs", no_limit_v1, 5 * gib);
  machine.limit_v1(memory + "/jobs/7", no_limit_v1, gib);
  machine.write(cpu + "/jobs/7/cpu.cfs_quota_us", "-1\n");
  machine.write(cpu + "/jobs/7/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(hd::impl::cgroup_memory_limit(~std::size_t{0}, machine.root()));
  EXPECT_FALSE(hd::impl::cgroup_processors(machine.root()));
  machine.limit_v1(memory + "/jobs", 6 * gib, 5 * gib, 3 * gib);
  expect_limit(machine, 6 * gib, 4 * gib - margin);
  machine.limit_v1(memory + "/jobs/7", 3 * gib, gib);
  expect_limit(machine, 3 * gib, 2 * gib - margin);
  machine.write(cpu + "/jobs/cpu.cfs_quota_us", "120000\n");
  machine.write(cpu + "/jobs/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(hd::impl::cgroup_processors(machine.root()), 2);
}

TEST(cgroup_v1, of_a_container_is_what_is_mounted) {
  machine_files machine("4:memory:/docker/0123\n3:cpu:/docker/0123\n",
                        "36 31 0:33 /docker/0123 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
                        "37 31 0:34 /docker/0123 /sys/fs/cgroup/with\\040space ro - cgroup cgroup rw,cpu\n");
  machine.limit_v1("/sys/fs/cgroup/memory", gib, gib / 4);
  expect_limit(machine, gib, gib / 4 * 3 - margin);
  machine.write("/sys/fs/cgroup/with space/cpu.cfs_quota_us", "200000\n");
  machine.write("/sys/fs/cgroup/with space/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(hd::impl::cgroup_processors(machine.root()), 2);
}

TEST(cgroup_hybrid, has_each_controller_in_one_of_both) {
  machine_files machine("4:memory:/old\n0::/new\n",
                        v1_mounts + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  machine.limit_v1("/sys/fs/cgroup/memory/old", gib, 0);
  machine.write("/sys/fs/cgroup/unified/new/cpu.max", "300000 100000\n");
  expect_limit(machine, gib, gib - margin);
  EXPECT_EQ(hd::impl::cgroup_processors(machine.root()), 3);
}

TEST(cgroups, that_cannot_be_read_limit_nothing) {
  const hd::tests::scratch_folder nothing;
  EXPECT_FALSE(hd::impl::cgroup_memory_limit(0, nothing.path().string()));
  EXPECT_FALSE(hd::impl::cgroup_processors(nothing.path().string()));
  for (const char* of : {"", "\n", "0::\n", "memory\n", "4:memory\n", "0::/a\n:::\n"}) {
    machine_files machine(of, v2_mount + "30 23 0:26 - cgroup2\n - \n30 - cgroup2 x y\n");
    machine.limit_v2("/sys/fs/cgroup/a", "no number", 0);
    machine.write("/sys/fs/cgroup/a/cpu.max", "");
    EXPECT_FALSE(hd::impl::cgroup_memory_limit(~std::size_t{0}, machine.root())) << of;
    EXPECT_FALSE(hd::impl::cgroup_processors(machine.root())) << of;
  }
}

TEST(memory_limit, says_what_set_it) {
  using kind = memory_limit::kind;
  EXPECT_EQ((memory_limit{kind::machine, 8 * gib, 8 * gib}).text(), "the machine has 8.0 GiB");
  EXPECT_EQ((memory_limit{kind::cgroup, 4 * gib, 3 * gib}).text(),
            "the cgroup of this process allows 4.0 GiB, of which 3.0 GiB are free");
  EXPECT_EQ((memory_limit{kind::addresses, gib, mib}).text(),
            "the limit of addresses of this process (ulimit -v) allows 1.0 GiB, of which 1.0 MiB are free");
  EXPECT_EQ((memory_limit{kind::data, gib, mib}).text(),
            "the limit of data of this process (ulimit -d) allows 1.0 GiB, of which 1.0 MiB are free");
}

TEST(resource_limits, refuse_an_array_before_it_is_made) {
  if (is_sanitized) GTEST_SKIP() << "a sanitized process needs all addresses";
  for (const bool of_data : {false, true}) {
    const std::string text = in_a_process([&] {
      const rlimit most{2 * gib, 2 * gib};
      if (setrlimit(of_data ? RLIMIT_DATA : RLIMIT_AS, &most) != 0) return std::string("no limit is set");
      const hd::array<char> fits(gib);
      return message_of([] { hd::array<char> more(gib); });
    });
    EXPECT_TRUE(
        text.starts_with("array: 1073741824 int8 on serial: out of memory (needs 1.0 GiB; the limit of "))
        << text;
    EXPECT_NE(
        text.find(of_data ? "data of this process (ulimit -d)" : "addresses of this process (ulimit -v)"),
        text.npos)
        << text;
  }
}

TEST(memory_limit, is_in_the_text_of_a_failed_allocation) {
  const std::string text = hd::out_of_memory_text(std::size_t{1} << 60);
  EXPECT_TRUE(text.starts_with("out of memory (needs 1073741824.0 GiB; ")) << text;
}

TEST(resource_limits, leave_room_for_threads) {
  if (is_sanitized) GTEST_SKIP() << "a sanitized process needs all addresses";
  const std::size_t stack = 4 * mib;
  EXPECT_GT(hd::impl::threads_with_room(0, stack), 1000u);
  const std::string text = in_a_process([&] {
    const rlimit most{8 * gib, 8 * gib};
    if (setrlimit(RLIMIT_AS, &most) != 0) return std::string("no limit is set");
    const std::size_t few = hd::impl::threads_with_room(0, stack);
    return std::string(few > 5 && few < 20 && hd::impl::threads_with_room(20, stack) == 0 ? "few"
                                                                                          : "not few");
  });
  EXPECT_EQ(text, "few");
}

TEST(resource_limits, leave_a_call_the_threads_that_there_are) {
  if (is_sanitized) GTEST_SKIP() << "a sanitized process needs all addresses";
  const std::string text = in_a_process([] {
    alarm(60);  // ends a call that asks for a thread again and again
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    // Room for less than a stack.
    const rlim_t used = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + hd::cpu::stack_bytes / 2;
    const rlimit most{used, used};
    if (setrlimit(RLIMIT_AS, &most) != 0) return std::string("no limit is set");
    std::vector<int> calls(100);
    std::atomic<int> elsewhere = 0;
    const std::thread::id here = std::this_thread::get_id();
    hd::cpu::share_out_to_new_threads(8, calls.size(), hd::cpu::threads_start::at_once,
                                      [&](std::size_t slice) {
                                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                        if (std::this_thread::get_id() != here) ++elsewhere;
                                        ++calls[slice];
                                      });
    return std::string(calls == std::vector<int>(100, 1) && elsewhere == 0 ? "one" : "not one");
  });
  EXPECT_EQ(text, "one");
}

TEST(large_arrays, hold_memory_once_they_are_used) {
  using hd::impl::bytes_of_large_arrays;
  using hd::impl::untouched_bytes_of_large_arrays;
  const std::size_t before = bytes_of_large_arrays(), untouched = untouched_bytes_of_large_arrays();
  {
    const hd::memory unused(64 * mib, hd::target::serial()), small(mib, hd::target::serial());
    EXPECT_EQ(bytes_of_large_arrays(), before + 64 * mib);
    EXPECT_GE(untouched_bytes_of_large_arrays(), untouched + 60 * mib);
    std::memset(unused.data(), 1, 40 * mib);
    EXPECT_LE(untouched_bytes_of_large_arrays(), untouched + 24 * mib);
    EXPECT_GE(untouched_bytes_of_large_arrays(), untouched + 16 * mib);
  }
  EXPECT_EQ(bytes_of_large_arrays(), before);
  hd::memory freed(64 * mib, hd::target::serial());
  freed.free_on(hd::target::parallel(2));
  EXPECT_EQ(freed.data(), nullptr);
  EXPECT_EQ(bytes_of_large_arrays(), before);
}
