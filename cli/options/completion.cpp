#include "cli/commands.hpp"
#include "cli/files/text_output.hpp"
#include "cli/simulations/view_kinds.hpp"
#include "file_options.hpp"
#include "option_values.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace heddle::cli {
namespace {

using kind = option_values::kind;

struct completion_options {
  std::string shell, output;
};

/// The arguments of a subcommand beside its options.
struct positionals {
  std::vector<std::string> choices;
  bool takes_files = false;
};

/// A subcommand, or `view` with the word of a simulation.
struct listed_command {
  std::string name;  // as the scripts know it: "sort", "view:life"
  CLI::App* own;
  CLI::App* outer = nullptr;  // whose options it takes too
};

std::vector<listed_command> commands_of(CLI::App& app) {
  std::vector<listed_command> all;
  for (CLI::App* const command : app.get_subcommands({})) {
    all.push_back({command->get_name(), command});
    if (command->get_name() != "view") continue;
    const std::vector<view_kind> kinds = view_kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i)
      all.push_back({"view:" + kinds[i].name, view_commands()[i].get(), command});
  }
  return all;
}

std::vector<CLI::Option*> options_of(const listed_command& command) {
  std::vector<CLI::Option*> all;
  for (CLI::App* const one : {command.own, command.outer}) {
    if (one == nullptr) continue;
    const std::vector<CLI::Option*> some = one->get_options(
        [](const CLI::Option* option) { return !option->get_positional() && !option->get_group().empty(); });
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

positionals positionals_of(const listed_command& command) {
  positionals all;
  if (command.name == "view")
    for (const view_kind& one : view_kinds()) all.choices.push_back(one.name);
  for (CLI::Option* const option :
       command.own->get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    const option_values values = values_of(*option);
    all.choices.insert(all.choices.end(), values.choices.begin(), values.choices.end());
    all.takes_files |= values.is == kind::file;
  }
  return all;
}

std::vector<std::string> all_flags(const listed_command& command) {
  std::vector<std::string> all;
  for (const CLI::Option* const option : options_of(command)) {
    for (std::string& flag : flags_of(*option)) all.push_back(std::move(flag));
  }
  return all;
}

/// Those that a first word names.
std::vector<std::string> names_of_commands(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// Such as "view:life".
std::vector<std::string> names_of_two_words(CLI::App& app) {
  std::vector<std::string> names;
  for (const listed_command& command : commands_of(app))
    if (command.outer != nullptr) names.push_back(command.name);
  return names;
}

/// The text with a backslash before each of some characters.
std::string escaped(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != characters.npos) result += '\\';
    result += c;
  }
  return result;
}

/// In single quotes, as bash and zsh read them.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string bash_words(const std::vector<std::string>& words) {
  return fmt::format("_heddle_words '{}'", fmt::join(words, " "));
}

std::string bash_action(const option_values& values) {
  switch (values.is) {
    case kind::choice:
      return bash_words(values.choices);
    case kind::file:
      return "_heddle_files -f";
    case kind::folder:
      return "_heddle_files -d";
    default:
      return ":";
  }
}

std::string for_bash(CLI::App& app) {
  std::string values, others;
  for (const listed_command& command : commands_of(app)) {
    const std::string& name = command.name;
    for (CLI::Option* const option : options_of(command)) {
      const option_values of = values_of(*option);
      if (of.is == kind::nothing) continue;
      std::vector<std::string> patterns = flags_of(*option);
      for (std::string& pattern : patterns) pattern = fmt::format("'{} {}'", name, pattern);
      values += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), bash_action(of));
    }
    const positionals rest = positionals_of(command);
    others += fmt::format("    '{} -'*) {} ;;\n", name, bash_words(all_flags(command)));
    if (!rest.choices.empty()) others += fmt::format("    '{} '*) {} ;;\n", name, bash_words(rest.choices));
    if (rest.choices.empty() && rest.takes_files)
      others += fmt::format("    '{} '*) _heddle_files -f ;;\n", name);
  }
  others += fmt::format("    ' -'*) {} ;;\n    ' '*) {} ;;\n", bash_words(all_flags({"", &app})),
                        bash_words(names_of_commands(app)));
  return fmt::format(R"(# bash completion for heddle, made by: heddle completion bash
_heddle_words() {{
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}}
_heddle_files() {{
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY=($(compgen "$1" -- "$word"))
}}
_heddle() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= i
  COMPREPLY=()
  # --option=value comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ -z $command && ${{COMP_WORDS[i]}} != -* ]]; then
      command=${{COMP_WORDS[i]}}
    elif [[ " {} " == *" $command:${{COMP_WORDS[i]}} "* ]]; then
      command+=:${{COMP_WORDS[i]}}
      break
    fi
  done
  case "$command $before" in
{}  esac
  case "$command $word" in
{}  esac
}}
complete -F _heddle heddle
)",
                     fmt::join(names_of_two_words(app), " "), values, others);
}

std::string zsh_action(const option_values& values) {
  switch (values.is) {
    case kind::choice:
      return fmt::format("({})", fmt::join(values.choices, " "));
    case kind::file:
      return "_files";
    case kind::folder:
      return "_files -/";
    default:
      return " ";
  }
}

/// The specification of an option for _arguments.
std::string zsh_specification(CLI::Option& option) {
  const std::vector<std::string> flags = flags_of(option);
  const option_values values = values_of(option);
  std::string meaning = fmt::format("[{}]", escaped(option.get_description(), "\\[]:"));
  if (values.is != kind::nothing) {
    const std::string text = option.get_option_text().empty() ? "value" : option.get_option_text();
    meaning += fmt::format(":{}:{}", escaped(text, "\\[]:"), zsh_action(values));
  }
  if (flags.size() == 1) {
    const bool joins = values.is != kind::nothing && flags.front().starts_with("--");
    return in_quotes(fmt::format("{}{}{}", flags.front(), joins ? "=" : "", meaning));
  }
  std::vector<std::string> forms = flags;
  for (std::string& form : forms) {
    if (values.is != kind::nothing && form.starts_with("--")) form += '=';
  }
  return fmt::format("{}{{{}}}{}", in_quotes(fmt::format("({})", fmt::join(flags, " "))),
                     fmt::join(forms, ","), in_quotes(meaning));
}

std::string for_zsh(CLI::App& app) {
  std::string commands, cases, own;
  for (CLI::Option* const option : options_of({"", &app}))
    own += fmt::format("    {} \\\n", zsh_specification(*option));
  for (const listed_command& command : commands_of(app)) {
    if (command.outer == nullptr) {
      commands += fmt::format(
          "        {}\n",
          in_quotes(fmt::format("{}:{}", command.name, escaped(command.own->get_description(), "\\:"))));
    }
    cases += fmt::format("        {})\n          _arguments", command.name);
    for (CLI::Option* const option : options_of(command))
      cases += fmt::format(" \\\n            {}", zsh_specification(*option));
    const positionals rest = positionals_of(command);
    // The word of the simulation is the first.
    if (command.outer != nullptr) cases += " \\\n            '1: : '";
    if (!rest.choices.empty()) {
      cases += fmt::format(" \\\n            '{}: :({})'", command.outer != nullptr ? 2 : 1,
                           fmt::join(rest.choices, " "));
    }
    if (rest.takes_files) cases += " \\\n            '*: :_files'";
    cases += "\n          ;;\n";
  }
  return fmt::format(R"(#compdef heddle
# zsh completion for heddle, made by: heddle completion zsh
compdef _heddle heddle
_heddle() {{
  local curcontext="$curcontext" state line command word
  typeset -A opt_args
  _arguments -C \
{}    '1: :->subcommand' \
    '*:: :->argument'
  case $state in
    subcommand)
      local -a subcommands
      subcommands=(
{}      )
      _describe subcommand subcommands
      ;;
    argument)
      command=$line[1]
      for word in $words[2,CURRENT-1]; do
        if [[ " {} " == *" ${{command}}:$word "* ]]; then
          command+=:$word
          break
        fi
      done
      case $command in
{}      esac
      ;;
  esac
}}
# Not where it is sourced.
if [ "$funcstack[1]" = _heddle ]; then
  _heddle "$@"
fi
)",
                     own, commands, fmt::join(names_of_two_words(app), " "), cases);
}

std::string for_fish(CLI::App& app) {
  std::string text = fmt::format(R"(# fish completion for heddle, made by: heddle completion fish
function __heddle_command
  set -l words (commandline -opc)
  for word in $words[3..]
    if contains -- $words[2]:$word {}
      echo $words[2]:$word
      return
    end
  end
  echo $words[2]
end
complete -c heddle -f
)",
                                 fmt::join(names_of_two_words(app), " "));
  const auto text_of = [](std::string_view words) { return "'" + escaped(words, "\\'") + "'"; };
  const auto add_options = [&](const listed_command& command, const std::string& where) {
    for (CLI::Option* const option : options_of(command)) {
      text += "complete -c heddle -n " + text_of(where);
      for (const std::string& name : option->get_snames()) text += " -s " + name;
      for (const std::string& name : option->get_lnames()) text += " -l " + name;
      const option_values values = values_of(*option);
      if (values.is == kind::file) text += " -r -F";
      if (values.is == kind::text) text += " -x";
      if (values.is == kind::folder) text += " -x -a '(__fish_complete_directories)'";
      if (values.is == kind::choice) text += fmt::format(" -x -a '{}'", fmt::join(values.choices, " "));
      text += fmt::format(" -d {}\n", text_of(option->get_description()));
    }
  };
  const std::string at_first = "test (count (commandline -opc)) -eq 1";
  add_options({"", &app}, at_first);
  for (const listed_command& command : commands_of(app)) {
    if (command.outer == nullptr) {
      text += fmt::format("complete -c heddle -n {} -a {} -d {}\n", text_of(at_first), command.name,
                          text_of(command.own->get_description()));
    }
    const std::string within = fmt::format("test (__heddle_command) = {}", command.name);
    add_options(command, within);
    const positionals rest = positionals_of(command);
    if (!rest.choices.empty()) {
      text +=
          fmt::format("complete -c heddle -n {} -a '{}'\n", text_of(within), fmt::join(rest.choices, " "));
    }
    if (rest.takes_files) text += fmt::format("complete -c heddle -n {} -F\n", text_of(within));
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("completion", "A script that completes words in a shell");
  const auto options = std::make_shared<completion_options>();
  command->add_option("SHELL", options->shell, "bash|zsh|fish")
      ->required()
      ->option_text(" ")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  add_text_output_to(*command, options->output);
  command->footer(
      "An installed heddle brings these scripts along. Otherwise, in ~/.bashrc: source <(heddle completion "
      "bash);\n"
      "in ~/.zshrc, after compinit: source <(heddle completion zsh); in config.fish: heddle completion fish "
      "| "
      "source.");
  command->callback([options, &app] {
    write_text(options->output, options->shell == "bash"  ? for_bash(app)
                                : options->shell == "zsh" ? for_zsh(app)
                                                          : for_fish(app));
  });
}

}  // namespace heddle::cli
