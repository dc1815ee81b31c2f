// What a file that is replaced keeps: its owner, group, mode and attributes. Part of it takes root, who may
// give files away.
#include "tests/scratch_folder.hpp"
#include <heddle/error.hpp>
#include <heddle/support/atomic_file.hpp>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace hd = heddle;

namespace {

constexpr const char* acl = "system.posix_acl_access";
constexpr uid_t someone = 12345, somebody_else = 54321;

void replace(const std::string& path) {
  hd::atomic_file file(path);
  file.write("new", 3);
  file.commit();
}

struct stat status_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status;
}

unsigned mode_of(const std::string& path) {
  return status_of(path).st_mode & 07777;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An access control list in the kernel's format: rw for the owner, read for one user more and for the group.
std::vector<unsigned char> list_for(std::uint32_t user) {
  struct entry {
    std::uint16_t tag, rights;
    std::uint32_t id;
  };
  constexpr std::uint32_t version = 2, nobody = 0xffffffff;
  const entry entries[] = {{1, 6, nobody}, {2, 4, user}, {4, 4, nobody}, {16, 4, nobody}, {32, 0, nobody}};
  std::vector<unsigned char> bytes(sizeof version + sizeof entries);
  std::memcpy(bytes.data(), &version, sizeof version);
  std::memcpy(bytes.data() + sizeof version, entries, sizeof entries);
  return bytes;
}

std::string attribute_of(const std::string& path, const char* name) {
  char text[256];
  const ssize_t size = getxattr(path.c_str(), name, text, sizeof text);
  return size < 0 ? "none" : std::string(text, static_cast<std::size_t>(size));
}

class atomic_file : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path) << "old";
    ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  }
  void needs_root() const {
    if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  }

  const hd::tests::scratch_folder folder;
  const std::string path = folder / "x";
};

std::string noticed;
void notice(const std::string& text) {
  noticed += text + "\n";
}

}  // namespace

TEST_F(atomic_file, keeps_the_mode) {
  for (const unsigned mode : {0640u, 0600u, 0666u, 0755u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    replace(path);
    EXPECT_EQ(mode_of(path), mode);
  }
}

TEST_F(atomic_file, of_root_keeps_the_owner_and_the_group) {
  ASSERT_NO_FATAL_FAILURE(needs_root());
  if (IsSkipped()) return;
  for (const unsigned mode : {0640u, 04750u, 02664u}) {
    ASSERT_EQ(chown(path.c_str(), someone, somebody_else), 0);
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    replace(path);
    EXPECT_EQ(content_of(path), "new");
    const struct stat now = status_of(path);
    EXPECT_EQ(now.st_uid, someone);
    EXPECT_EQ(now.st_gid, somebody_else);
    EXPECT_EQ(mode_of(path), mode);
  }
}

TEST_F(atomic_file, keeps_attributes_and_access_control_lists) {
  const auto list = list_for(someone);
  if (setxattr(path.c_str(), "user.origin", "camera 7", 8, 0) != 0 ||
      setxattr(path.c_str(), acl, list.data(), list.size(), 0) != 0) {
    ASSERT_EQ(errno, ENOTSUP);
    GTEST_SKIP() << "the file system has none";
  }
  const unsigned mode = mode_of(path);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), someone, somebody_else), 0);
  }
  replace(path);
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(attribute_of(path, "user.origin"), "camera 7");
  EXPECT_EQ(attribute_of(path, acl), std::string(list.begin(), list.end()));
  EXPECT_EQ(mode_of(path), mode);
  // One that the folder gives to new files is not what the old file had.
  ASSERT_EQ(setxattr(folder.path().c_str(), "system.posix_acl_default", list.data(), list.size(), 0), 0);
  const std::string plain = folder / "plain";
  std::ofstream(plain) << "old";
  removexattr(plain.c_str(), acl);
  ASSERT_EQ(chmod(plain.c_str(), 0604), 0);
  replace(plain);
  EXPECT_EQ(attribute_of(plain, acl), "none");
  EXPECT_EQ(mode_of(plain), 0604u);
}

TEST_F(atomic_file, says_which_owner_it_cannot_keep) {
  ASSERT_NO_FATAL_FAILURE(needs_root());
  if (IsSkipped()) return;
  ASSERT_EQ(chown(path.c_str(), someone, somebody_else), 0);
  ASSERT_EQ(chmod(path.c_str(), 04666), 0);
  const pid_t child = fork();
  if (child == 0) {
    // A user who may write to the file, and is in none of its groups.
    constexpr uid_t user = 23456;
    if (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0) _exit(100);
    hd::tell_lost_properties_to(notice);
    replace(path);
    const std::string first = noticed;
    replace(path);
    _exit(first == path + ": replaced without its owner 12345, its group 54321\n" && noticed == first ? 0
                                                                                                      : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(content_of(path), "new");
  const struct stat now = status_of(path);
  EXPECT_EQ(now.st_uid, 23456u);
  // Neither is the program of another user, nor is what one group might do given to another.
  EXPECT_EQ(mode_of(path), 0666u);
}

TEST_F(atomic_file, of_a_user_keeps_the_bits_of_a_program) {
  ASSERT_NO_FATAL_FAILURE(needs_root());
  if (IsSkipped()) return;
  constexpr uid_t user = 23456;
  ASSERT_EQ(chown(path.c_str(), user, user), 0);
  ASSERT_EQ(chmod(path.c_str(), 06755), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0) _exit(100);
    replace(path);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(mode_of(path), 06755u);
}

TEST_F(atomic_file, is_its_owners_until_it_is_complete) {
  ASSERT_NO_FATAL_FAILURE(needs_root());
  if (IsSkipped()) return;
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  const pid_t child = fork();
  if (child == 0) {
    // Where there is no /proc, the new file has a name from the start.
    if (chroot(folder.path().c_str()) != 0) _exit(100);
    hd::atomic_file file("/x");
    std::string beside;
    for (const auto& entry : std::filesystem::directory_iterator("/")) {
      if (entry.path().extension() == ".part") beside = entry.path();
    }
    file.write("new", 3);
    if (mode_of(beside) != 0600) _exit(1);
    file.commit();
    _exit(mode_of("/x") == 0644 ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(content_of(path), "new");
}

TEST_F(atomic_file, gives_no_rights_to_another_group) {
  ASSERT_NO_FATAL_FAILURE(needs_root());
  if (IsSkipped()) return;
  ASSERT_EQ(chown(path.c_str(), 23456, somebody_else), 0);
  ASSERT_EQ(chmod(path.c_str(), 0664), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(23456) != 0 || setuid(23456) != 0) _exit(100);
    replace(path);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(mode_of(path), 0644u);
  EXPECT_EQ(status_of(path).st_gid, 23456u);
}

TEST_F(atomic_file, has_a_path_at_which_other_hosts_write_too) {
  // Names that others took.
  std::vector<std::string> taken;
  for (int number = 0; number < 50; ++number) {
    taken.push_back(folder /
                    (".heddle-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".part"));
    std::ofstream(taken.back()) << "theirs";
  }
  {
    hd::atomic_file file(path);
    file.write("new", 3);
    const std::string other = file.path_for_others(true);
    EXPECT_EQ(file.path_for_others(true), other);
    std::ofstream(other, std::ios::app) << "er";
    EXPECT_EQ(content_of(path), "old");
    file.commit();
    EXPECT_FALSE(std::filesystem::exists(other));
  }
  EXPECT_EQ(content_of(path), "newer");
  for (const std::string& one : taken) EXPECT_EQ(content_of(one), "theirs") << one;
}

TEST_F(atomic_file, has_no_path_for_others_where_it_replaces_none) {
  hd::atomic_file file("/dev/null");
  EXPECT_EQ(file.path_for_others(false), "");
}
