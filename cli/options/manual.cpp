#include "cli/commands.hpp"
#include "cli/files/text_output.hpp"
#include "cli/simulations/view_kinds.hpp"
#include "option_values.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace heddle::cli {
namespace {

/// Text of a man page: what roff would take for a command is written out.
std::string roff(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    begins_line = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

/// The value of an option, in italics; nothing for a flag.
std::string argument_of(CLI::Option& option) {
  if (values_of(option).is == option_values::kind::nothing) return "";
  const std::string& text = option.get_option_text();
  return text.empty() || text == " " ? "" : " \\fI" + roff(text) + "\\fR";
}

std::string entries(CLI::App& command) {
  std::string text;
  const auto positionals =
      command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  const auto options = command.get_options(
      [](const CLI::Option* option) { return !option->get_positional() && !option->get_group().empty(); });
  for (const CLI::Option* const one : positionals) {
    text += fmt::format(".TP\n{}\n{}\n", bold(one->get_name()), roff(one->get_description()));
  }
  for (CLI::Option* const one : options) {
    std::vector<std::string> flags = flags_of(*one);
    for (std::string& flag : flags) flag = bold(flag);
    text += fmt::format(".TP\n{}{}\n{}\n", fmt::join(flags, ", "), argument_of(*one),
                        roff(one->get_description()));
  }
  return text;
}

std::string synopsis(CLI::App& command) {
  std::string text = bold("heddle " + command.get_name());
  for (const CLI::Option* const one :
       command.get_options([](const CLI::Option* option) { return option->get_positional(); })) {
    const bool repeats = one->get_option_text() == "...";
    const std::string name = "\\fI" + roff(one->get_name()) + "\\fR" + (repeats ? " ..." : "");
    text += one->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  for (CLI::Option* const one : command.get_options(
           [](const CLI::Option* option) { return !option->get_positional() && option->get_required(); })) {
    text += " " + bold(flags_of(*one).front()) + argument_of(*one);
  }
  return text + " [\\fIOPTIONS\\fR]";
}

std::string page(CLI::App& app) {
  std::string text = fmt::format(
      ".TH HEDDLE 1 \"\" \"heddle {}\" \"User Commands\"\n.ad l\n.SH NAME\nheddle \\- data\\-parallel "
      "patterns on "
      "arrays, on one core, every core or a GPU\n.SH SYNOPSIS\n",
      HEDDLE_VERSION);
  std::vector<CLI::App*> commands;
  for (CLI::App* const command : app.get_subcommands({})) {
    commands.push_back(command);
    if (command->get_name() != "view") continue;
    for (const auto& of_simulation : view_commands()) commands.push_back(of_simulation.get());
  }
  for (CLI::App* const command : commands) text += synopsis(*command) + "\n.br\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n.SH OPTIONS\n{}", roff(app.get_description()), entries(app));
  text += ".SH SUBCOMMANDS\n";
  for (CLI::App* const command : commands) {
    text += fmt::format(".SS {}\n{}.\n{}", synopsis(*command), roff(command->get_description()),
                        entries(*command));
    if (!command->get_footer().empty()) text += fmt::format(".PP\n{}\n", roff(command->get_footer()));
  }
  text += ".SH FILES\n" + roff(app.get_footer()) +
          "\n.SH EXIT STATUS\n"
          ".TP\n0\nDone.\n"
          ".TP\n1\nIt went wrong: a file, a type, a target that is not there, memory.\n"
          ".TP\n2\nWrong usage; of heddle check whatever keeps it from running.\n"
          ".TP\n130, 143\nStopped by Ctrl\\-C or by a request to end.\n";
  return text;
}

}  // namespace

void add_manual(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("manual", "The man page, of all subcommands");
  const auto output = std::make_shared<std::string>();
  add_text_output_to(*command, *output);
  command->footer("To read it: heddle manual | man -l -");
  command->callback([output, &app] { write_text(*output, page(app)); });
}

}  // namespace heddle::cli
