#include "machine_description.hpp"

#include <heddle/machine.hpp>
#include <heddle/target.hpp>

#include <memory>
#include <string>

#include <CLI/Version.hpp>
#include <dlfcn.h>
#include <fmt/core.h>
#include <oneapi/tbb/version.h>

namespace heddle::cli {

using json = nlohmann::ordered_json;

namespace {

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

}  // namespace

json machine_description() {
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

}  // namespace heddle::cli
