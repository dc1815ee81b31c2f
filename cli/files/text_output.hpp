#pragma once

#include <string>

#include <CLI/App.hpp>

namespace heddle::cli {

/// Adds -o to a subcommand that writes a text, to standard output unless given.
void add_text_output_to(CLI::App& command, std::string& output);

/// Writes it there, whole or not at all.
void write_text(const std::string& output, const std::string& text);

}  // namespace heddle::cli
