#pragma once

#include <span>
#include <string_view>

namespace heddle::viewer {

/// A file of the page, embedded at build time.
struct page_file {
  std::string_view path;  ///< such as "/view.js"; "/" is the page
  std::string_view type;  ///< as HTTP names it
  std::string_view bytes;
};

std::span<const page_file> page_files() noexcept;

}  // namespace heddle::viewer
