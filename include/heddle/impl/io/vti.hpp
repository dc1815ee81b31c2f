#pragma once

#include <heddle/dtype.hpp>
#include <heddle/shape.hpp>

#include <string>

namespace heddle {

struct grid_placement;

}  // namespace heddle

namespace heddle::impl {

void write_vti(const std::string& path, const std::string& name, dtype type, const shape& lengths,
               const void* data, const grid_placement& placement);

}  // namespace heddle::impl
