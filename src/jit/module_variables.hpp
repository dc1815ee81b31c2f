#pragma once

#include "jit/tokens.hpp"

#include <cstddef>
#include <string>

namespace heddle::jit {

/// Descriptions, for what runs the module, of the __device__, __constant__ and __managed__ variables that the
/// declaration from token `first` to the semicolon `end` declares, or of the static ones of a function; empty
/// where it declares none. Each takes the next `number`.
std::string describe_variables(const token_sequence& t, std::size_t first, std::size_t end, bool is_static,
                               std::size_t& number);

}  // namespace heddle::jit
