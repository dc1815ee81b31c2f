#pragma once

#include <string>
#include <string_view>

namespace heddle::impl {

/// The text with U+FFFD in place of bytes that are no characters of UTF-8, as JSON writers put it.
std::string utf8_text(std::string_view text);

/// Text as it stands between double quotes or tags of XML. Line ends are kept. XML cannot hold other control
/// characters, which become spaces, U+FFFE, U+FFFF, and bytes that are no UTF-8, which become U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace heddle::impl
