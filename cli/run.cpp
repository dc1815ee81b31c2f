#include "checker/arguments.hpp"
#include "commands.hpp"
#include "kernel_options.hpp"
#include "standard_output.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

/// The arguments of a launch, in the memory of a target.
class placed_arguments {
 public:
  placed_arguments(const std::vector<checker::argument>& arguments, const target& where) : where_(where) {
    for (const checker::argument& a : arguments) {
      memories_.emplace_back(a.is_array ? a.bytes.size() : 0, where);
      pointers_.push_back(memories_.back().data());
      if (a.is_array && a.is_written)
        detail::copy(pointers_.back(), where, a.bytes.data(), target(), a.bytes.size());
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const checker::argument& a = arguments[i];
      const auto type = static_cast<detail::number>(a.type);
      const std::size_t element = checker::bytes_of(a.type);
      const void* const value = a.is_array ? static_cast<const void*>(&pointers_[i]) : a.bytes.data();
      described_.push_back({value, type, element, a.is_array, false, a.is_array ? &where_ : nullptr});
    }
  }

  const std::vector<detail::kernel_argument>& described() const { return described_; }

  /// Brings what the kernel left in the arrays that are wanted.
  void bring_back(std::vector<checker::argument>& arguments) const {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      checker::argument& a = arguments[i];
      if (a.is_array && !a.output.empty())
        detail::copy(a.bytes.data(), target(), pointers_[i], where_, a.bytes.size());
    }
  }

 private:
  target where_;
  std::vector<detail::memory> memories_;
  std::vector<void*> pointers_;
  std::vector<detail::kernel_argument> described_;
};

void run(const kernel_options& options) {
  const dimensions grid = options.grid_dimensions(), block = options.block_dimensions();
  std::vector<checker::argument> arguments = options.read_arguments();
  module_options how;
  how.definitions = options.compile.definitions;
  how.include_folders = options.compile.include_folders;
  how.standard = options.compile.standard;
  if (options.kernel.find('<') != std::string::npos) how.name_expressions.push_back(options.kernel);
  const module compiled = module::from_file(target::parse(options.target), options.source, how);
  const target& where = compiled.where();
  const kernel_function kernel = compiled.function(options.kernel);

  const placed_arguments placed(arguments, where);
  where.wait();
  const auto began = std::chrono::steady_clock::now();
  kernel(grid, block, options.shared_bytes).call(placed.described().data(), arguments.size());
  where.wait();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  std::fflush(stdout);  // what the kernel printed
  placed.bring_back(arguments);
  checker::write_outputs(arguments);
  if (options.stats) {
    nlohmann::ordered_json line;
    line["pattern"] = "run";
    line["kernel"] = options.kernel;
    line["target"] = where.text();
    line["cached"] = compiled.was_cached();
    line["seconds"] = elapsed.count();
    print_error(line.dump() + "\n");
  }
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Run a CUDA kernel from a file");
  const auto options = std::make_shared<kernel_options>();
  options->add_to(*command);
  command->footer(
      "What the kernel prints goes to standard output, arrays to the files that their :out= names.\n"
      "On a GPU NVRTC compiles, and on a CPU the system's C++ compiler; auto is the first GPU, or every "
      "core.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
