#include "checker/build/compile_commands.hpp"

#include "checker/build/compiler_command.hpp"
#include "cuda_on_cpu/compile/source_names.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace heddle::checker {
namespace {

namespace fs = std::filesystem;

/// Makes paths absolute that a command names relative to its folder.
void make_absolute(const fs::path& folder, std::vector<std::string>& paths) {
  for (std::string& path : paths) path = (folder / path).lexically_normal().string();
}

}  // namespace

std::vector<cuda_on_cpu::source_file> sources_of_targets(const std::string& compile_commands,
                                                         const std::string& targets) {
  const std::string text = cuda_on_cpu::read_source(compile_commands);
  const nlohmann::json entries = nlohmann::json::parse(text, nullptr, false);
  if (!entries.is_array())
    throw error(fmt::format("{}: not a list of compile commands, as CMAKE_EXPORT_COMPILE_COMMANDS makes one",
                            shown_path(compile_commands)));
  const std::vector<std::string> wanted = split_at_commas(targets);
  std::set<std::string> known, found;
  std::vector<cuda_on_cpu::source_file> result;
  for (const nlohmann::json& entry : entries) {
    if (!entry.is_object() || !entry.contains("file")) continue;
    std::vector<std::string> words = entry.contains("arguments")
                                         ? entry.at("arguments").get<std::vector<std::string>>()
                                         : split_as_shell(entry.value("command", ""));
    if (words.empty()) continue;
    words.erase(words.begin());
    compiler_command command = read_compiler_command(std::move(words));
    // "…/CMakeFiles/NAME.dir/…"
    std::string of;
    for (const fs::path& part : fs::path(entry.value("output", command.output))) {
      if (part.extension() == ".dir") of = part.stem().string();
    }
    known.insert(of);
    if (std::find(wanted.begin(), wanted.end(), of) == wanted.end()) continue;
    found.insert(of);
    const fs::path folder = fs::absolute(entry.value("directory", "."));
    make_absolute(folder, command.options.include_folders);
    for (std::string& header : command.options.forced_includes) {
      std::error_code ignored;
      if (fs::exists(folder / header, ignored)) header = (folder / header).string();
    }
    for (cuda_on_cpu::source_file& source : command.sources) {
      source.path = (folder / source.path).lexically_normal().string();
      source.own = command.options;
      result.push_back(std::move(source));
    }
  }
  for (const std::string& target : wanted) {
    if (found.count(target) == 0)
      throw error(fmt::format("{}: no target {} is compiled there, but {}", shown_path(compile_commands),
                              target, fmt::join(known, ", ")));
  }
  return result;
}

}  // namespace heddle::checker
