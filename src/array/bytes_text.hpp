#pragma once

#include <string>

#include <fmt/core.h>

namespace heddle::impl {

/// A number of bytes as people read it: "12.0 KiB", "7.9 MiB", "1.5 GiB".
inline std::string bytes_text(double bytes) {
  if (bytes < 1 << 20) return fmt::format("{:.1f} KiB", bytes / 1024);
  if (bytes < 1 << 30) return fmt::format("{:.1f} MiB", bytes / (1 << 20));
  return fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

}  // namespace heddle::impl
