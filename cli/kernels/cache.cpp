#include "cli/commands.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/options/whole_number.hpp"
#include <heddle/kernel_cache.hpp>
#include <heddle/support/number_text.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

struct cache_options {
  bool clears = false, as_json = false;
  std::optional<std::uint64_t> size;
};

void run(const cache_options& options) {
  if (options.size) limit_kernel_cache(*options.size);
  if (options.clears) clear_kernel_cache();
  const kernel_cache_contents found = inspect_kernel_cache();
  if (options.as_json) {
    const nlohmann::ordered_json all{{"folder", found.folder.string()},
                                     {"entries", found.entries},
                                     {"bytes", found.bytes},
                                     {"limit_bytes", found.most_bytes}};
    print(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return;
  }
  const auto size = [](std::uint64_t bytes) {
    return fmt::format("{} ({})", bytes, bytes_text(static_cast<double>(bytes)));
  };
  print(fmt::format("folder   {}\nentries  {}\nbytes    {}\nlimit    {}\n", found.folder.string(),
                    found.entries, size(found.bytes), size(found.most_bytes)));
}

}  // namespace

void add_cache(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("cache", "Compiled kernels that are kept: where, how many, and their size");
  const auto options = std::make_shared<cache_options>();
  command->add_flag("--clear", options->clears, "Remove them all");
  command
      ->add_option("--size", options->size,
                   "How large they may be together: 2GiB, 500MB or a number of bytes; default 1GiB")
      ->option_text("SIZE")
      ->transform(byte_count());
  command->add_flag("--json", options->as_json, "One JSON object");
  command->footer(
      "What was not used for longest goes when they are larger. The size holds for later runs, too;\n"
      "HEDDLE_CACHE_SIZE in the environment takes its place.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
