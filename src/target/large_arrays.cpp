#include "large_arrays.hpp"

#include <heddle/support/fork.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace heddle::impl {
namespace {

struct noted_arrays {
  std::map<void*, std::size_t> bytes;
  std::size_t all = 0;
};

/// A child that was forked while a thread noted an array knows none of its parent's.
constinit fork_aware<noted_arrays> all_noted;

}  // namespace

void note_large_array(void* data, std::size_t bytes) {
  const auto noted = all_noted.lock();
  noted->bytes.emplace(data, bytes);
  noted->all += bytes;
}

void forget_large_array(void* data) noexcept {
  const auto noted = all_noted.lock();
  const auto found = noted->bytes.find(data);
  if (found == noted->bytes.end()) return;
  noted->all -= found->second;
  noted->bytes.erase(found);
}

std::size_t bytes_of_large_arrays() {
  const auto noted = all_noted.lock();
  return noted->all;
}

std::size_t untouched_bytes_of_large_arrays() {
  const auto noted = all_noted.lock();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  std::vector<unsigned char> is_there(std::size_t{1} << 16);
  std::size_t untouched = 0;
  for (const auto& [data, bytes] : noted->bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t piece = std::min(bytes - done, is_there.size() * page);
      const std::size_t pages = (piece + page - 1) / page;
      if (mincore(static_cast<std::byte*>(data) + done, piece, is_there.data()) == 0) {
        untouched += page * static_cast<std::size_t>(std::count_if(
                                is_there.begin(), is_there.begin() + static_cast<std::ptrdiff_t>(pages),
                                [](unsigned char flags) { return (flags & 1) == 0; }));
      }
      done += piece;
    }
  }
  return untouched;
}

}  // namespace heddle::impl
