#pragma once

#include <heddle/dtype.hpp>

#include <cstddef>

namespace heddle::impl {

/// Converts `count` elements as npy_file::read says. `from` and `to` are aligned, and apart.
using converter = void (*)(const void* from, void* to, std::size_t count);

converter converter_between(dtype from, dtype to);

}  // namespace heddle::impl
