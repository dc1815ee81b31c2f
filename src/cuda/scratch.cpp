#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/scratch.cuh>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <utility>

namespace heddle::cuda {
namespace {

struct scratch_of_stream {
  std::mutex mutex;
  detail::memory words, counters, bytes;
};

/// Streams are told apart by their numbers, because a handle is used again when its stream is gone.
scratch_of_stream& scratch_of(const target& where) {
  using key = std::pair<int, unsigned long long>;
  static std::mutex mutex;
  static auto& all = *new std::map<key, std::unique_ptr<scratch_of_stream>>;
  unsigned long long number = 0;
  check(cudaStreamGetId(where.stream(), &number), "cudaStreamGetId");
  std::lock_guard lock(mutex);
  auto& scratch = all[{where.device(), number}];
  if (!scratch) scratch = std::make_unique<scratch_of_stream>();
  return *scratch;
}

/// Makes `memory` at least so large.
void provide(detail::memory& memory, std::size_t bytes, bool cleared, const target& where) {
  if (memory.bytes() >= bytes) return;
  memory = detail::memory();
  memory = detail::memory(bytes, where);
  if (cleared) check(cudaMemsetAsync(memory.data(), 0, bytes, where.stream()), "cudaMemsetAsync");
}

}  // namespace

lent_scratch::lent_scratch(const target& where, const scratch_sizes& sizes) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(where.stream(), &capture), "cudaStreamIsCapturing");
  std::size_t least = 0;
  if (capture != cudaStreamCaptureStatusNone) {
    words_ = &captured_[0];
    counters_ = &captured_[1];
    bytes_ = &captured_[2];
  } else {
    scratch_of_stream& kept = scratch_of(where);
    lock_ = std::unique_lock(kept.mutex);
    words_ = &kept.words;
    counters_ = &kept.counters;
    bytes_ = &kept.bytes;
    least = std::size_t{1} << 16;  // so that it grows seldom
  }
  if (sizes.words > 0) {
    provide(*words_, std::max(least, (header_words + sizes.words) * sizeof(std::uint64_t)), true, where);
  }
  if (sizes.counters > 0)
    provide(*counters_, std::max(least, sizes.counters * sizeof(unsigned)), true, where);
  if (sizes.bytes > 0) provide(*bytes_, std::max(least, sizes.bytes), false, where);
}

lent_scratch::~lent_scratch() = default;

unsigned multiprocessors(const target& where) {
  static std::array<std::atomic<int>, 64> known{};
  const auto device = static_cast<std::size_t>(where.device());
  int count = device < known.size() ? known[device].load(std::memory_order_relaxed) : 0;
  if (count == 0) {
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, where.device()),
          "cudaDeviceGetAttribute");
    if (device < known.size()) known[device].store(count, std::memory_order_relaxed);
  }
  return static_cast<unsigned>(count);
}

}  // namespace heddle::cuda
