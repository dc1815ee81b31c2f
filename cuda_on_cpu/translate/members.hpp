#pragma once

#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <string>

namespace heddle::cuda_on_cpu {

/// Descriptions, for what runs the module, of the members of a structure: its declaration begins with token
/// `first`, its body is from the brace `open` to the brace `close`, and the semicolon `end` follows. Empty
/// where they have no places that a program may ask for, and for templates. Each takes the next `number`.
std::string describe_members(const token_sequence& t, std::size_t first, std::size_t open, std::size_t close,
                             std::size_t end, std::size_t& number);

}  // namespace heddle::cuda_on_cpu
