#pragma once

#include <string>

namespace heddle::impl {

/// The machine that measurements hold for. Another processor, other cores or GPUs, and another version of the
/// library have another key.
std::string machine_key();

}  // namespace heddle::impl
