#include "io/cache_folder.hpp"
#include "machine_key.hpp"
#include <heddle/error.hpp>
#include <heddle/machine.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/threads.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace heddle {
namespace {

using json = nlohmann::json;
using clock = std::chrono::steady_clock;

constexpr const char* file_of_copies = "copy-bandwidths.json";

/// Less than the 100 ms of the contract, because the last copy begins before this time is over.
constexpr std::chrono::milliseconds time_to_measure{80};

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t bytes_of_line = 64, grain_lines = 1024;

/// Bytes of each of the two buffers. Every thread of a CPU has 2 MiB, which takes longer than its start. A
/// GPU's buffers are larger than its cache.
std::size_t bytes_of_buffer(const target& where) {
  if (where.is_gpu()) return 256 * mebibyte;
  return std::clamp(2 * mebibyte * static_cast<std::size_t>(where.threads()), 8 * mebibyte, 64 * mebibyte);
}

/// Non-temporal stores remove the lines that they write from the caches. A copy back therefore reads from
/// memory, although the buffers are smaller than the caches. On processors other than x86-64 the stores are
/// ordinary, and the rate may be that of the caches.
void copy_on_cpu(const target& where, void* to, const void* from, std::size_t bytes) {
  cpu::for_slices(where.threads(), bytes / bytes_of_line, grain_lines,
                  [&](std::size_t first, std::size_t last) {
                    auto* const out = static_cast<std::byte*>(to) + first * bytes_of_line;
                    const auto* const in = static_cast<const std::byte*>(from) + first * bytes_of_line;
#if defined(__x86_64__)
                    cpu::copy_lines_non_temporal(in, out, (last - first) * bytes_of_line);
                    cpu::store_fence();
#else
    std::memcpy(out, in, (last - first) * bytes_of_line);
#endif
                  });
}

/// By the fastest of the copies there and back: on a busy machine the cores are seldom taken away for all of
/// them.
double measure_copy(const target& where) {
  const clock::time_point began = clock::now();
  const std::size_t bytes = bytes_of_buffer(where);
  memory here(bytes, where), there(bytes, where);
  const char zero = 0;
  if (where.is_gpu()) {
    for (memory* const one : {&here, &there}) fill(one->data(), where, bytes, &zero, 1);
    where.wait();
  } else {
    cpu::for_slices(where.threads(), bytes / bytes_of_line, grain_lines,
                    [&](std::size_t first, std::size_t last) {
                      for (memory* const one : {&here, &there})
                        std::memset(static_cast<std::byte*>(one->data()) + first * bytes_of_line, 0,
                                    (last - first) * bytes_of_line);
                    });
  }
  double best = 1e300;
  bool is_warm = false;
  do {
    const clock::time_point start = clock::now();
    if (where.is_gpu()) {
      copy(there.data(), where, here.data(), where, bytes);
      where.wait();
    } else {
      copy_on_cpu(where, there.data(), here.data(), bytes);
    }
    // The first copy reads lines that the caches may still hold.
    if (std::exchange(is_warm, true))
      best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
    std::swap(here, there);
  } while (clock::now() - began < time_to_measure || best == 1e300);
  return 2 * static_cast<double>(bytes) / best;
}

/// The rates of this machine that earlier processes have kept, by the names of targets.
json kept_rates() {
  std::optional<std::string> text;
  try {
    text = impl::cache_folder::named("").read(file_of_copies);
  } catch (const error&) {
    // A file that is not the user's own is not read.
  }
  const json kept = text ? json::parse(*text, nullptr, false) : json();
  if (!kept.is_object() || kept.value("machine", json()) != impl::machine_key()) return json::object();
  const json rates = kept.value("copies", json());
  return rates.is_object() ? rates : json::object();
}

void keep_copy(const std::string& name, double rate) {
  json rates = kept_rates();
  rates[name] = rate;
  try {
    impl::cache_folder::named("").write(file_of_copies,
                                        json{{"machine", impl::machine_key()}, {"copies", rates}}.dump(2));
  } catch (const error&) {
    // The next process measures again, if this one cannot write to the folder.
  }
}

}  // namespace

double measured_copy_bandwidth(const target& where) {
  if (where.is_automatic()) fail("measured_copy_bandwidth: auto is no place to measure: name a target");
  // A child that is forked during the measurement measures anew.
  constinit static fork_aware<std::map<std::string, double>> all_found;
  const std::string name = where.text();
  const auto found = all_found.lock();
  if (const auto known = found->find(name); known != found->end()) return known->second;
  const json kept = kept_rates().value(name, json());
  double rate = kept.is_number() ? kept.get<double>() : 0;
  if (!(rate > 0)) {
    rate = measure_copy(where);
    keep_copy(name, rate);
  }
  return (*found)[name] = rate;
}

}  // namespace heddle
