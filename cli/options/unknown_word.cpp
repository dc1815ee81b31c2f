#include "unknown_word.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

/// How many letters must be put in, taken out, exchanged or swapped with the next one: the distance of
/// optimal string alignment.
std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

/// ": did you mean --iterations?", or nothing where nothing is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& one : known) {
    // A word is near if the text typed is its beginning, however long the rest is.
    const bool is_beginning = word.size() > 3 && std::string_view(one).starts_with(word);
    const std::size_t apart = is_beginning ? 1 : letters_apart(word, one);
    if (apart >= least || word.size() < 3) continue;
    least = apart;
    best = one;
  }
  return best.empty() ? "" : fmt::format(": did you mean {}?", best);
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

std::string unknown_word(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App* within = &app;
  std::vector<std::string> words = app.remaining();
  if (words.empty() && !chosen.empty()) {
    within = chosen.front();
    // Words that a command passes to a program are not unknown.
    if (within->get_prefix_command()) return "";
    words = within->remaining();
  }
  // CLI11 keeps among them the mark after which no word is an option.
  std::erase(words, "--");
  if (words.empty()) return "";
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  if (option != words.end()) {
    const std::string name = option->substr(0, option->find('='));
    return fmt::format("{}: no such option{}", name, suggestion(name, names_of_options(*within)));
  }
  if (within != &app || app.get_subcommands({}).empty())
    return fmt::format("'{}' is one argument too many", words.front());
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) names.push_back(command->get_name());
  return fmt::format("{}: no such subcommand{}", words.front(), suggestion(words.front(), names));
}

}  // namespace heddle::cli
