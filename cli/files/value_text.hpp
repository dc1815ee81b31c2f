#pragma once

#include <heddle/dtype.hpp>

#include <string>
#include <string_view>

namespace heddle::cli {

/// The shortest text that reads back to the same bits: "True", "-7", "0.1", "1e-05", "inf", "nan", "1.5-2j".
std::string value_text(dtype type, const void* value);

/// Whether the text is a number or a truth value of any of the types.
bool is_value_text(std::string_view text);

/// Reads `text` as an element of `type` into *value. Throws heddle::error when the text is none, or is beyond
/// the type's range.
void parse_value(std::string_view text, dtype type, void* value);

}  // namespace heddle::cli
