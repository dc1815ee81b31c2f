#pragma once

#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

/// Options whose value is a file. `-` is standard input where the command reads and standard output where it
/// writes, like /dev/stdin and /dev/stdout; a file of that name is ./-.
namespace heddle::cli {

/// How the text of an option names files.
enum class file_text {
  path,            ///< FILE
  named_path,      ///< FILE, or x=FILE
  kernel_argument  ///< f32[]=FILE, which :out=FILE may follow
};

/// Says that the option names a file to read; returns the option.
CLI::Option* reads_file(CLI::Option* option, file_text form = file_text::path);

/// Says that the option names a file to write; returns the option.
CLI::Option* writes_file(CLI::Option* option);

/// Whether the option names a file, of either kind.
bool names_file(CLI::Option& option);

/// The files that the options of a subcommand name, after they have been read, and whether they are written.
std::vector<std::pair<std::string, bool>> files_named_by(CLI::App& command);

/// The checks of the values of an option, in their order.
std::vector<const CLI::Validator*> checks_of(CLI::Option& option);

/// After the options of a subcommand have been read: throws CLI::ValidationError where two of them read
/// standard input, or write to one file. Where one writes to standard output, `print` writes to standard
/// error from here on.
void check_files(CLI::App& command);

/// Throws heddle::error for a place that cannot be written to, so that it is known before the work begins;
/// does nothing for an empty path.
void require_writable(const std::string& path);

/// A path to the same bytes, which can be opened several times and in which a reader can go back: what is no
/// file, such as a pipe, is read to its end first. Standard input keeps its name.
std::string reopenable(const std::string& path);

}  // namespace heddle::cli
