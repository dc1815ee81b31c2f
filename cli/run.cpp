#include "checker/arguments.hpp"
#include "checker/lines.hpp"
#include "checker/report.hpp"
#include "commands.hpp"
#include "kernel_options.hpp"
#include "standard_output.hpp"
#include <heddle/error.hpp>

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

void run(const kernel_options& options) {
  std::vector<checker::argument> arguments = options.read_arguments();
  checker::compile_options compile = options.compile;
  compile.is_watched = false;
  const checker::compilation compiled = checker::compile(options.source, options.kernel, compile);
  const checker::module loaded(compiled.library.string(), compiled.declaration, options.kernel);
  checker::launch_options launch = options.launch();
  launch.is_watched = false;
  checker::launch_outcome outcome = checker::run(loaded, arguments, launch);
  print(outcome.printed);
  if (!outcome.findings.empty()) {
    checker::find_lines(loaded, outcome.findings);
    const checker::place& p = outcome.findings.front().places.front();
    throw error(fmt::format("{}:{}: {}: {} (heddle check says more)", p.file, p.line,
                            name(outcome.findings.front().kind), outcome.findings.front().detail));
  }
  checker::write_outputs(arguments);
  if (options.stats) {
    nlohmann::ordered_json line;
    line["pattern"] = "run";
    line["kernel"] = options.kernel;
    line["target"] = options.target;
    line["cached"] = compiled.was_cached;
    line["seconds"] = outcome.seconds;
    print_error(line.dump() + "\n");
  }
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Run a CUDA kernel from a file");
  const auto options = std::make_shared<kernel_options>();
  options->add_to(*command);
  command->footer(
      "What the kernel prints goes to standard output, arrays to the files that their :out= names.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
