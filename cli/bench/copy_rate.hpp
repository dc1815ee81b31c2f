#pragma once

#include <heddle/target.hpp>

#include <cstddef>

namespace heddle::cli::bench {

/// Bytes a second, read and written, of copies on a target, of memory about as large as some other. Takes
/// about as long as `most_seconds`. Throws heddle::error where there is no room for copies.
double copy_rate(const target& where, std::size_t like_bytes, double most_seconds);

}  // namespace heddle::cli::bench
