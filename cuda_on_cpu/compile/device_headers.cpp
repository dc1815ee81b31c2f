#include "cuda_on_cpu/compile/device_headers.hpp"

#include "cuda_on_cpu/compile/source_folder.hpp"
#include "io/contents.hpp"
#include <heddle/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cuda_on_cpu {
namespace {

namespace fs = std::filesystem;

/// The program or the shared library that this function is in; empty when it is not known. What dladdr says
/// of a program is the name by which it was called.
fs::path own_file() {
  const auto here = reinterpret_cast<std::uintptr_t>(&own_file);
  std::stringstream maps(impl::contents("/proc/self/maps").value_or(""));
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    const std::size_t path = line.find('/');
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2 && begin <= here && here < end &&
        path != std::string::npos)
      return line.substr(path);
  }
  return {};
}

/// Whether a folder and the headers in it are the system's, the user's or of who made this program, who could
/// change that as well: in /tmp anyone may make folders beside a program's.
bool is_trusted(const fs::path& headers, const fs::path& prefix, uid_t maker) {
  for (fs::path path = headers / "heddle_device" / "language.hpp"; path != prefix && path.has_relative_path();
       path = path.parent_path()) {
    struct stat about{};
    if (stat(path.c_str(), &about) != 0 || (about.st_mode & S_IWOTH) != 0) return false;
    if (about.st_uid != 0 && about.st_uid != geteuid() && about.st_uid != maker) return false;
  }
  return true;
}

}  // namespace

fs::path device_headers() {
  const fs::path own = own_file();
  struct stat made{};
  const uid_t maker = stat(own.c_str(), &made) == 0 ? made.st_uid : 0;
  std::error_code ignored;
  for (const fs::path& file : {fs::read_symlink("/proc/self/exe", ignored), own}) {
    // Of a package of Python.
    if (const fs::path beside = file.parent_path(); is_trusted(beside / HEDDLE_DEVICE_FOLDER, beside, maker))
      return beside / HEDDLE_DEVICE_FOLDER;
    // Of bin, of lib, or of lib/x86_64-linux-gnu.
    for (fs::path prefix = file.parent_path().parent_path(); prefix.has_relative_path();
         prefix = prefix.parent_path()) {
      if (is_trusted(prefix / HEDDLE_DEVICE_FOLDER, prefix, maker)) return prefix / HEDDLE_DEVICE_FOLDER;
      if (prefix.filename() != "lib") break;
    }
  }
  const fs::path installed = fs::path(HEDDLE_PREFIX) / HEDDLE_DEVICE_FOLDER;
  for (const fs::path& folder : {installed, fs::path(device_source_folder)}) {
    if (fs::exists(folder / "heddle_device" / "language.hpp", ignored)) return folder;
  }
  throw error(fmt::format("the headers of the device language are neither in {} nor in {}: install them anew",
                          installed.string(), device_source_folder));
}

std::string library_identity() {
  struct stat about{};
  if (stat(own_file().c_str(), &about) != 0 && stat("/proc/self/exe", &about) != 0) return "";
  return fmt::format("{} {}.{}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

}  // namespace heddle::cuda_on_cpu
