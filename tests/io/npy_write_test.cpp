#include "files.hpp"
#include "tests/on_targets.hpp"
#include <heddle/array.hpp>
#include <heddle/array_view.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/support/atomic_file.hpp>

#include <bit>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// Writing .npy files. npy_test.cpp reads them, and npy_malformed_test.cpp malformed ones.

namespace hd = heddle;
using heddle::tests::files;
using heddle::tests::message_of;
using namespace std::string_literals;

// ---- Pipes.

using npy_pipe = files;

TEST_F(npy_pipe, is_read_to_its_end_and_written_directly) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<double> values(400'000);
  std::iota(values.begin(), values.end(), 0.25);
  std::thread writer([&] { hd::write_npy(pipe, values); });
  const hd::array<double> read = hd::read_npy<double>(pipe);
  writer.join();
  EXPECT_EQ(read.to_vector(), values);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(files_in_folder(), 1u);
}

// ---- Writing.

using npy_write = files;

TEST_F(npy_write, has_the_bytes_that_numpy_writes) {
  if (std::endian::native != std::endian::little) GTEST_SKIP();
  const std::vector<double> values = {1, 2};
  hd::write_npy(path("out.npy"), values);
  const std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(load(path("out.npy")), "\x93NUMPY\x01\x00\x76\x00"s + dictionary +
                                       std::string(117 - dictionary.size(), ' ') + "\n" +
                                       std::string(reinterpret_cast<const char*>(values.data()), 16));
}

TEST_F(npy_write, takes_every_array_like_and_every_shape) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  hd::write_npy(path("span.npy"), std::span<const float>(values));
  EXPECT_EQ(hd::read_npy<float>(path("span.npy")).to_vector(), values);
  hd::write_npy(path("array.npy"), hd::array<float>(values).reshaped({3, 2}));
  EXPECT_EQ(hd::read_npy<float>(path("array.npy")).shape(), (hd::shape{3, 2}));
  hd::write_npy(path("one.npy"), hd::array_view<const float>(values.data(), hd::shape{}));
  EXPECT_EQ(hd::read_npy<float>(path("one.npy")).shape(), hd::shape());
  hd::write_npy(path("none.npy"), hd::array<float>(hd::shape{4, 0}));
  EXPECT_EQ(hd::read_npy<float>(path("none.npy")).shape(), (hd::shape{4, 0}));
}

TEST_F(npy_write, uses_version_2_when_the_header_is_too_long_for_version_1) {
  const std::int32_t value = 7;
  const hd::shape lengths(std::vector<std::size_t>(30'000, 1));
  hd::write_npy(path("out.npy"), hd::array_view<const std::int32_t>(&value, lengths));
  const std::string bytes = load(path("out.npy"));
  EXPECT_EQ(bytes.substr(6, 2), "\x02\x00"s);
  EXPECT_EQ((bytes.size() - 4) % 64, 0u);
  const hd::array<std::int32_t> back = hd::read_npy<std::int32_t>(path("out.npy"));
  EXPECT_EQ(back.shape(), lengths);
  EXPECT_EQ(back.data()[0], 7);
}

TEST_F(npy_write, replaces_a_file_and_keeps_its_permissions_and_its_links) {
  const std::string path = save("what was there");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  std::filesystem::create_symlink(path, this->path("link.npy"));
  hd::write_npy(this->path("link.npy"), std::vector<int>{1, 2});
  EXPECT_TRUE(std::filesystem::is_symlink(this->path("link.npy")));
  EXPECT_EQ(hd::read_npy<int>(path).to_vector(), (std::vector<int>{1, 2}));
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(path).permissions()), 0640u);
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(npy_write, through_a_link_to_what_is_not_there_yet_makes_the_file) {
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_symlink("folder/new.npy", path("link.npy"));
  hd::write_npy(path("link.npy"), std::vector<int>{1, 2});
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(hd::read_npy<int>(path("folder/new.npy")).to_vector(), (std::vector<int>{1, 2}));
}

TEST_F(npy_write, that_fails_leaves_the_old_file_and_nothing_else) {
  const std::string path = save("what was there");
  const std::vector<double> values(100'000);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of([&] { hd::write_npy(path, values); });
  const std::string message_new = message_of([&] { hd::write_npy(this->path("new.npy"), values); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(message, path + ": cannot write: File too large (after 4096 bytes)");
  EXPECT_EQ(message_new, this->path("new.npy") + ": cannot write: File too large (after 4096 bytes)");
  EXPECT_EQ(load(path), "what was there");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(npy_write, names_the_path_and_the_reason) {
  const std::vector<int> values = {1};
  EXPECT_EQ(message_of([&] { hd::write_npy(path("no/folder.npy"), values); }),
            path("no/folder.npy") + ": cannot write: No such file or directory");
  save("a file");
  EXPECT_EQ(message_of([&] { hd::write_npy(path("x.npy/out.npy"), values); }),
            path("x.npy/out.npy") + ": cannot write: Not a directory");
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(message_of([&] { hd::write_npy(path("folder"), values); }),
            path("folder") + ": cannot write: Is a directory");
  EXPECT_EQ(message_of([&] { hd::write_npy("/dev/full", values); }),
            "/dev/full: cannot write: No space left on device");
  if (geteuid() != 0) {  // root may write anything
    ASSERT_EQ(chmod(path("x.npy").c_str(), 0444), 0);
    EXPECT_EQ(message_of([&] { hd::write_npy(path("x.npy"), values); }),
              path("x.npy") + ": cannot write: Permission denied");
    EXPECT_EQ(load(path("x.npy")), "a file");
  }
}

TEST_F(npy_write, a_file_that_is_not_committed_is_not_there) {
  save("what was there");
  {
    hd::atomic_file file(path("x.npy"));
    file.write("new", 3);
    EXPECT_EQ(load(path("x.npy")), "what was there");
  }
  EXPECT_EQ(load(path("x.npy")), "what was there");
  EXPECT_EQ(files_in_folder(), 1u);
  hd::atomic_file file(path("x.npy"));
  file.require_room(3);
  EXPECT_NE(message_of([&] { file.require_room(1e30); }).find("cannot write: needs "), std::string::npos);
  EXPECT_EQ(message_of([] { hd::atomic_file nameless(""); }), "cannot write: the file has no name");
  file.write("ne", 2);
  file.write("w", 1);
  file.commit();
  EXPECT_EQ(load(path("x.npy")), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}
