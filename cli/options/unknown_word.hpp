#pragma once

#include <string>

#include <CLI/App.hpp>

namespace heddle::cli {

/// What is wrong with the first word that neither the command nor its subcommand knows, with what it may have
/// been meant to be; empty where they know all of them.
std::string unknown_word(const CLI::App& app);

}  // namespace heddle::cli
