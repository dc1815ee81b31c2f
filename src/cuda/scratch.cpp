#include <heddle/cuda/launch.cuh>
#include <heddle/cuda/scratch.cuh>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <utility>

namespace heddle::cuda {
struct lent_scratch::kept_scratch {
  std::mutex mutex;
  detail::memory words, counters, bytes;
  std::uint32_t launches = 0;      ///< that have marked the words
  unsigned long long tickets = 0;  ///< that these have taken
};

/// Streams are told apart by their numbers, because a handle is used again when its stream is gone.
lent_scratch::kept_scratch& lent_scratch::kept_for(const target& where) {
  using key = std::pair<int, unsigned long long>;
  static std::mutex mutex;
  static auto& all = *new std::map<key, std::unique_ptr<kept_scratch>>;
  unsigned long long number = 0;
  check(cudaStreamGetId(where.stream(), &number), "cudaStreamGetId");
  std::lock_guard lock(mutex);
  auto& kept = all[{where.device(), number}];
  if (!kept) kept = std::make_unique<kept_scratch>();
  return *kept;
}

namespace {

/// Makes `memory` at least so large; whether it is new.
bool provide(detail::memory& memory, std::size_t bytes, const target& where) {
  if (memory.bytes() >= bytes) return false;
  memory = detail::memory();
  memory = detail::memory(bytes, where);
  return true;
}

void clear(const detail::memory& memory, const target& where) {
  check(cudaMemsetAsync(memory.data(), 0, memory.bytes(), where.stream()), "cudaMemsetAsync");
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
    kept_ = &kept_for(where);
    lock_ = std::unique_lock(kept_->mutex);
    words_ = &kept_->words;
    counters_ = &kept_->counters;
    bytes_ = &kept_->bytes;
    least = std::size_t{1} << 16;  // so that it grows seldom
  }
  if (sizes.words > 0) {
    const std::size_t bytes = (header_words + sizes.words) * sizeof(std::uint64_t);
    const bool numbers_used_up = kept_ != nullptr && kept_->launches == ~std::uint32_t{0};
    if (provide(*words_, std::max(least, bytes), where) || numbers_used_up) {
      clear(*words_, where);
      if (kept_ != nullptr) kept_->launches = kept_->tickets = 0;
    }
    if (kept_ != nullptr) {
      launch_number_ = kept_->launches + 1;
      first_ticket_ = kept_->tickets;
    }
  }
  if (sizes.counters > 0) {
    if (provide(*counters_, std::max(least, sizes.counters * sizeof(unsigned)), where))
      clear(*counters_, where);
  }
  if (sizes.bytes > 0) provide(*bytes_, std::max(least, sizes.bytes), where);
}

lent_scratch::~lent_scratch() = default;

void lent_scratch::launched(unsigned long long tickets) noexcept {
  if (kept_ == nullptr) return;
  kept_->launches = launch_number_;
  kept_->tickets += tickets;
}

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

void overlapping_kernel::launch_with(const target& where, unsigned grid, unsigned block, void** arguments) {
  const auto device = static_cast<unsigned>(where.device());
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  bool overlaps = (overlaps_.load(std::memory_order_relaxed) & bit) != 0;
  if ((prepared_.load(std::memory_order_acquire) & bit) == 0) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, function_), "cudaFuncGetAttributes");
    if (shared_bytes_ > 0) {
      check(cudaFuncSetAttribute(function_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared_bytes_)),
            "cudaFuncSetAttribute");
    }
    // Code for an older GPU does not wait for the kernels before.
    overlaps = attributes.ptxVersion >= 90;
    if (overlaps) overlaps_.fetch_or(bit, std::memory_order_relaxed);
    prepared_.fetch_or(bit, std::memory_order_release);
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = overlaps;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes_;
  config.stream = where.stream();
  config.attrs = &attribute;
  config.numAttrs = overlaps ? 1 : 0;
  check(cudaLaunchKernelExC(&config, function_, arguments), name_);
}

}  // namespace heddle::cuda
