#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace heddle::impl {

/// All bytes of a file; nothing, and why in errno, when it cannot be read.
std::optional<std::string> contents(const std::filesystem::path& path);

/// The same of an open file, from where it stands, and `most` bytes at most.
std::optional<std::string> contents(int file, std::size_t most = std::string::npos);

}  // namespace heddle::impl
