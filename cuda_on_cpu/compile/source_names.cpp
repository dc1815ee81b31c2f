#include "cuda_on_cpu/compile/source_names.hpp"

#include "io/contents.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

namespace fs = std::filesystem;

/// Where debug information says that sources with relative names are, in place of the folder that the
/// compiler ran in.
constexpr std::string_view folder_of_sources = "/heddle/";

/// The working directory with a slash after it.
std::string working_directory() {
  std::error_code ignored;
  return (fs::current_path(ignored) / "").string();
}

}  // namespace

std::string line_directive(std::string_view name) {
  std::string result = "#line 1 \"";
  for (const char c : name) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"\n";
}

std::string messages_as_named(std::string messages) {
  const std::string here = working_directory();
  for (std::size_t at = 0; here.size() > 1 && (at = messages.find(here, at)) != std::string::npos;) {
    if (at == 0 || std::isspace(static_cast<unsigned char>(messages[at - 1])) != 0)
      messages.erase(at, here.size());
    else
      at += here.size();
  }
  return messages;
}

std::string as_named(std::string_view file) {
  for (const std::string& folder : {std::string(folder_of_sources), working_directory()}) {
    if (file.starts_with(folder)) return std::string(file.substr(folder.size()));
  }
  return std::string(file);
}

std::string read_source(const std::string& path) {
  auto text = impl::contents(fs::path(path));
  if (!text) throw error(fmt::format("{}: cannot be read: {}", shown_path(path), std::strerror(errno)));
  // Some editors begin a file with a mark of its encoding.
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  return *std::move(text);
}

std::string folder_of_source(const std::string& path) {
  const fs::path folder = descriptor_in(path) ? fs::path() : fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace heddle::cuda_on_cpu
