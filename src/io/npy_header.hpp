#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <string>
#include <string_view>

/// The header of a .npy file, read; heddle::npy_header() makes one.
namespace heddle::impl {

/// The first bytes of an array in a file.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The contents of a header.
struct npy_layout {
  dtype type = dtype::boolean;
  bool byte_swapped = false;
  bool fortran_order = false;
  shape lengths;
  std::size_t data_offset = 0;  ///< where the elements begin in the file
  std::size_t shape_at = 0;     ///< where the shape stands
};

/// Reads the header at the beginning of `file`; `path` is for errors.
npy_layout read_npy_header(const std::string& path, std::string_view file);

/// Throws heddle::error that names the file and the place in it.
[[noreturn]] void fail_at_byte(const std::string& path, std::size_t byte, const std::string& what);

/// Text from a file, made fit for one line of an error message.
std::string excerpt(std::string_view text);

}  // namespace heddle::impl
