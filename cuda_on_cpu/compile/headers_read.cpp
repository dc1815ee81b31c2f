#include "cuda_on_cpu/compile/headers_read.hpp"

#include "cuda_on_cpu/compile/process.hpp"

#include <cstddef>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

namespace heddle::cuda_on_cpu {
namespace {

namespace fs = std::filesystem;

/// What searches for headers name, in the order of the search.
std::vector<fs::path> searched_folders(const compile_options& options) {
  std::vector<fs::path> folders;
  const auto add = [&](const std::string& folder) {
    if (!folder.empty()) folders.push_back(fs::absolute(folder).lexically_normal());
  };
  const auto add_flags = [&](std::string_view option) {
    for (std::size_t i = 0; i < options.flags.size(); ++i) {
      if (options.flags[i] == option && i + 1 < options.flags.size())
        add(options.flags[++i]);
      else if (options.flags[i].starts_with(option))
        add(options.flags[i].substr(option.size()));
    }
  };
  const auto add_variable = [&](std::string_view name) {
    for (const auto& [variable, list] : search_variables()) {
      std::stringstream text(variable == name ? list : "");
      for (std::string folder; std::getline(text, folder, ':');) add(folder);
    }
  };
  add_flags("-iquote");
  add_flags("-I");
  for (const std::string& folder : options.include_folders) add(folder);
  add_variable("CPATH");
  add_flags("-isystem");
  add_variable("CPLUS_INCLUDE_PATH");
  add_flags("-idirafter");
  return folders;
}

}  // namespace

std::vector<std::string> dependencies_in(std::string_view text) {
  std::vector<std::string> files;
  std::string file;
  std::size_t i = text.find(": ");
  if (i == std::string_view::npos) return files;
  for (i += 2; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c == '\\' && i + 1 < text.size() &&
        (text[i + 1] == ' ' || text[i + 1] == '#' || text[i + 1] == '\\')) {
      file += text[++i];
    } else if (c == '\\' || c == ' ' || c == '\n' || c == '\t') {
      if (!file.empty()) files.push_back(std::move(file));
      file.clear();
    } else {
      if (c == '$' && i + 1 < text.size() && text[i + 1] == '$') ++i;
      file += c;
    }
  }
  return files;
}

std::vector<std::string> hidden_by(const std::vector<std::string>& files_read,
                                   const compile_options& options) {
  const std::vector<fs::path> folders = searched_folders(options);
  // A header's path within a folder; empty when it is in another.
  const auto within = [](const fs::path& file, const fs::path& folder) {
    fs::path inside = file.lexically_relative(folder);
    return inside.empty() || *inside.begin() == ".." ? fs::path() : inside;
  };
  std::set<fs::path> beside;
  std::vector<fs::path> paths;
  for (const std::string& file : files_read) {
    paths.push_back(fs::absolute(file).lexically_normal());
    for (const fs::path& folder : folders) {
      if (!within(paths.back(), folder).empty()) beside.insert(paths.back().parent_path());
    }
  }
  std::set<std::string> missing;
  const auto add = [&](const fs::path& earlier) {
    std::error_code ignored;
    if (!fs::exists(earlier, ignored)) missing.insert(earlier.string());
  };
  for (const fs::path& path : paths) {
    for (std::size_t i = 0; i < folders.size(); ++i) {
      const fs::path inside = within(path, folders[i]);
      if (inside.empty()) continue;
      for (std::size_t j = 0; j < i; ++j) add(folders[j] / inside);
      for (const fs::path& folder : beside) add(folder / inside);
    }
  }
  return {missing.begin(), missing.end()};
}

}  // namespace heddle::cuda_on_cpu
