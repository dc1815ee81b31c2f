#pragma once

#include <string>
#include <string_view>

/// Sources, and how messages name them.
namespace heddle::cuda_on_cpu {

/// The text of a file; heddle::error when it cannot be read.
std::string read_source(const std::string& path);

/// Where it is looked for what a file includes: its folder, or the current one for standard input.
std::string folder_of_source(const std::string& path);

/// `#line 1 "name"`: what begins a source that messages call so.
std::string line_directive(std::string_view name);

/// What a compiler says, with each file as_named().
std::string messages_as_named(std::string messages);

/// A file of debug information or of a compiler's message as it was named: a relative path for one in the
/// working directory.
std::string as_named(std::string_view file);

}  // namespace heddle::cuda_on_cpu
