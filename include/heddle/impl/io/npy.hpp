#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>

#include <string>

namespace heddle {

class npy_file;

}  // namespace heddle

namespace heddle::impl {

[[noreturn]] void fail_npy_type(const npy_file& file, dtype wanted);
void write_npy(const std::string& path, dtype type, const shape& lengths, const void* data);

}  // namespace heddle::impl
