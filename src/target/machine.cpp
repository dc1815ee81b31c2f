#include "io/cache_folder.hpp"
#include "machine_key.hpp"
#include "target/gpu_devices.hpp"
#include <heddle/machine.hpp>
#include <heddle/reduce.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace heddle {
namespace {

using json = nlohmann::json;

/// The file of the bandwidths, which are measured once a machine.
constexpr const char* cache_name = "bandwidths.json";

/// Bytes a second that are read of x, by the best of its parts: on a busy machine the cores are seldom taken
/// away for all of them. Each is as long out of the caches as x is large.
double read_bandwidth(const target& where, const array<float>& x) {
  constexpr std::size_t parts = 8, repeats = 4;
  const std::size_t part = x.size() / parts;
  double best = 1e300;
  for (std::size_t i = 0; i < parts * repeats; ++i) {
    const array_view<const float> read = x.slice(i % parts * part, (i % parts + 1) * part);
    const auto start = std::chrono::steady_clock::now();
    const volatile float kept = reduce(where, read);
    static_cast<void>(kept);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return static_cast<double>(part * sizeof(float)) / best;
}

struct measurement {
  bandwidths found;
  bool is_complete = true;
};

/// Bandwidths that cannot be measured now, because memory or a GPU is in use, are guessed for this process.
measurement measure() {
  measurement all;
  try {
    array<float> x(std::size_t{1} << 26);  // larger than the caches that it must not measure
    x.fill(1.0f);
    all.found.one_core_read = read_bandwidth(target::serial(), x);
    all.found.all_cores_read = read_bandwidth(target::parallel(), x);
  } catch (const error&) {
    all.is_complete = false;
    all.found.one_core_read = all.found.all_cores_read = 1e10;
  }
  for (int device = 0; device < gpu::device_count(); ++device) {
    try {
      all.found.gpus.push_back(gpu::measure(device));
    } catch (const error&) {
      all.is_complete = false;
      all.found.gpus.push_back({});  // not chosen
    }
  }
  return all;
}

/// False when there is none, or it holds for another machine, or says what cannot be.
bool read_cache(const std::string& key, bandwidths& found) {
  std::optional<std::string> text;
  try {
    text = impl::cache_folder::named("").read(cache_name);
  } catch (const error&) {
    // A cache that is not the user's own is not read: the machine is measured again.
  }
  if (!text) return false;
  const json kept = json::parse(*text, nullptr, false);
  bandwidths read;
  bool possible = true;
  auto bandwidth = [&possible](const json& number) {
    const double value = number;
    possible = possible && value > 0;
    return value;
  };
  try {
    if (kept.at("machine") != key) return false;
    read.one_core_read = bandwidth(kept.at("one_core_read"));
    read.all_cores_read = bandwidth(kept.at("all_cores_read"));
    for (const json& gpu : kept.at("gpus")) {
      read.gpus.push_back(
          {bandwidth(gpu.at("read")), bandwidth(gpu.at("to_gpu")), bandwidth(gpu.at("from_gpu"))});
    }
  } catch (const json::exception&) {
    return false;
  }
  if (!possible || read.gpus.size() != static_cast<std::size_t>(gpu::device_count())) return false;
  found = std::move(read);
  return true;
}

void write_cache(const std::string& key, const bandwidths& found) {
  json gpus = json::array();
  for (const bandwidths::gpu& gpu : found.gpus) {
    gpus.push_back({{"read", gpu.read}, {"to_gpu", gpu.to_gpu}, {"from_gpu", gpu.from_gpu}});
  }
  const std::string text = json{
      {"machine", key},
      {"one_core_read", found.one_core_read},
      {"all_cores_read", found.all_cores_read},
      {"gpus", gpus}}.dump(2);
  try {
    impl::cache_folder::named("").write(cache_name, text);
  } catch (const error&) {
    // A cache that cannot be written costs a measurement in the next process; the caller's work goes on.
  }
}

}  // namespace

namespace impl {

std::string machine_key() {
  std::string key = fmt::format("heddle {}; {}; {} cores; {}", HEDDLE_VERSION, cpu_name(), available_cores(),
                                cpu_instruction_set());
  for (const gpu_properties& gpu : gpu::devices()) key += "; " + gpu.name;
  return key;
}

}  // namespace impl

std::vector<gpu_properties> gpus() {
  return gpu::devices();
}
std::string cuda_toolkit_version() {
  const int version = gpu::toolkit_version();
  return version == 0 ? "" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != line.npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

const bandwidths& measured_bandwidths() {
  // A child that is forked during the measurement measures anew.
  constinit static std::atomic<const bandwidths*> known = nullptr;
  constinit static fork_aware<std::optional<bandwidths>> measured;
  if (const bandwidths* const kept = known.load(std::memory_order_acquire); kept != nullptr) return *kept;
  const auto kept = measured.lock();
  if (*kept) return **kept;
  bandwidths found;
  const std::string key = impl::machine_key();
  if (!read_cache(key, found)) {
    const measurement now = measure();
    if (now.is_complete) write_cache(key, now.found);
    found = now.found;
  }
  known.store(&kept->emplace(found), std::memory_order_release);
  return **kept;
}

/// Whether a GPU that holds none of it yet has room for what a call reads and writes.
static bool fits(int device, const traffic& work) {
  try {
    return work.bytes_read + work.bytes_written < gpu::free_bytes(device);
  } catch (const error&) {
    return false;
  }
}

target resolve(const target& where, const traffic& work) {
  if (!where.is_automatic()) return where;
  if (work.data_on.is_gpu()) gpu::require_device(work.data_on);
  // The seconds to start threads and a kernel; only their order of magnitude matters here.
  constexpr double start_threads = 10e-6, start_kernel = 15e-6;
  constexpr std::size_t always_serial_bytes = std::size_t{1} << 18;
  const double bytes = static_cast<double>(work.bytes_read + work.bytes_written);
  const bool on_cpu = !work.data_on.is_gpu();
  if (on_cpu && work.bytes_read + work.bytes_written <= always_serial_bytes) return target::serial();
  if (!on_cpu && work.gpu_possible && work.bytes_read <= always_serial_bytes) return work.data_on;

  const bandwidths& machine = measured_bandwidths();
  const double fetch = on_cpu ? 0
                              : static_cast<double>(work.bytes_read) /
                                    machine.gpus[static_cast<std::size_t>(work.data_on.device())].from_gpu;
  target best = target::serial();
  double least = fetch + bytes / machine.one_core_read;
  const double parallel = fetch + start_threads + bytes / machine.all_cores_read;
  if (parallel < least) {
    best = target::parallel();
    least = parallel;
  }
  if (!work.gpu_possible || gpu::device_count() == 0) return best;
  for (std::size_t device = 0; device < machine.gpus.size(); ++device) {
    const bandwidths::gpu& gpu = machine.gpus[device];
    if (gpu.read == 0) continue;
    const bool here = !on_cpu && work.data_on.device() == static_cast<int>(device);
    const double send = here ? 0 : fetch + static_cast<double>(work.bytes_read) / gpu.to_gpu;
    // A result on the GPU has to come back when everything else is on the CPU.
    const double back = on_cpu ? static_cast<double>(work.bytes_written) / gpu.from_gpu : 0;
    const double seconds = send + start_kernel + bytes / gpu.read + back;
    if (seconds < least && (here || fits(static_cast<int>(device), work))) {
      best = here ? work.data_on : target::gpu(static_cast<int>(device));
      least = seconds;
    }
  }
  return best;
}

}  // namespace heddle
