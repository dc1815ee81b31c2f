#include "checker/build/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/options/option_checks.hpp"
#include "kernel_options.hpp"
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

/// Ends the process unless it is taken back in time: a launch can be stopped by nothing else.
class deadline {
 public:
  /// None for 0 seconds.
  deadline(double seconds, const std::string& kernel) {
    if (seconds == 0) return;
    try {
      watches_ = std::thread([this, seconds, kernel] { end_after(seconds, kernel); });
    } catch (const std::system_error& refused) {
      fail(fmt::format(
          "the system gives no thread that ends the kernel after --timeout: {}: raise the limit of "
          "processes (ulimit -u)",
          refused.code().message()));
    }
  }
  ~deadline() {
    if (!watches_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    watches_.join();
  }
  deadline(const deadline&) = delete;
  deadline& operator=(const deadline&) = delete;

 private:
  void end_after(double seconds, const std::string& kernel) {
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return has_ended_; })) return;
    std::fflush(stdout);
    try {
      print_error(fmt::format(
          "heddle run: {} has not ended after {} s, as --timeout says: heddle check tells what its "
          "threads wait for\n",
          kernel, seconds));
    } catch (...) {
      // Without memory for the line the status says it alone.
    }
    std::_Exit(1);
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread watches_;
};

struct launch_options : kernel_options {
  double timeout = 0;
};

/// The arguments of a launch, in the memory of a target.
class placed_arguments {
 public:
  placed_arguments(const std::vector<checker::argument>& arguments, const target& where) : where_(where) {
    for (const checker::argument& a : arguments) {
      memories_.emplace_back(a.is_array ? a.bytes.size() : 0, where);
      pointers_.push_back(memories_.back().data());
      if (a.is_array && a.is_written) copy(pointers_.back(), where, a.bytes.data(), target(), a.bytes.size());
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      // Nothing writes to what is passed by value.
      auto* const bytes = const_cast<std::byte*>(arguments[i].bytes.data());
      values_.push_back(arguments[i].is_array ? static_cast<void*>(&pointers_[i]) : bytes);
    }
  }

  /// A pointer to each.
  const std::vector<void*>& values() const { return values_; }

  /// Brings what the kernel left in the arrays that are wanted.
  void bring_back(std::vector<checker::argument>& arguments) const {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      checker::argument& a = arguments[i];
      if (a.is_array && !a.output.empty())
        copy(a.bytes.data(), target(), pointers_[i], where_, a.bytes.size());
    }
  }

 private:
  target where_;
  std::vector<memory> memories_;
  std::vector<void*> pointers_, values_;
};

struct launched {
  std::string target;
  bool was_cached;
  double seconds;
};

/// Launches the kernel, and leaves in the arguments what it wrote.
launched launch(const launch_options& options, std::vector<checker::argument>& arguments) {
  const dimensions grid = options.grid_dimensions(), block = options.block_dimensions();
  module_options how;
  how.definitions = options.compile.definitions;
  how.include_folders = options.compile.include_folders;
  how.standard = options.compile.standard;
  if (options.kernel.find('<') != std::string::npos) how.name_expressions.push_back(options.kernel);
  // It outlives the module: a GPU's driver may print as late as when that is unloaded.
  const printing_beside_data printed;
  const module compiled = module::from_file(target::parse(options.target), options.source, how);
  const target& where = compiled.where();
  const kernel_function kernel = compiled.function(options.kernel);
  checker::check_arguments(kernel, arguments);

  const placed_arguments placed(arguments, where);
  where.wait();
  const auto began = std::chrono::steady_clock::now();
  {
    const deadline limit(options.timeout, options.kernel);
    std::optional<kernel_faults> faults;
    if (!where.is_gpu()) faults.emplace(options.kernel);
    kernel.launch(grid, block, options.shared_bytes, placed.values().data());
    where.wait();
    std::fflush(stdout);  // what the kernel printed
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  placed.bring_back(arguments);
  return {where.text(), compiled.was_cached(), elapsed.count()};
}

void run(const launch_options& options) {
  std::vector<checker::argument> arguments = options.read_arguments();
  const launched done = launch(options, arguments);
  checker::write_outputs(arguments);
  if (options.stats) {
    nlohmann::ordered_json line;
    line["pattern"] = "run";
    line["kernel"] = options.kernel;
    line["target"] = done.target;
    line["cached"] = done.was_cached;
    line["seconds"] = done.seconds;
    print_error(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Run a CUDA kernel from a file");
  const auto options = std::make_shared<launch_options>();
  options->add_to(*command);
  command
      ->add_option("--timeout", options->timeout,
                   "Seconds after which the launch is given up, with exit status 1; default none")
      ->option_text("SECONDS")
      ->check(check_number::above(0));
  command->footer(
      "What the kernel prints goes to standard output, arrays to the files that their :out= names.\n"
      "On a GPU NVRTC compiles, and on a CPU the system's C++ compiler; auto is the first GPU, or every "
      "core.");
  command->callback([options] {
    try {
      run(*options);
    } catch (const checker::argument_error& wrong) {
      print_error(fmt::format("heddle run: {}\n", wrong.what()));
      throw ended{2};
    }
  });
}

}  // namespace heddle::cli
