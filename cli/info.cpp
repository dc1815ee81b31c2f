#include "commands.hpp"
#include "standard_output.hpp"
#include <heddle/machine.hpp>
#include <heddle/target.hpp>

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <oneapi/tbb/version.h>

namespace heddle::cli {
namespace {

using json = nlohmann::ordered_json;

/// The CUDA version that the installed driver runs, such as "13.0"; empty without a driver.
std::string cuda_driver_version() {
  const std::unique_ptr<void, int (*)(void*)> driver(::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL),
                                                     ::dlclose);
  if (driver == nullptr) return "";
  const auto get_version = reinterpret_cast<int (*)(int*)>(::dlsym(driver.get(), "cuDriverGetVersion"));
  int version = 0;
  if (get_version == nullptr || get_version(&version) != 0) return "";
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

json machine() {
  const bandwidths& measured = measured_bandwidths();
  json all;
  all["version"] = HEDDLE_VERSION;
  for (const target& where : target::available()) all["targets"].push_back(where.text());
  all["cpu"] = {{"name", cpu_name()},
                {"cores", available_cores()},
                {"instruction_set", cpu_instruction_set()},
                {"read_bytes_per_second",
                 {{"one_core", measured.one_core_read}, {"all_cores", measured.all_cores_read}}}};
  all["gpus"] = json::array();
  for (const gpu_properties& gpu : gpus()) {
    json found = {{"target", target::gpu(gpu.device).text()},
                  {"name", gpu.name},
                  {"compute_capability",
                   fmt::format("{}.{}", gpu.compute_capability_major, gpu.compute_capability_minor)},
                  {"multiprocessors", gpu.multiprocessors},
                  {"memory_bytes", gpu.memory_bytes},
                  {"free_bytes", gpu.free_bytes}};
    const std::size_t index = all["gpus"].size();
    if (index < measured.gpus.size()) {
      found["read_bytes_per_second"] = measured.gpus[index].read;
      found["to_gpu_bytes_per_second"] = measured.gpus[index].to_gpu;
      found["from_gpu_bytes_per_second"] = measured.gpus[index].from_gpu;
    }
    all["gpus"].push_back(std::move(found));
  }
  all["libraries"] = {
      {"oneTBB", fmt::format("{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"CLI11", CLI11_VERSION},
      {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)}};
  const auto version = [](const std::string& text) { return text.empty() ? json() : json(text); };
  all["cuda"] = {{"toolkit", version(cuda_toolkit_version())}, {"driver", version(cuda_driver_version())}};
  return all;
}

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
    const json all = machine();
    print(options->as_json ? all.dump(2) + "\n" : table(all));
  });
}

}  // namespace heddle::cli
