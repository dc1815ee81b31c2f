#include "cache_folder.hpp"

#include "io/contents.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {

namespace fs = std::filesystem;

namespace {

/// Says why others can replace files in a folder; empty if they cannot.
std::string why_replaceable(const struct stat& about) {
  if (about.st_uid != 0 && about.st_uid != geteuid())
    return fmt::format("it belongs to user {}, who can replace what is in it (set XDG_CACHE_HOME)",
                       about.st_uid);
  // As everyone can write to /tmp, but not replace what belongs to others.
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (about.st_mode & S_ISVTX) == 0)
    return "other users can replace what is in it (chmod go-w)";
  return "";
}

/// Says what is wrong with the owner or the mode of a file or a folder; empty if nothing is.
std::string why_not_own(const struct stat& about) {
  if (about.st_uid != geteuid()) return fmt::format("it belongs to user {}", about.st_uid);
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users can write to it";
  return "";
}

/// Those that are missing.
void make_folders(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno != ENOENT || !path.has_relative_path()) return;
  make_folders(path.parent_path());
  mkdir(path.c_str(), 0700);
}

[[noreturn]] void fail_at(const fs::path& path, const std::string& why) {
  throw error(fmt::format("{}: {}", shown_path(path), why));
}

/// Opens a folder in another, which must be the user's; makes it where it is missing.
int open_own_folder(int parent, const fs::path& path) {
  const std::string name = path.filename().string();
  if (mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) fail_at(path, std::strerror(errno));
  const int folder = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    fail_at(path, errno == ENOTDIR || errno == ELOOP ? "it is no folder (remove it, or set XDG_CACHE_HOME)"
                                                     : std::strerror(errno));
  struct stat about{};
  fstat(folder, &about);
  // One that was made with other rights is closed to others: each file in it is looked at as well.
  const bool is_open = about.st_uid == geteuid() && (about.st_mode & 077) != 0;
  if (is_open && fchmod(folder, 0700) == 0) fstat(folder, &about);
  const std::string why = why_not_own(about);
  if (!why.empty()) {
    close(folder);
    fail_at(path, why + " (set XDG_CACHE_HOME)");
  }
  return folder;
}

}  // namespace

fs::path temporary_place() {
  const char* const named = std::getenv("TMPDIR");
  const bool is_named = named != nullptr && *named != '\0';
  fs::path place = is_named ? fs::absolute(named) : fs::path("/tmp");
  std::error_code reason;
  if (!fs::is_directory(place, reason))
    throw error(fmt::format("no temporary file can be made: {} is no folder{}", shown_path(place),
                            is_named ? ": TMPDIR must name one" : ""));
  return place;
}

// A lock says that its process lives: it ends with it, however that ends.
temporary_folder::temporary_folder(const fs::path& around, const std::string& begin) : process_(getpid()) {
  spare_.fill(-1);
  sweep(around, begin);
  for (;;) {
    std::string name = (around / (begin + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr)
      fail_at(around, fmt::format("no folder can be made in it: {}", std::strerror(errno)));
    path_ = name;
    lock_ = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    // Another process may find it without a lock, and remove it.
    if (lock_ < 0 && errno == ENOENT) continue;
    if (lock_ >= 0) {
      for (int& spare : spare_) spare = fcntl(lock_, F_DUPFD_CLOEXEC, 0);
    }
    if (lock_ < 0 || spare_.back() < 0) {
      const int reason = errno;
      for (const int spare : spare_) close(spare);
      close(lock_);
      rmdir(name.c_str());
      fail_at(around, fmt::format("a folder made in it cannot be opened: {}", std::strerror(reason)));
    }
    // Some file systems have no locks of folders.
    const bool is_locked = flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    struct stat about{};
    if (is_locked && fstat(lock_, &about) == 0 && about.st_nlink > 0) return;
    for (const int spare : spare_) close(spare);
    close(lock_);
  }
}

temporary_folder::~temporary_folder() {
  // It is not that of a process that was forked.
  std::error_code ignored;
  for (const int spare : spare_) close(spare);
  if (process_ == getpid()) fs::remove_all(path_, ignored);
  close(lock_);
}

void temporary_folder::sweep(const fs::path& around, const std::string& begin) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(around, ignored)) {
    if (!entry.path().filename().string().starts_with(begin)) continue;
    const int folder = open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) continue;
    struct stat about{};
    fstat(folder, &about);
    const bool is_locked = flock(folder, LOCK_EX | LOCK_NB) != 0;
    // Where it cannot be locked, it is as old as nothing that is being made.
    constexpr time_t day = 24 * 3600;
    const bool is_left = !is_locked || (errno != EWOULDBLOCK && about.st_mtime < std::time(nullptr) - day);
    if (is_left && about.st_uid == geteuid()) fs::remove_all(entry.path(), ignored);
    close(folder);
  }
}

impl::cache_folder impl::cache_folder::named(const std::string& name) {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  fs::path around;
  if (cache != nullptr && *cache == '/')
    around = fs::path(cache) / "heddle";
  else if (home != nullptr && *home == '/')
    around = fs::path(home) / ".cache" / "heddle";
  else
    around = temporary_place() / fmt::format("heddle-{}", geteuid());
  make_folders(around.parent_path());
  cache_folder outer = at(around);
  if (name.empty()) return outer;
  return {around / name, open_own_folder(outer.descriptor(), around / name)};
}

impl::cache_folder impl::cache_folder::at(const fs::path& path) {
  const int parent = open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) fail_at(path.parent_path(), std::strerror(errno));
  const cache_folder around(path.parent_path(), parent);
  struct stat about{};
  fstat(parent, &about);
  if (const std::string why = why_replaceable(about); !why.empty()) fail_at(path.parent_path(), why);
  return {path, open_own_folder(parent, path)};
}

impl::cache_folder::~cache_folder() {
  if (descriptor_ >= 0) close(descriptor_);
}

impl::cache_folder::cache_folder(cache_folder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

bool impl::cache_folder::is_removed() const {
  struct stat about{};
  return fstat(descriptor_, &about) == 0 && about.st_nlink == 0;
}

std::optional<std::string> impl::cache_folder::read(const std::string& name) const {
  const int file = openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return std::nullopt;
  if (file < 0) fail_at(path_ / name, errno == ELOOP ? "it is a link" : std::strerror(errno));
  struct stat about{};
  fstat(file, &about);
  std::string why = S_ISREG(about.st_mode) ? why_not_own(about) : "it is no file";
  std::optional<std::string> text;
  if (why.empty()) {
    text = contents(file);
    if (!text) why = std::strerror(errno);
    futimens(file, nullptr);
  }
  close(file);
  if (!why.empty()) fail_at(path_ / name, why);
  return text;
}

void impl::cache_folder::write(const std::string& name, std::string_view text) const {
  // Somebody may remove what is in the folder at any time.
  constexpr int most_tries = 5;
  for (int tries = 1;; ++tries) {
    const int reason = put(name, text);
    if (reason == 0) return;
    if (reason != ENOENT || is_removed() || tries == most_tries)
      fail_at(path_ / name, fmt::format("it cannot be written: {}", std::strerror(reason)));
  }
}

int impl::cache_folder::put(const std::string& name, std::string_view text) const {
  const temporary_folder beside(path_, temporary);
  // From the open folder on, so that nothing is read or written elsewhere when another is put at its path.
  const fs::path written = beside.path().filename() / name;
  const int file =
      openat(descriptor_, written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const auto move = [&] { return renameat(descriptor_, written.c_str(), descriptor_, name.c_str()) == 0; };
  // A folder that somebody made in its place gives way.
  const bool is_written =
      file >= 0 && write_bytes(file, text.data(), text.size()) == text.size() && fsync(file) == 0 &&
      (move() || (errno == EISDIR && unlinkat(descriptor_, name.c_str(), AT_REMOVEDIR) == 0 && move()));
  const int reason = errno;
  if (file >= 0) close(file);
  return is_written ? 0 : reason;
}

}  // namespace heddle
