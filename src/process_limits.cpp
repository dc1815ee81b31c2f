#include "process_limits.hpp"

#include <cstdio>
#include <limits>
#include <memory>

#include <sys/resource.h>
#include <unistd.h>

namespace heddle::detail {
namespace {

/// Left for what takes no array: stacks that grow, small allocations, pages of page tables.
constexpr std::size_t margin = std::size_t{8} << 20;

std::size_t less(std::size_t a, std::size_t b) {
  return a > b ? a - b : 0;
}

}  // namespace

std::optional<memory_limit> resource_limit() {
  rlimit addresses{RLIM_INFINITY, RLIM_INFINITY}, data = addresses;
  getrlimit(RLIMIT_AS, &addresses);
  getrlimit(RLIMIT_DATA, &data);
  if (addresses.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY) return std::nullopt;
  unsigned long pages = 0, data_pages = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "r"),
                                                             std::fclose);
  if (file != nullptr && std::fscanf(file.get(), "%lu %*u %*u %*u %*u %lu", &pages, &data_pages) != 2)
    pages = data_pages = 0;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  const auto left = [&](memory_limit::kind kind, const rlimit& limit, std::size_t used) {
    return memory_limit{kind, limit.rlim_cur, less(limit.rlim_cur, used * page + margin)};
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

}  // namespace heddle::detail
