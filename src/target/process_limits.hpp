#pragma once

#include <heddle/memory.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::impl {

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

}  // namespace heddle::impl
