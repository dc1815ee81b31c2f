#pragma once

#include "bytes_text.hpp"

#include <cstddef>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

namespace heddle::detail {

/// The memory that the machine has, used or not, in bytes.
inline std::size_t installed_memory() {
  static const std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

/// "out of memory (needs 93.1 GiB; the machine has 62.8 GiB)".
inline std::string out_of_memory_text(std::size_t bytes) {
  return fmt::format("out of memory (needs {}; the machine has {})", bytes_text(static_cast<double>(bytes)),
                     bytes_text(static_cast<double>(installed_memory())));
}

}  // namespace heddle::detail
