#include "text_output.hpp"

#include "cli/options/file_options.hpp"
#include "standard_output.hpp"
#include <heddle/support/atomic_file.hpp>

#include <CLI/CLI.hpp>

namespace heddle::cli {

void add_text_output_to(CLI::App& command, std::string& output) {
  writes_file(command.add_option("-o,--output", output, "Where it goes; default standard output")
                  ->option_text("FILE"));
}

void write_text(const std::string& output, const std::string& text) {
  if (output.empty()) return print(text);
  atomic_file file(output);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace heddle::cli
