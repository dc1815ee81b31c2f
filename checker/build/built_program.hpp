#pragma once

#include "checker/build/compile.hpp"

#include <string>

/// Programs that heddle-nvcc builds. Such a file is a script of one line, which has this command run it, and
/// behind that the program's module.
namespace heddle::checker {

/// Writes one of a linked module that anyone may start.
/// \throws heddle::error when it cannot be written, or the command's path is no path for a script.
void write_built_program(const std::string& path, const std::string& module);

/// \throws heddle::error when the file is none.
compilation read_built_program(const std::string& path);

/// What the script's line has the command called with before the file's path.
inline constexpr const char* runs_built_program = "--run-built-program";

}  // namespace heddle::checker
