#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::impl {

/// How much memory something lets this process have.
struct memory_limit {
  enum class kind { machine, cgroup, addresses, data };
  kind set_by;
  std::size_t bytes;  ///< in all, of this process or of its cgroup
  std::size_t free;   ///< of these, what this process may still take

  /// "the cgroup of this process allows 4.0 GiB, of which 3.1 GiB are free".
  std::string text() const;
};

/// The limits of addresses and of data (RLIMIT_AS, RLIMIT_DATA) of this process, that which leaves less;
/// nothing where neither is set.
std::optional<memory_limit> resource_limit();

/// How many threads with stacks of so many bytes may be started beside those that run, so that they take a
/// small part of what the limits of addresses and data leave: the rest is for arrays.
std::size_t threads_with_room(std::size_t running, std::size_t stack_bytes);

/// The limit of memory of the cgroup of this process, or of one around it, that which leaves least; nothing
/// where there is none. What the kernel keeps of files counts as free, as it can read them again, where
/// `needed` bytes are not free without. cgroup v1 and v2 are found as /proc/self tells, under the folder
/// `root`.
std::optional<memory_limit> cgroup_memory_limit(std::size_t needed, const std::string& root = "");

/// How many processors' time the cgroups of this process give it, rounded up; nothing where they do not limit
/// it.
std::optional<int> cgroup_processors(const std::string& root = "");

/// Of these limits and the memory of the machine, what leaves least. Pages of large arrays that were not used
/// yet, which cgroups do not count, are taken from what is free, where `needed` bytes and all arrays are more
/// than that.
memory_limit tightest_memory_limit(std::size_t needed);

/// Throws heddle::error where this process may not take so many bytes, with out_of_memory_text after `what`:
/// the system would hand them out, and end the process when they are used. Few bytes are not looked at.
void require_memory(std::size_t bytes, const std::string& what = "");

/// "out of memory (needs 93.1 GiB; the machine has 62.8 GiB)", or by which limit of this process.
std::string out_of_memory_text(std::size_t bytes);

}  // namespace heddle::impl
