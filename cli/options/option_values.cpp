#include "option_values.hpp"

#include "file_options.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

/// The members of "{a,b,c}", which is how checks describe a set.
std::vector<std::string> members_of(std::string_view description) {
  std::vector<std::string> members;
  if (!description.starts_with('{') || !description.ends_with('}')) return members;
  description.remove_prefix(1);
  description.remove_suffix(1);
  while (!description.empty()) {
    const std::size_t end = std::min(description.find(','), description.size());
    members.emplace_back(description.substr(0, end));
    description.remove_prefix(std::min(end + 1, description.size()));
  }
  return members;
}

}  // namespace

option_values values_of(CLI::Option& option) {
  using kind = option_values::kind;
  if (option.get_items_expected_max() == 0) return {kind::nothing, {}};
  if (names_file(option)) return {kind::file, {}};
  if (option.get_option_text() == "DIR") return {kind::folder, {}};
  for (const CLI::Validator* const check : checks_of(option)) {
    std::vector<std::string> members = members_of(check->get_description());
    if (!members.empty()) return {kind::choice, std::move(members)};
  }
  return {};
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

}  // namespace heddle::cli
