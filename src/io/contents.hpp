#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace heddle::impl {

/// All bytes of a file; nothing, and why in errno, when it cannot be read.
std::optional<std::string> contents(const std::filesystem::path& path);

/// The same of an open file, from where it stands, and `most` bytes at most.
std::optional<std::string> contents(int file, std::size_t most = std::string::npos);

/// Writes bytes to an open file, however many calls that takes. Returns how many were written: fewer, and why
/// in errno, when it failed.
std::size_t write_bytes(int file, const void* data, std::size_t bytes) noexcept;

}  // namespace heddle::impl
