#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// Files named on a command line, which may be the program's own streams.
namespace heddle {

inline constexpr const char* standard_input = "/dev/stdin";
inline constexpr const char* standard_output = "/dev/stdout";

/// The file descriptor that a path stands for: that of /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N and
/// /proc/self/fd/N; nothing for every other path.
std::optional<int> descriptor_in(std::string_view path) noexcept;

/// A path as errors name it, in one line: "standard input", "standard output" and "standard error" for the
/// first three descriptors; control characters as \n and \xNN.
std::string shown_path(const std::string& path);

/// Opens a file for reading: a descriptor, which the caller closes, or −1 with the reason in errno. For a
/// path that stands for a descriptor it is a duplicate, with the same file position.
int open_for_reading(const std::string& path) noexcept;

/// Writes bytes to an open file, however many calls that takes. Returns how many were written: fewer on
/// failure, with the reason in errno.
std::size_t write_bytes(int file, const void* data, std::size_t bytes) noexcept;

}  // namespace heddle
