#pragma once

#include <string>

#include <CLI/App.hpp>

namespace heddle::cli {

/// Says that neither the command nor its subcommand knows a word, the first of several, and what it may have
/// been meant to be; empty where they know all of them.
std::string unknown_word(const CLI::App& app);

}  // namespace heddle::cli
