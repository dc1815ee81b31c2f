#include "gpu_links.hpp"
#include <heddle/error.hpp>
#include <heddle/ranks.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>
#include <unistd.h>

namespace heddle {
namespace {

/// An exchange that has nothing to do.
class no_exchange final : public impl::exchange {
 public:
  void wait() override {}
};

class alone final : public impl::transport {
 public:
  using transport::all_gather, transport::all_to_all, transport::broadcast;
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  bool reads_gpus() const noexcept override { return true; }
  void barrier() override {}
  void broadcast(void*, std::size_t, int) override {}
  void all_gather(const void* mine, std::span<const std::size_t> bytes, void* all) override {
    if (bytes[0] > 0) std::memcpy(all, mine, bytes[0]);
  }
  void all_to_all(const void* from, std::span<const std::size_t> bytes_to, void* to,
                  std::span<const std::size_t>) override {
    if (bytes_to[0] > 0) std::memcpy(to, from, bytes_to[0]);
  }
  std::unique_ptr<impl::exchange> start(std::span<const impl::outgoing> sends,
                                        std::span<const impl::incoming> receives,
                                        const target& where) override {
    impl::copy_to_self(0, sends, receives, where);
    return std::make_unique<no_exchange>();
  }
  [[noreturn]] void abort(const std::string& message) override {
    fmt::print(stderr, "{}\n", message);
    std::exit(1);
  }
};

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

int ranks::launched() noexcept {
  const char* const alone = std::getenv("HEDDLE_RANKS");
  if (alone != nullptr && std::strcmp(alone, "1") == 0) return 1;
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* const text = std::getenv(name)) return std::max(1, std::atoi(text));
  }
  // Of launchers that tell the number to MPI alone.
  for (const char* const name : {"PMIX_RANK", "PMI_RANK", "MPI_LOCALNRANKS"}) {
    if (std::getenv(name) != nullptr) return 2;
  }
  return 1;
}

ranks::ranks(const target& where) : ranks(std::make_shared<alone>(), where) {}

ranks::ranks(std::shared_ptr<impl::transport> between, const target& where)
    : ranks(std::move(between), where, nullptr) {}

ranks::ranks(std::shared_ptr<impl::transport> between, const target& where, places before)
    : between_(std::move(between)), where_(where), places_(std::move(before)) {
  if (where.is_automatic()) fail("ranks: a rank computes on one target: name another than auto");
  if (size() == 1 && (!where.is_gpu() || between_->reads_gpus())) return;
  const impl::gpu_place mine = impl::place_of(where);
  const std::vector<std::size_t> bytes(static_cast<std::size_t>(size()), sizeof mine);
  std::vector<impl::gpu_place> all(bytes.size());
  between_->all_gather(&mine, bytes, all.data());
  if (places_ != nullptr && *places_ == all) return;
  if (auto cpu = between_->of_cpu()) between_ = std::move(cpu);
  if (std::any_of(all.begin(), all.end(), [](const impl::gpu_place& p) { return p.is_gpu != 0; }))
    between_ = impl::with_gpus(std::move(between_), where, all);
  places_ = std::make_shared<const std::vector<impl::gpu_place>>(std::move(all));
}

void ranks::throw_as_first(std::string message) const {
  std::size_t length = message.size();
  broadcast(length);
  if (length == 0) return;
  message.resize(length);
  broadcast(message);
  throw error(message);
}

std::vector<std::size_t> ranks::bytes_of_ranks(std::size_t bytes) const {
  std::vector<std::size_t> all(static_cast<std::size_t>(size()));
  const std::vector<std::size_t> each(all.size(), sizeof bytes);
  between_->all_gather(&bytes, each, all.data());
  return all;
}

void ranks::abort(const std::string& cause) const {
  between_->abort(size() == 1
                      ? fmt::format("heddle: {}", cause)
                      : fmt::format("heddle: rank {} of {} on {}: {}", rank(), size(), host_name(), cause));
  std::abort();  // GCC forgets that a virtual function does not return
}

}  // namespace heddle
