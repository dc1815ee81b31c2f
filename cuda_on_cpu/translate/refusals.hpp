#pragma once

#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <string>

namespace heddle::cuda_on_cpu {

/// Throws heddle::error with the file and line of a token.
[[noreturn]] void refuse(const token& at, const std::string& what);

/// What is said of word i, its name first, where it is CUDA's for something that is not supported; empty
/// otherwise. `called_so` says that it is no member of something else.
std::string why_unsupported(const token_sequence& t, std::size_t i, bool called_so, bool in_device_code);

}  // namespace heddle::cuda_on_cpu
