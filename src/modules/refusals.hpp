#pragma once

#include "modules/tokens.hpp"

#include <cstddef>
#include <string>

namespace heddle::modules {

/// Throws heddle::error with the file and line of a token.
[[noreturn]] void refuse(const token& at, const std::string& what);

/// Refuses word i, by its name, where it is CUDA's for something that is not supported. `called_so` says that
/// it is no member of something else.
void refuse_unsupported(const token_sequence& t, std::size_t i, bool called_so, bool in_device_code);

}  // namespace heddle::modules
