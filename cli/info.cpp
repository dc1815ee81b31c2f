#include "cli/files/standard_output.hpp"
#include "commands.hpp"
#include "machine_description.hpp"
#include "over_ranks.hpp"
#include <heddle/memory.hpp>
#include <heddle/support/halo_exchange.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
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

/// The seconds of an exchange between neighbours, both ways at once: the fastest of several.
double seconds_of_exchange(const ranks& all, std::size_t bytes) {
  // Rows of so many bytes, of which each rank has two.
  halo_exchange halos(all, even_rows(2 * static_cast<std::size_t>(all.size()), all.size()), true);
  const memory rows(4 * bytes, all.where());
  const auto row = [&](std::size_t i) {
    return memory_part{static_cast<std::byte*>(rows.data()) + i * bytes, bytes};
  };
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 10; ++i) {
    all.barrier();
    const auto began = std::chrono::steady_clock::now();
    halos.start(row(0), row(1), row(2), row(3));
    halos.finish();
    all.where().wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    fastest = std::min(fastest, took.count());
  }
  return fastest;
}

/// The ranks, and what goes between them; every rank calls it.
json description_of_ranks() {
  const ranks& all = all_ranks();
  const std::vector<std::string> targets = said_by_all(all.where().text());
  const std::vector<std::string> cores = said_by_all(std::to_string(available_cores()));
  json described = {{"ranks", json::array()}};
  for (std::size_t r = 0; r < targets.size(); ++r)
    described["ranks"].push_back(
        {{"rank", r}, {"host", hosts_of_ranks()[r]}, {"target", targets[r]}, {"cores", std::stoi(cores[r])}});
  constexpr std::size_t few = 8, many = std::size_t{1} << 24;
  const double latency = seconds_of_exchange(all, few);
  described["exchange"] = {{"seconds_of_8_bytes", latency},
                           {"bytes_per_second", 2.0 * many / seconds_of_exchange(all, many)},
                           {"between_gpus", all.between_gpus()}};
  return described;
}

std::string table_of_ranks(const json& described) {
  std::string text;
  const auto row = [&text](const std::string& what, const std::string& value) {
    text += fmt::format("{:<18}{}\n", what, value);
  };
  for (const json& rank : described["ranks"])
    row(fmt::format("rank {}", rank["rank"].get<int>()),
        fmt::format("{} on {}", rank["target"].get<std::string>(), rank["host"].get<std::string>()));
  const json& exchange = described["exchange"];
  row("between ranks", fmt::format("8 bytes to both neighbours in {:.1f} us, 16 MiB at {} there and back",
                                   1e6 * exchange["seconds_of_8_bytes"].get<double>(),
                                   rate_text(exchange["bytes_per_second"])));
  if (const auto gpus = exchange["between_gpus"].get<std::string>(); !gpus.empty()) row("between GPUs", gpus);
  return text;
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
  command->footer(
      "Memory bandwidths are measured once a machine, which takes a second. HEDDLE_SIMD in the environment, "
      "baseline, avx2 or avx512, chooses the instruction set.");
  command->callback([options] {
    begin_together();
    // Bandwidths of memory are measured by one process.
    json all;
    if (is_first_rank()) all = machine_description();
    std::string text;
    if (is_over_ranks()) {
      const json described = description_of_ranks();
      if (is_first_rank()) all.update(described);
      text = table_of_ranks(described);
    }
    if (is_first_rank()) print(options->as_json ? all.dump(2) + "\n" : table(all) + text);
  });
}

}  // namespace heddle::cli
