#pragma once

#include <string>
#include <string_view>

namespace heddle::impl {

/// Text as it stands between double quotes or tags of XML. Line ends are kept; other control characters,
/// which XML cannot hold, become spaces.
std::string xml_text(std::string_view text);

}  // namespace heddle::impl
