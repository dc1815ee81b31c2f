#pragma once

#include <string>
#include <string_view>

namespace heddle::cli {

/// Keeps the numbers of closed standard streams from being given to files that are opened later. Called
/// first.
void reserve_standard_streams();

/// Writes `text` to standard output and returns once it has been taken; throws heddle::error when it has not.
void print(std::string_view text);

/// Whether the file of this name is what standard output goes to.
bool is_standard_output(const std::string& path) noexcept;

/// Writes `text` to standard error, or nothing where that cannot be written to.
void print_error(std::string_view text) noexcept;

}  // namespace heddle::cli
