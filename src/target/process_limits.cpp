#include "process_limits.hpp"

#include "io/contents.hpp"
#include "large_arrays.hpp"
#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/number_text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

namespace heddle::impl {
namespace {

/// Left for what is no array: stacks that grow, small allocations, page tables.
constexpr std::size_t most_margin = std::size_t{8} << 20;

std::size_t less(std::size_t a, std::size_t b) {
  return a > b ? a - b : 0;
}

/// The number that a text begins with; nothing for "max" and other words.
std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  // More than an int64 holds is no limit.
  if (status != std::errc() || end == text.data()) return std::nullopt;
  return value;
}
std::optional<std::int64_t> number_in(const std::string& path) {
  const std::optional<std::string> text = contents(path);
  return text ? number(*text) : std::nullopt;
}

/// The number after a word at the beginning of a line that is not the first; 0 where the word is missing.
std::size_t number_behind(const std::string& word, const std::string& text) {
  const std::string key = "\n" + word + " ";
  const std::size_t found = text.find(key);
  if (found == text.npos) return 0;
  return static_cast<std::size_t>(number(std::string_view(text).substr(found + key.size())).value_or(0));
}

/// Whether one of the words that commas part is this.
bool holds(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// A path of mountinfo, where a space is "\040".
std::string unescaped(const std::string& text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      path += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      path += text[i];
    }
  }
  return path;
}

/// Where cgroups are mounted: those of v2, or of v1 with a controller.
struct cgroup_mount {
  std::string of;    ///< the cgroup that lies there: "/" for all
  std::string path;  ///< of the folder
};

std::vector<cgroup_mount> mounts_of(const std::string& root, bool is_v2, const std::string& controller) {
  std::vector<cgroup_mount> found;
  std::istringstream lines(contents(root + "/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    // 36 35 98:0 ROOT PATH rw,noatime shared:1 - TYPE SOURCE OPTIONS
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string word, of, path, type, source, options;
    before >> word >> word >> word >> of >> path;
    after >> type >> source >> options;
    if (type == (is_v2 ? "cgroup2" : "cgroup") && (is_v2 || holds(options, controller)))
      found.push_back({unescaped(of), unescaped(path)});
  }
  return found;
}

/// The folder of a cgroup and those of the cgroups around it, as far as they can be seen, from within. Where
/// a container hides its path, what is mounted is its own.
std::vector<std::string> folders_of(const std::string& root, const std::string& cgroup, bool is_v2,
                                    const std::string& controller) {
  const std::vector<cgroup_mount> mounts = mounts_of(root, is_v2, controller);
  if (mounts.empty()) return {};
  std::string mounted = mounts.front().path, below;
  for (const cgroup_mount& mount : mounts) {
    const std::string prefix = mount.of == "/" ? "" : mount.of;
    if (!cgroup.starts_with(prefix) || (cgroup.size() > prefix.size() && cgroup[prefix.size()] != '/'))
      continue;
    mounted = mount.path;
    below = cgroup.substr(prefix.size());
    break;
  }
  while (below.ends_with('/')) below.pop_back();
  // Outside of what a namespace shows.
  if (below.find("/..") != below.npos) below.clear();
  std::vector<std::string> folders;
  for (;;) {
    folders.push_back(root + mounted + below);
    if (below.empty()) return folders;
    below.erase(below.rfind('/'));
  }
}

struct cgroup_folders {
  bool is_v2;
  std::vector<std::string> all;
};

/// Those that may limit memory, or time: both of v1 and of v2, of which one has the controller.
std::vector<cgroup_folders> folders_with(const std::string& root, const std::string& controller) {
  std::vector<cgroup_folders> found;
  std::istringstream lines(contents(root + "/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    // 0::/PATH of v2, 4:cpu,cpuacct:/PATH of v1
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v2 = controllers.empty();
    if (!is_v2 && !holds(controllers, controller)) continue;
    found.push_back({is_v2, folders_of(root, line.substr(second + 1), is_v2, controller)});
  }
  return found;
}

/// The limit of one cgroup by its own files.
std::optional<memory_limit> memory_limit_in(const std::string& folder, bool is_v2, std::size_t needed) {
  const auto limit = number_in(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  // v1 has a number of pages that no machine has for none.
  if (!limit || *limit < 0 || *limit >= std::int64_t{1} << 60) return std::nullopt;
  const auto used = number_in(folder + (is_v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  const auto bytes = static_cast<std::size_t>(*limit);
  const std::size_t taken = static_cast<std::size_t>(used.value_or(0)),
                    margin = std::min(most_margin, bytes / 16);
  memory_limit found{memory_limit::kind::cgroup, bytes, less(bytes, taken + margin)};
  if (found.free >= needed) return found;
  const std::string counts = contents(folder + "/memory.stat").value_or("");
  const std::string prefix = is_v2 ? "" : "total_";
  const std::size_t of_files =
      number_behind(prefix + "inactive_file", counts) + number_behind(prefix + "active_file", counts);
  found.free = less(bytes, less(taken, of_files) + margin);
  return found;
}

/// Processors' time of one cgroup.
std::optional<double> processors_in(const std::string& folder, bool is_v2) {
  std::optional<std::int64_t> quota, period;
  if (is_v2) {
    std::istringstream words(contents(folder + "/cpu.max").value_or(""));
    std::string of_quota, of_period;
    words >> of_quota >> of_period;
    quota = number(of_quota);
    period = number(of_period);
  } else {
    quota = number_in(folder + "/cpu.cfs_quota_us");  // -1 for none
    period = number_in(folder + "/cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// The memory that the machine has, used or not.
std::size_t installed_memory() {
  constinit static made_once<std::size_t> bytes;
  return bytes.get([] {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  });
}

std::string refusal(std::size_t bytes, const memory_limit& limit) {
  return fmt::format("out of memory (needs {}; {})", bytes_text(static_cast<double>(bytes)), limit.text());
}

}  // namespace

std::optional<memory_limit> resource_limit() {
  rlimit addresses{RLIM_INFINITY, RLIM_INFINITY}, data = addresses;
  getrlimit(RLIMIT_AS, &addresses);
  getrlimit(RLIMIT_DATA, &data);
  if (addresses.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) return std::nullopt;
  unsigned long pages = 0, data_pages = 0;
  const std::string used = contents("/proc/self/statm").value_or("");
  if (std::sscanf(used.c_str(), "%lu %*u %*u %*u %*u %lu", &pages, &data_pages) != 2) pages = data_pages = 0;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  const auto left = [&](memory_limit::kind kind, const rlimit& limit, std::size_t used_pages) {
    return memory_limit{kind, limit.rlim_cur, less(limit.rlim_cur, used_pages * page + most_margin)};
  };
  const memory_limit of_addresses = left(memory_limit::kind::addresses, addresses, pages),
                     of_data = left(memory_limit::kind::data, data, data_pages);
  return of_addresses.free <= of_data.free ? of_addresses : of_data;
}

std::size_t threads_with_room(std::size_t running, std::size_t stack_bytes) {
  const std::optional<memory_limit> limit = resource_limit();
  if (!limit) return std::numeric_limits<std::size_t>::max() - running;
  // malloc of glibc reserves so many addresses for a thread.
  constexpr std::size_t heap_bytes = std::size_t{64} << 20;
  const std::size_t each = stack_bytes + heap_bytes;
  return less((limit->free + running * each) / 8 / each, running);
}

std::optional<memory_limit> cgroup_memory_limit(std::size_t needed, const std::string& root) {
  // A process seldom changes its cgroup.
  constinit static made_once<std::vector<cgroup_folders>> found;
  const std::vector<cgroup_folders>& of_this_process = found.get([] { return folders_with("", "memory"); });
  std::optional<memory_limit> tightest;
  for (const cgroup_folders& folders : root.empty() ? of_this_process : folders_with(root, "memory")) {
    for (const std::string& folder : folders.all) {
      const std::optional<memory_limit> limit = memory_limit_in(folder, folders.is_v2, needed);
      if (limit && (!tightest || limit->free < tightest->free)) tightest = limit;
    }
  }
  return tightest;
}

std::optional<int> cgroup_processors(const std::string& root) {
  std::optional<double> fewest;
  for (const cgroup_folders& folders : folders_with(root, "cpu")) {
    for (const std::string& folder : folders.all) {
      const std::optional<double> processors = processors_in(folder, folders.is_v2);
      if (processors && (!fewest || *processors < *fewest)) fewest = processors;
    }
  }
  if (!fewest) return std::nullopt;
  return static_cast<int>(std::min(std::ceil(*fewest), 1e6));
}

}  // namespace heddle::impl

namespace heddle {

std::string memory_limit::text() const {
  const std::string all = bytes_text(static_cast<double>(bytes));
  const char* by = "the cgroup of this process";
  switch (set_by) {
    case kind::machine:
      return fmt::format("the machine has {}", all);
    case kind::cgroup:
      break;
    case kind::addresses:
      by = "the limit of addresses of this process (ulimit -v)";
      break;
    case kind::data:
      by = "the limit of data of this process (ulimit -d)";
      break;
  }
  return fmt::format("{} allows {}, of which {} are free", by, all, bytes_text(static_cast<double>(free)));
}

memory_limit tightest_memory_limit(std::size_t needed) {
  memory_limit tightest{memory_limit::kind::machine, impl::installed_memory(), impl::installed_memory()};
  const auto heed = [&](const std::optional<memory_limit>& limit) {
    if (limit && limit->free < tightest.free) tightest = *limit;
  };
  heed(impl::resource_limit());
  const std::size_t arrays = impl::bytes_of_large_arrays();
  std::optional<memory_limit> of_cgroup = impl::cgroup_memory_limit(needed + std::min(arrays, ~needed));
  if (of_cgroup && impl::less(of_cgroup->free, arrays) < needed)
    of_cgroup->free = impl::less(of_cgroup->free, impl::untouched_bytes_of_large_arrays());
  heed(of_cgroup);
  return tightest;
}

void require_memory(std::size_t bytes, const std::string& what) {
  if (bytes < impl::large_array_bytes) return;
  const memory_limit limit = tightest_memory_limit(bytes);
  if (bytes > limit.free) fail(what + impl::refusal(bytes, limit));
}

std::string out_of_memory_text(std::size_t bytes) {
  return impl::refusal(bytes, tightest_memory_limit(bytes));
}

}  // namespace heddle
