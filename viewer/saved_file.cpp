#include "saved_file.hpp"

#include <heddle/error.hpp>
#include <heddle/support/temporary_folder.hpp>

#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace heddle::viewer {

saved_file written(const std::string& name, function_ref<void(const std::string& path)> write) {
  const temporary_folder folder(temporary_place(), "heddle-view-");
  const std::string path = (folder.path() / name).string();
  write(path);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) fail(fmt::format("view: {}: cannot be read again", path));
  return {name, std::move(bytes).str()};
}

}  // namespace heddle::viewer
