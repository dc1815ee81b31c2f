#include "commands.hpp"
#include "machine_description.hpp"
#include "standard_output.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

using json = nlohmann::ordered_json;

std::string rate_text(const json& bytes_per_second) {
  const double rate = bytes_per_second.get<double>();
  return rate < 1e12 ? fmt::format("{:.1f} GB/s", rate / 1e9) : fmt::format("{:.2f} TB/s", rate / 1e12);
}

std::string joined(const json& texts) {
  std::string all;
  for (const json& text : texts) all += (all.empty() ? "" : ", ") + text.get<std::string>();
  return all;
}

std::string table(const json& all) {
  std::string text;
  const auto row = [&text](const std::string& what, const std::string& value) {
    text += fmt::format("{:<18}{}\n", what, value);
  };
  const auto text_of = [](const json& value) { return value.get<std::string>(); };
  row("heddle", text_of(all["version"]));
  row("targets", joined(all["targets"]));
  const json& cpu = all["cpu"];
  row("processor", text_of(cpu["name"]));
  row("cores", std::to_string(cpu["cores"].get<int>()));
  row("SIMD", text_of(cpu["instruction_set"]));
  row("memory read",
      fmt::format("{} by one core, {} by all", rate_text(cpu["read_bytes_per_second"]["one_core"]),
                  rate_text(cpu["read_bytes_per_second"]["all_cores"])));
  if (all["gpus"].empty()) row("GPUs", "none");
  for (const json& gpu : all["gpus"]) {
    constexpr double gib = 1 << 30;
    row(text_of(gpu["target"]),
        fmt::format("{}, compute capability {}, {} multiprocessors, {:.1f} GiB of memory ({:.1f} free)",
                    text_of(gpu["name"]), text_of(gpu["compute_capability"]),
                    gpu["multiprocessors"].get<int>(), gpu["memory_bytes"].get<double>() / gib,
                    gpu["free_bytes"].get<double>() / gib));
    if (gpu.contains("read_bytes_per_second")) {
      row("", fmt::format("memory read {}, to the GPU {}, from it {}",
                          rate_text(gpu["read_bytes_per_second"]), rate_text(gpu["to_gpu_bytes_per_second"]),
                          rate_text(gpu["from_gpu_bytes_per_second"])));
    }
  }
  std::vector<std::string> libraries;
  for (const auto& [library, version] : all["libraries"].items()) {
    libraries.push_back(library + " " + version.get<std::string>());
  }
  row("libraries", joined(json(libraries)));
  const json &toolkit = all["cuda"]["toolkit"], &driver = all["cuda"]["driver"];
  row("CUDA", fmt::format("{}, {}", toolkit.is_null() ? "built without it" : "built with " + text_of(toolkit),
                          driver.is_null() ? "no driver" : "driver for " + text_of(driver)));
  return text;
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "What this machine can run on, and how fast its memory is");
  struct info_options {
    bool as_json = false, quiet = false;
  };
  const auto options = std::make_shared<info_options>();
  command->add_flag("--json", options->as_json, "One JSON object");
  command->add_flag("--quiet", options->quiet, "No progress line, of which there is none here");
  command->footer("Memory bandwidths are measured once a machine, which takes a second.");
  command->callback([options] {
    const json all = machine_description();
    print(options->as_json ? all.dump(2) + "\n" : table(all));
  });
}

}  // namespace heddle::cli
