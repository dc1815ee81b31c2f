#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::detail {

/// How much memory something lets this process have.
struct memory_limit {
  enum class kind { machine, cgroup, addresses, data };
  kind set_by;
  std::size_t bytes;  ///< in all, of this process or of its cgroup
  std::size_t free;   ///< of these, what this process may still take
};

/// The limits of addresses and of data (RLIMIT_AS, RLIMIT_DATA) of this process, that which leaves less;
/// nothing where neither is set.
std::optional<memory_limit> resource_limit();

/// How many threads with stacks of so many bytes may be started beside those that run, so that they take a
/// small part of what the limits of addresses and data leave: the rest is for arrays.
std::size_t threads_with_room(std::size_t running, std::size_t stack_bytes);

/// The limit of the cgroup of this process, or of one around it, that leaves least memory, by the files of
/// cgroup v1 and v2; nothing where there is none. Files that the kernel can read again count as free. /proc
/// and /sys are looked for under `root`.
std::optional<memory_limit> cgroup_memory_limit(const std::string& root = "");

/// How many processors' time the cgroups of this process give it, rounded up; nothing where they do not
/// limit it.
std::optional<int> cgroup_processors(const std::string& root = "");

/// What leaves least to this process, where `untouched` of its bytes are allocated and not yet used, of
/// which cgroups do not know.
memory_limit tightest_memory_limit(std::size_t untouched = 0);

/// "out of memory (needs 93.1 GiB; the machine has 62.8 GiB)", or by which limit.
std::string out_of_memory_text(std::size_t bytes);
std::string out_of_memory_text(std::size_t bytes, const memory_limit& limit);

/// Throws heddle::error with that text, preceded by `what`, where this process may not take so many bytes:
/// the system would hand them out all the same, and end the process when they are used. Few bytes are not
/// looked at.
void require_memory(std::size_t bytes, const std::string& what = "");

}  // namespace heddle::detail
