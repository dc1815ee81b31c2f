#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>

#include <string>

namespace heddle {

class npy_file;

}  // namespace heddle

namespace heddle::impl {

[[noreturn]] void fail_npy_type(const npy_file& file, dtype wanted);
/// The bytes of a .npy file before its elements.
std::string npy_header(dtype type, const shape& lengths);
void write_npy(const std::string& path, dtype type, const shape& lengths, const void* data);

}  // namespace heddle::impl
