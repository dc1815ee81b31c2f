#include "core_set.hpp"
#include "process_limits.hpp"
#include "target/gpu_devices.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <limits>

#include <fmt/core.h>

namespace heddle {
namespace {

/// The number after the colon of "parallel:N" and "gpu:ID".
int number_in(std::string_view text, std::string_view digits, int least) {
  int number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || status != std::errc() || end != digits.data() + digits.size() || number < least) {
    fail(fmt::format("target \"{}\": \"{}\" is no number from {} to {}", text, digits, least,
                     std::numeric_limits<int>::max()));
  }
  return number;
}

}  // namespace

int available_cores() noexcept {
  constinit static std::atomic<int> known = 0;
  int most = known.load(std::memory_order_relaxed);
  if (most == 0) {
    try {
      most = impl::cgroup_processors().value_or(std::numeric_limits<int>::max());
    } catch (const std::exception&) {
      most = std::numeric_limits<int>::max();  // no memory to read what is limited
    }
    known.store(most, std::memory_order_relaxed);
  }
  return std::max(1, std::min(impl::core_set::of_this_thread().count(), most));
}

target target::parallel(int threads) {
  if (threads < 0) fail(fmt::format("target: parallel needs at least 1 thread, not {}", threads));
  constinit static std::atomic<int> known = 0;
  int cores = known.load(std::memory_order_relaxed);
  if (cores == 0) known.store(cores = available_cores(), std::memory_order_relaxed);
  const int most = std::max(256, 16 * cores);
  if (threads > most) {
    fail(fmt::format("target: parallel:{} is more than the {} threads that are of use on {} cores", threads,
                     most, cores));
  }
  return target(kind::parallel, threads == 0 ? cores : threads, nullptr);
}

target target::gpu(int device, gpu_stream stream) {
  if (device < 0) fail(fmt::format("target: there is no GPU {}", device));
  return target(kind::gpu, device, stream);
}

target target::best() {
  return gpu::device_count() == 0 ? parallel() : gpu();
}

target target::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const bool has_number = colon != text.npos;
  const std::string_view digits = has_number ? text.substr(colon + 1) : std::string_view();
  if (word == "parallel") return has_number ? parallel(number_in(text, digits, 1)) : parallel();
  if (word == "gpu") {
    const target where = has_number ? gpu(number_in(text, digits, 0)) : gpu();
    gpu::require_device(where);
    return where;
  }
  if (!has_number && word == "serial") return serial();
  if (!has_number && word == "auto") return automatic();
  fail(fmt::format("target \"{}\": use serial, parallel, parallel:N, gpu, gpu:ID or auto", text));
}

std::vector<target> target::available() {
  std::vector<target> all{serial(), parallel()};
  for (int device = 0; device < gpu::device_count(); ++device) all.push_back(gpu(device));
  return all;
}

std::string target::text() const {
  switch (kind_) {
    case kind::serial:
      return "serial";
    case kind::parallel:
      return fmt::format("parallel:{}", number_);
    case kind::gpu:
      return fmt::format("gpu:{}", number_);
    case kind::automatic:
      break;
  }
  return "auto";
}

void target::wait() const {
  if (is_gpu()) gpu::wait(*this);
}

}  // namespace heddle
