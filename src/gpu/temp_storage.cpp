#include "gpu/capture.hpp"
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/temp_storage.cuh>

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::gpu {
struct temp_storage::kept_scratch {
  std::mutex mutex;
  memory words, counters, bytes;
  std::uint32_t launches = 0;      ///< that have marked the words
  unsigned long long tickets = 0;  ///< that these have taken
};

namespace {

constexpr std::size_t most_streams = 1024;

using streams = std::map<std::pair<int, unsigned long long>, std::shared_ptr<temp_storage::kept_scratch>>;

/// The storage of streams, by device and number: a handle is used again when its stream is gone. It is never
/// destroyed, as CUDA may be gone at the end of a program.
struct kept_by_streams {
  std::mutex mutex;
  streams all;
};
kept_by_streams& kept() {
  static auto& only = *new kept_by_streams;
  return only;
}

/// Frees what only the map holds. Whoever calls this has the map's mutex, and the device is idle.
void free_unused(streams& all, const target& where) {
  const target any_stream = target::gpu(where.device());
  for (auto next = all.begin(); next != all.end();) {
    const auto at = next++;
    if (at->first.first != where.device() || at->second.use_count() > 1) continue;
    for (memory* part : {&at->second->words, &at->second->counters, &at->second->bytes})
      part->free_on(any_stream);
    all.erase(at);
  }
}

}  // namespace

void free_kept_storage(const target& where) {
  std::lock_guard lock(kept().mutex);
  free_unused(kept().all, where);
}

std::shared_ptr<temp_storage::kept_scratch> temp_storage::kept_for(const target& where) {
  unsigned long long number = 0;
  check(cudaStreamGetId(where.stream(), &number), "cudaStreamGetId");
  std::lock_guard lock(kept().mutex);
  streams& all = kept().all;
  const std::pair key{where.device(), number};
  if (const auto found = all.find(key); found != all.end()) return found->second;
  // Nothing tells when a stream is gone. A wait that some capture forbids is tried again at the next stream.
  if (all.size() >= most_streams) {
    if (cudaDeviceSynchronize() == cudaSuccess) {
      free_unused(all, where);
    } else {
      cudaGetLastError();
    }
  }
  return all.emplace(key, std::make_shared<kept_scratch>()).first->second;
}

namespace {

/// Makes `part` at least so large.
void provide(memory& part, std::size_t bytes, const target& where) {
  if (part.bytes() >= bytes) return;
  part = memory();
  part = memory(bytes, where);
}

void clear(const memory& part, const target& where) {
  check(cudaMemsetAsync(part.data(), 0, part.bytes(), where.stream()), "cudaMemsetAsync");
}

/// The same, of zeros where it is new, and whether it is. What could not be cleared is not kept.
bool provide_zeros(memory& part, std::size_t bytes, const target& where) {
  if (part.bytes() >= bytes) return false;
  part = memory();
  memory made(bytes, where);
  clear(made, where);
  part = std::move(made);
  return true;
}

}  // namespace

temp_storage::temp_storage(const target& where, const temp_storage_sizes& sizes) {
  std::size_t least = 0;
  if (is_captured(where)) {
    words_ = &captured_[0];
    counters_ = &captured_[1];
    bytes_ = &captured_[2];
  } else {
    kept_ = kept_for(where);
    lock_ = std::unique_lock(kept_->mutex);
    words_ = &kept_->words;
    counters_ = &kept_->counters;
    bytes_ = &kept_->bytes;
    least = std::size_t{1} << 16;  // so that it grows seldom
  }
  if (sizes.words > 0) {
    const std::size_t bytes = (header_words + sizes.words) * sizeof(std::uint64_t);
    const bool numbers_used_up = kept_ != nullptr && kept_->launches == ~std::uint32_t{0};
    const bool is_new = provide_zeros(*words_, std::max(least, bytes), where);
    if (!is_new && numbers_used_up) clear(*words_, where);
    if ((is_new || numbers_used_up) && kept_ != nullptr) kept_->launches = kept_->tickets = 0;
    if (kept_ != nullptr) {
      launch_number_ = kept_->launches + 1;
      first_ticket_ = kept_->tickets;
    }
  }
  if (sizes.counters > 0)
    provide_zeros(*counters_, std::max(least, sizes.counters * sizeof(unsigned)), where);
  if (sizes.bytes > 0) provide(*bytes_, std::max(least, sizes.bytes), where);
}

temp_storage::~temp_storage() = default;

void temp_storage::launched(unsigned long long tickets) noexcept {
  if (kept_ == nullptr) return;
  kept_->launches = launch_number_;
  kept_->tickets += tickets;
}

}  // namespace heddle::gpu
